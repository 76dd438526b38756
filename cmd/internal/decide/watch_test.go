package decide

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/internal/bundled"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// watched watches a cluster that answers with texts, one each second, until it has answered with all of them. "" is that it fails.
func watched(t *testing.T, args []string, texts ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var out, failed bytes.Buffer
	asked := 0
	env := command.Environment{Stdout: &out, Stderr: &failed, Cluster: func(string) (io.ReadCloser, error) {
		text := texts[min(asked, len(texts)-1)]
		if asked++; asked > len(texts) {
			stop()
		}
		if text == "" {
			return nil, errors.New("connection refused")
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	status = command.Run(ctx, env, Command, append([]string{"--watch", "--watch-every", "1s", "--engine", "disruptkit", "--reason", "Drifted"}, args...))
	return out.String(), failed.String(), status
}

func TestWithoutATerminalAWatchPrintsWhatChanges(t *testing.T) {
	text, err := os.ReadFile(rfcs)
	if err != nil {
		t.Fatal(err)
	}
	before := string(text)
	after := strings.Replace(before, `"reason":"AMIDrift","status":"True"`, `"reason":"AMIDrift","status":"False"`, 1)
	if after == before {
		t.Fatal("nothing has changed")
	}
	stdout, stderr, status := watched(t, nil, before, before, after, "", after)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	says := func(i int) string { // without the time, and what changes with it
		text, _, _ := strings.Cut(lines[i][len("Fri 20 Nov 10:30"):], ";")
		return text
	}
	if len(lines) != 4 || !strings.HasPrefix(says(0), "  Drifted: ") || says(1) == says(0) || says(2) != "  stale: connection refused" || says(3) != says(1) {
		t.Errorf("status %d:\n%s%s", status, stdout, stderr)
	}
	if n := strings.Count(stderr, "Pod/render/frames"); n != 1 || status != good {
		t.Errorf("a warning is said %d times, status %d", n, status)
	}
}

func TestAWatchThatCannotReadIsAnError(t *testing.T) {
	if _, stderr, status := watched(t, nil, "", string(bundled.Cluster)); status != hopeless || !strings.Contains(stderr, "connection refused") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if stdout, _, status := watched(t, nil, string(bundled.Cluster), ""); status != faulty || !strings.Contains(stdout, "stale") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

func TestWhatDoesNotFitAWatch(t *testing.T) {
	for args, want := range map[string]string{
		"--watch":                              "--watch reads again and again, and the example stays as it is: leave out --demo",
		"--watch -f -":                         "--watch reads again and again, and standard input can be read once: write a file",
		"--watch -f x --now 2026-11-20":        "--watch takes the time at which it reads, or the file was written: leave out --now",
		"--watch -f x -o json":                 "--watch shows tables: leave out -o, or write -o wide",
		"--watch -f x --watch-every 5":         `--watch-every "5" is not a duration from 1s to ten years: write one such as 90s or 12h`,
		"--watch-every 5s -f x":                "--watch-every is how often --watch reads: write --watch as well",
		"--watch -f x --watch-every 1h --zone": "flag needs an argument: --zone: write decide --help to see the flags",
	} {
		var stderr bytes.Buffer
		env := command.Environment{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr}
		if status := command.Run(t.Context(), env, Command, strings.Fields(args)); status != hopeless || !strings.HasSuffix(stderr.String(), "decide: "+want+"\n") {
			t.Errorf("%s: %s, want %s", args, stderr.String(), want)
		}
	}
}
