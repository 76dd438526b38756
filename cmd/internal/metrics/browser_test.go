package metrics

import (
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/chromium"
)

func TestTheDashboardInABrowser(t *testing.T) {
	d := dashboardOf(t, nil, "--demo")
	ctx := chromium.Open(t, "http://"+d.address+"/")
	chromium.Do(t, ctx, chromium.Until(`document.getElementById("read").textContent.endsWith("s ago")`), chromium.Until(`tag !== ""`))
	chromium.AsksNobodyElse(t, ctx)
	if got := chromium.Text(t, ctx, "#rolls .lead"); !strings.Contains(got, "37 of 50 nodes up to date") {
		t.Errorf("how far rolls are: %s", got)
	}
	// No block of the week is beside its row, and the line of now is in a closed one.
	beside := chromium.Ask[[]string](t, ctx, `[...document.querySelectorAll(".lane i")].filter((b) => {
		const [block, lane] = [b.getBoundingClientRect(), b.parentElement.getBoundingClientRect()];
		return block.left < lane.left - 1 || block.right > lane.right + 2 || block.width < 1;
	}).map((b) => b.title)`)
	if len(beside) > 0 {
		t.Errorf("beside their rows: %v", beside)
	}
	now := chromium.Ask[string](t, ctx, `(() => {
		const lane = [...document.querySelectorAll(".week .of")].find((e) => e.textContent.startsWith("general Drifted")).nextElementSibling;
		const x = lane.querySelector(".now-line").getBoundingClientRect().left;
		return [...lane.querySelectorAll("i")].find((b) => b.getBoundingClientRect().right > x).title;
	})()`)
	if !strings.HasPrefix(now, "Fri 09:00 to Fri 17:00: closed; budgets[1]") {
		t.Errorf("now is in %s", now)
	}
	chromium.Do(t, ctx, chromedp.EmulateViewport(1200, 800))
	chromium.Fits(t, ctx)
	chromium.Screenshot(t, ctx, "dashboard.png")
	chromium.Do(t, ctx, chromium.Dark())
	chromium.Screenshot(t, ctx, "dashboard-dark.png")
	chromium.Do(t, ctx, chromium.Phone())
	chromium.Fits(t, ctx)
	chromium.Screenshot(t, ctx, "dashboard-phone.png")
}

// What is old says so: that the cluster cannot be read, and that the command is gone.
func TestThePageDrawsItselfAnew(t *testing.T) {
	cluster := &failing{text: string(bundled.Cluster)}
	d := dashboardOf(t, cluster.read, "--watch-every", "1s")
	ctx := chromium.Open(t, "http://"+d.address+"/")
	chromium.Do(t, ctx, chromium.Until(`tag !== ""`))
	cluster.set(errors.New("<b id=pwned>refused</b>"))
	chromium.Do(t, ctx, chromium.Until(`document.querySelector("main.stale .alert")?.textContent.includes("<b id=pwned>refused</b>")`))
	if !chromium.Ask[bool](t, ctx, `document.title.startsWith("Old: ") && !document.getElementById("pwned") && document.getElementById("silent").hidden`) {
		t.Error("a page that is old")
	}
	chromium.Screenshot(t, ctx, "dashboard-old.png")
	cluster.set(nil)
	chromium.Do(t, ctx, chromium.Until(`!document.querySelector("main.stale") && !document.title.startsWith("Old: ")`))
	d.stop()
	chromium.Do(t, ctx, chromium.Until(`document.body.classList.contains("old") && !document.getElementById("silent").hidden &&
		document.getElementById("silent").textContent.includes("does not answer")`))
	chromium.Screenshot(t, ctx, "dashboard-silent.png")
}
