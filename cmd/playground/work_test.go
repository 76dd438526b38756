package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pools returns NodePools that take some time: n of them.
func pools(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: pool-%d}
spec:
  disruption:
    consolidateAfter: 5m
    budgets:
    - nodes: "%d%%"
    - {nodes: "0", reasons: [Drifted], schedule: "%d 17 * * mon-fri", duration: 16h}
    - {nodes: "%d", schedule: "0 %d * * sat,sun", duration: %dh}
`, i, i%90+5, i%60, i+1, i%24, i%9+2)
	}
	return text.String()
}

const (
	idle    = `getComputedStyle(work).visibility === "hidden" && answer.ariaBusy === "false"`
	working = `getComputedStyle(work).visibility === "visible" && answer.ariaBusy === "true" && !cancel.disabled`
)

func TestWorkIsSeen(t *testing.T) {
	ctx := browser(t, "")
	if !asked[bool](t, ctx, idle) {
		t.Error("the page is busy with nothing")
	}
	do(t, ctx, typed("text", pools(400)))
	if !asked[bool](t, ctx, working) {
		t.Error("no sign of work right after an edit")
	}
	do(t, ctx, until(`working.textContent.startsWith("Working for ") && older.textContent.includes("what was written before")`),
		until(`said.textContent === "Working …"`))
	screenshot(t, ctx, "working.png")
	if opacity := asked[string](t, ctx, `getComputedStyle(document.querySelector(".answer")).opacity`); opacity == "1" {
		t.Error("the answer to an older text looks like one to the newer")
	}
	do(t, ctx, chromedp.Click("#cancel"))
	if got := textOf(t, ctx, "#state"); !strings.HasPrefix(got, "Cancelled") {
		t.Errorf("cancelled: %s", got)
	}
	left := asked[int](t, ctx, `findings.childElementCount + picture.childElementCount + json.textContent.length`)
	if left > 0 || !asked[bool](t, ctx, idle) {
		t.Errorf("after it was cancelled, %d things are shown", left)
	}
	screenshot(t, ctx, "cancelled.png")
	do(t, ctx, until(`(() => { text.value = 'budgets: [{nodes: "10%"}]'; edited(150); cancel.click(); return true; })()`))
	if got := textOf(t, ctx, "#cancel"); got != "Ask again" || asked[string](t, ctx, "document.activeElement.id") != "cancel" {
		t.Errorf("cancelled before it was asked: the button is %q", got)
	}
	do(t, ctx, chromedp.Sleep(300*time.Millisecond)) // what was cancelled is not asked later
	if got := textOf(t, ctx, "#state"); !strings.HasPrefix(got, "Cancelled") {
		t.Errorf("later: %s", got)
	}
	do(t, ctx, chromedp.KeyEvent("\r"), until(`cancel.disabled`), answered())
	if got := textOf(t, ctx, "#state"); got != "No findings." || asked[bool](t, ctx, "!cancel.disabled") {
		t.Errorf("asked again: %s", got)
	}
}

// Every answer that is drawn is recorded with the text that was there: it is of that text, and it is not of one before.
func TestNoAnswerIsShownAsThatToAnotherText(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, until(`(() => {
		window.wrong = [];
		new MutationObserver(() => {
			const name = /name: (\w+-x)/.exec(text.value)?.[1];
			const drawn = document.querySelector("#picture svg")?.textContent ?? "";
			if (name && drawn.includes("-x") && !drawn.includes(name) && answer.ariaBusy !== "true") wrong.push(name);
		}).observe(document.body, {subtree: true, childList: true, attributes: true});
		return true;
	})()`))
	for i := range 12 {
		n := 1
		if i%3 == 1 {
			n = 60 // is still being computed when the next comes
		}
		edit := strings.ReplaceAll(pools(n), "pool-", fmt.Sprintf("p%d-x", i))
		do(t, ctx, typed("text", edit))
		if !asked[bool](t, ctx, working+` || picture.textContent.includes("`+fmt.Sprintf("p%d-x", i)+`")`) {
			t.Errorf("edit %d: neither busy, nor the answer: %s", i, asked[string](t, ctx,
				`JSON.stringify([state.textContent, answer.ariaBusy, edits, shown, picture.textContent.slice(0, 200)])`))
		}
		do(t, ctx, chromedp.Sleep(time.Duration(i*40)*time.Millisecond))
	}
	do(t, ctx, answered())
	if wrong := asked[[]string](t, ctx, "wrong"); len(wrong) > 0 {
		t.Errorf("shown with the picture of another text: %v", wrong)
	}
	if got := textOf(t, ctx, "#picture"); !strings.Contains(got, "p11-x") {
		t.Errorf("the last answer: %.200s", got)
	}
}

// A late message of a worker that was ended, and one about an older edit, are of no question.
func TestALateAnswerIsLeftOut(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, until(`(() => {
		const answer = {findings: [], pools: 1, notes: "late", picture: "", json: "late"};
		edited(60000);
		answered({id: edits, answer});
		asking = true;
		answered({id: edits - 1, answer});
		const ended = worker;
		dismiss();
		ended.onerror({message: "late"});
		ended.onmessage({data: {id: edits, failed: "late"}});
		return true;
	})()`))
	if got := textOf(t, ctx, "body"); strings.Contains(got, "late") || !asked[bool](t, ctx, working) {
		t.Error("a late answer is shown")
	}
}

func TestAnEditEndsWhatIsBeingComputed(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, until(`(() => {
		window.ended = window.sent = 0;
		const { terminate, postMessage } = Worker.prototype;
		Worker.prototype.terminate = function () { ended++; terminate.call(this); };
		Worker.prototype.postMessage = function (data) { if (data.form) sent++; postMessage.call(this, data); };
		return true;
	})()`))
	do(t, ctx, until(`(() => { edited(150); edited(150); edited(150); return true; })()`), answered(),
		chromedp.Sleep(300*time.Millisecond))
	if sent := asked[int](t, ctx, "sent"); sent != 1 {
		t.Errorf("three quick edits are %d questions", sent)
	}
	do(t, ctx, typed("text", pools(2000)), until(`asking`), chromedp.Sleep(300*time.Millisecond))
	began := time.Now()
	do(t, ctx, set("text", "budgets: [{nodes: \"10%\"}]"))
	if got := textOf(t, ctx, "#state"); got != "No findings." {
		t.Errorf("after the edit: %s", got)
	}
	t.Log("the answer came after", time.Since(began))
	if ended := asked[int](t, ctx, "ended"); ended != 1 {
		t.Errorf("%d workers were ended", ended)
	}
}

// What fails is told, and the next question has another worker.
func TestAfterACrashThePageGoesOn(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, until(`(() => {
		edited(60000);
		asking = true;
		answered({id: edits, failed: "the library has ended"});
		return true;
	})()`))
	if got := textOf(t, ctx, "#state"); got != "The library cannot be run: the library has ended" {
		t.Errorf("a crash: %s", got)
	}
	do(t, ctx, set("text", "budgets: [{nodes: \"10%\"}]"))
	if got := textOf(t, ctx, "#state"); got != "No findings." {
		t.Errorf("after a crash: %s", got)
	}
}

// No answer speaks of flags or standard input, which a page does not have.
func TestThePageSpeaksOfItsOwnFields(t *testing.T) {
	ctx := browser(t, "")
	const overruled = "budgets: [{nodes: \"1\"}, {nodes: \"5\", reasons: [Drifted]}]\n"
	const annotated = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: a, annotations: {disruptkit.dev/disruption: '{"budgets": [{"nodes": "1"}]}'}}
spec: {}
`
	for _, c := range []struct{ name, as, text, want string }{
		{"an annotation that only the guard reads", "karpenter", annotated, `choose "Karpenter with the guard"`},
		{"reasons below a broader budget", "disruptkit", overruled, `choose "disruptkit, the most specific budgets decide"`},
		{"a proposal", "disruptkit", "budgets: [{nodes: \"1\", method: Drift}]\n", ""},
		{"the most specific", "most-specific", overruled, ""},
		{"no YAML", "karpenter", "budgets: [", "text:1"},
		{"no YAML and a pool", "karpenter", annotated + "---\na: [\n", "unreadable"},
		{"comments", "karpenter", "# nothing yet\n", "nothing is written yet"},
		{
			"other objects", "karpenter", "kind: Deployment\napiVersion: apps/v1\n---\n" + annotated,
			"text: objects other than NodePools are skipped: 1",
		},
		{"a scalar", "karpenter", "budgets", "not a Kubernetes object"},
		{"an unknown calendar", "disruptkit", "budgets: [{nodes: \"1\", calendar: holidays}]\n", "calendar"},
		{"a stray field", "guard", "budgets: [{nodes: \"1\", zone: Europe/Berlin}]\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			do(t, ctx, set("as", c.as), set("text", c.text))
			said := textOf(t, ctx, "#answer")
			if !strings.Contains(said, c.want) {
				t.Errorf("%q is not there: %.600s", c.want, said)
			}
			noFlags(t, said)
		})
	}
}

