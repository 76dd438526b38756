// Package chromium opens pages in a real browser, for tests. Where no Chromium is installed, it skips them.
package chromium

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A Step is something to do on a page.
type Step = chromedp.Action[chromedp.Void]

// Open returns the context of a page that has been loaded, until the test ends.
func Open(t *testing.T, url string) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	Do(t, ctx, chromedp.Navigate(url))
	return ctx
}

// Do does some steps, one after the other.
func Do(t *testing.T, ctx context.Context, steps ...Step) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Ask returns what an expression of JavaScript is.
func Ask[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Until waits for an expression to be true.
func Until(expression string) Step {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))(ctx, target)
		return err
	})
}

// Text returns the text of the first element that a selector finds.
func Text(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	return Ask[string](t, ctx, `document.querySelector("`+selector+`")?.textContent ?? "(absent)"`)
}

// Quoted returns a text as JavaScript writes it.
func Quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Dark shows the page as people see it who prefer dark pages.
func Dark() Step {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, dark)
		return err
	})
}

// Phone shows the page on a phone.
func Phone() Step {
	return chromedp.Steps(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile), chromedp.Sleep(200*time.Millisecond))
}

// Fits checks that nobody has to scroll the page to the side.
func Fits(t *testing.T, ctx context.Context) {
	t.Helper()
	width, page := Ask[int](t, ctx, "window.innerWidth"), Ask[int](t, ctx, "document.documentElement.scrollWidth")
	if page > width {
		t.Errorf("the page is %d wide on a screen of %d", page, width)
	}
}

// AsksNobodyElse checks that the page has loaded nothing from elsewhere.
func AsksNobodyElse(t *testing.T, ctx context.Context) {
	t.Helper()
	others := Ask[[]string](t, ctx, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith(location.origin) && !n.startsWith("data:"))`)
	if len(others) > 0 {
		t.Errorf("it asks %v", others)
	}
}

// Screenshot takes a picture of the page, if the environment variable SCREENSHOTS is a directory for them.
func Screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
