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

// What fails is reported, and the next question has another worker.
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