func noFlags(t *testing.T, said string) {
	t.Helper()
	said = strings.ReplaceAll(said, "printed without -o json", "") // of kubectl, which people may have run
	for _, word := range strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" \n\t(\"'`,;:", r) }) {
		isFlag := len(word) > 1 && word[0] == '-' && strings.Trim(word[:2], "-0123456789>") != "" || strings.HasPrefix(word, "--")
		if isFlag {
			t.Errorf("it names the flag %s", word)
		}
	}
	if strings.Contains(said, "standard input") {
		t.Error("it speaks of standard input")
	}
}

// Whatever can be scrolled is reached with the keyboard, and is no stop where it cannot.
func TestTheKeyboardReachesWhatScrolls(t *testing.T) {
	const unreached = `[...document.querySelectorAll("body *")].filter((e) => {
		const style = getComputedStyle(e), scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
		const wide = scrolls(style.overflowX) && e.scrollWidth > e.clientWidth;
		return wide || scrolls(style.overflowY) && e.scrollHeight > e.clientHeight;
	}).filter((e) => {
		const named = e.labels?.length || e.getAttribute("aria-label") && e.getAttribute("role");
		return e.tabIndex < 0 || !named;
	}).map((e) => e.id || e.localName)`
	ctx := browser(t, "")
	do(t, ctx, chromedp.EmulateViewport(1280, 800), until(`picture.tabIndex < 0`))
	do(t, ctx, openJSON(), set("text", pools(3)))
	for _, width := range []int64{320, 400, 700, 1000, 1280} {
		do(t, ctx, chromedp.EmulateViewport(width, 740), chromedp.Sleep(300*time.Millisecond))
		if got := asked[[]string](t, ctx, unreached); len(got) > 0 {
			t.Errorf("at a width of %d, no key reaches %v", width, got)
		}
	}
	do(t, ctx, chromedp.EmulateViewport(360, 740), until(`picture.tabIndex === 0`), chromedp.Focus("#picture"),
		chromedp.KeyEvent(kb.ArrowRight), until(`picture.scrollLeft > 0`))
}

func TestWithoutScriptsThePageSaysWhatElseThereIs(t *testing.T) {
	ctx := browser(t, "")
	got := asked[string](t, ctx, `document.querySelector("header noscript").textContent`)
	if !strings.Contains(got, "kubectl disruption forecast") {
		t.Errorf("noscript: %s", got)
	}
}

// The time is for people: it is not checked, since machines differ.
func TestTenPools(t *testing.T) {
	ctx := browser(t, "")
	for i := range 4 {
		began := time.Now()
		do(t, ctx, set("text", pools(10)+strings.Repeat("# \n", i)))
		t.Log("10 pools:", time.Since(began))
	}
	if drawn := asked[int](t, ctx, `document.querySelectorAll("#picture .title").length`); drawn != 10 {
		t.Errorf("%d pools are drawn", drawn)
	}
	screenshot(t, ctx, "ten.png")
}
