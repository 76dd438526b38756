package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/disruptkit/disruptkit/cmd/internal/chromium"
)

// browser returns a context of a page in a real browser, which has loaded the playground. SCREENSHOTS is a directory for pictures.
func browser(t *testing.T, fragment string) context.Context {
	t.Helper()
	ctx := chromium.Open(t, served(t)+"/"+fragment)
	do(t, ctx, answered())
	return ctx
}

var made string // once for all tests, by TestMain

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "playground")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		made = dir
		return m.Run()
	}())
}

// served returns the address of the page on a server that knows nothing else.
func served(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(made, "wasm_exec.js")); err != nil {
		if err := build(t.Context(), made); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(made)))
	t.Cleanup(server.Close)
	return server.URL
}

var do, until, quoted, textOf, screenshot = chromium.Do, chromium.Until, chromium.Quoted, chromium.Text, chromium.Screenshot

// asked returns what an expression of JavaScript is.
func asked[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return chromium.Ask[T](t, ctx, expression)
}

// answered waits until what is on the page is the answer to what is in its fields.
func answered() chromium.Step {
	return until(`typeof edits !== "undefined" && edits > 0 && document.body.dataset.answered === String(edits)`)
}

// typed types into a field as people do, as far as the page can tell.
func typed(id, value string) chromium.Step {
	return until(`(() => {
		const field = document.getElementById("` + id + `");
		field.value = ` + quoted(value) + `;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		return true;
	})()`)
}

// set types into a field, and waits for the answer.
func set(id, value string) chromium.Step { return chromedp.Steps(typed(id, value), answered()) }

// openJSON shows the JSON, which is made only then.
func openJSON() chromium.Step {
	return chromedp.Steps(chromedp.Click("#details summary"), until(`json.textContent !== ""`), answered())
}

func TestTheExampleShowsItsHole(t *testing.T) {
	ctx := browser(t, "")
	if got := textOf(t, ctx, "#findings"); !strings.Contains(got, "gap") {
		t.Errorf("findings: %s", got)
	}
	if got := textOf(t, ctx, "#picture svg"); !strings.Contains(got, "Drifted") {
		t.Errorf("picture: %.300s", got)
	}
	do(t, ctx, openJSON())
	if got := textOf(t, ctx, "#json"); !strings.Contains(got, `"gap"`) {
		t.Errorf("JSON: %.300s", got)
	}
	screenshot(t, ctx, "desktop.png")
	do(t, ctx, chromium.Dark())
	screenshot(t, ctx, "dark.png")
}

func TestTheAnswerFollowsWhatIsTyped(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, set("text", "budgets:\n- nodes: \"10%\"\n"))
	if got := textOf(t, ctx, "#state"); got != "No findings." {
		t.Errorf("a good budget: %s", got)
	}
	do(t, ctx, set("text", "budgets:\n- nodes: \"0\"\n  schedule: \"0 0 * * sat-sun\"\n  duration: 1h\n"))
	if got := textOf(t, ctx, "#findings .error"); !strings.Contains(got, `"0 0 * * sat,sun"`) {
		t.Errorf("an invalid budget: %s", got)
	}
	do(t, ctx, set("text", "budgets: ["))
	if got := textOf(t, ctx, "#state"); !strings.Contains(got, "YAML") {
		t.Errorf("no YAML: %s", got)
	}
	do(t, ctx, set("text", ""))
	if got := textOf(t, ctx, "#state"); !strings.Contains(got, "nothing is written yet") {
		t.Errorf("nothing: %s", got)
	}
}

// What is shared is in the fragment, which browsers do not send.
func TestALinkRestoresEverything(t *testing.T) {
	ctx := browser(t, "")
	const written = "budgets:\n- nodes: \"7\" # é 日本\n"
	do(t, ctx, set("text", written), set("nodes", "33"), set("as", "disruptkit"), chromedp.Click("#share"), until(`location.hash.length > 10`))
	other := browser(t, asked[string](t, ctx, "location.hash"))
	got := asked[string](t, other, `JSON.stringify([text.value, nodes.value, as.value])`)
	if want := `["budgets:\n- nodes: \"7\" # é 日本\n","33","disruptkit"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	damaged := browser(t, "#1AAAA")
	if got := textOf(t, damaged, "#shared"); !strings.Contains(got, "damaged") {
		t.Errorf("a damaged link: %q", got)
	}
}

func TestWhatIsTypedIsNeverRun(t *testing.T) {
	ctx := browser(t, "")
	pool := "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: \"<img src=x onerror=pwned=1>\"}\nspec: {disruption: {budgets: [{nodes: \"<script>pwned=1</script>\"}]}}\n"
	do(t, ctx, set("text", pool), chromedp.Sleep(200*time.Millisecond))
	pwned := asked[bool](t, ctx, `typeof pwned !== "undefined"`)
	images := asked[int](t, ctx, `document.querySelectorAll("img, script:not([src])").length`)
	if pwned || images > 0 {
		t.Errorf("a script ran, or could: %d", images)
	}
	if got := textOf(t, ctx, "#findings .error"); got == "(absent)" {
		t.Error("no error is shown")
	}
}

// A person without a mouse, and one with a screen reader.
func TestKeyboardAndScreenReader(t *testing.T) {
	ctx := browser(t, "")
	unnamed := asked[[]string](t, ctx, `[...document.querySelectorAll("input, select, textarea, button")].filter((e) => !(e.labels?.length || e.textContent.trim())).map((e) => e.id)`)
	if len(unnamed) > 0 {
		t.Errorf("without a name: %v", unnamed)
	}
	do(t, ctx, chromedp.Focus("#text"), chromedp.KeyEvent("\x1b"), chromedp.KeyEvent("\t"))
	if at := asked[string](t, ctx, "document.activeElement.id"); at != "as" {
		t.Errorf("Escape and Tab lead from the editor to %q", at)
	}
	do(t, ctx, chromedp.Focus("#findings button"), chromedp.KeyEvent("\r"))
	selected := asked[string](t, ctx, `text.value.slice(text.selectionStart, text.selectionEnd)`)
	if !strings.Contains(selected, "nodes") {
		t.Errorf("the finding's line is %q", selected)
	}
}

func TestAPhoneNeedsNoScrollingToTheSide(t *testing.T) {
	ctx := browser(t, "")
	do(t, ctx, chromium.Phone())
	chromium.Fits(t, ctx)
	screenshot(t, ctx, "phone.png")
}

func TestThePageAsksNobodyElse(t *testing.T) {
	ctx := browser(t, "")
	chromium.AsksNobodyElse(t, ctx)
}
