package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func ran(ctx context.Context, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
	return result{stdout.String(), stderr.String(), status}
}

// The story waits for what it tells, so that a slow machine only makes it longer.
func TestTheStory(t *testing.T) {
	got := ran(t.Context(), "")
	if got.status != good || got.stderr != "" {
		t.Errorf("exit status %d, stderr:\n%s", got.status, got.stderr)
	}
	for _, line := range strings.Split(got.stdout, "\n") {
		if utf8.RuneCountInString(line) > tell.LineWidth || strings.TrimRight(line, " ") != line {
			t.Errorf("too long, or ends in space: %q", line)
		}
	}
	golden.Check(t, "story.txt", timeless(got.stdout))
	wantTimesInOrder(t, got.stdout)
	wantNoGoroutines(t)
}

// timeless replaces what another run, or another machine, has differently.
func timeless(story string) string {
	for _, s := range []struct{ from, to string }{
		{`(?m)^ *\d+\.\ds`, "  0.0s"},
		{`until \d+\.\ds`, "until 0.0s"},
		{`127\.0\.0\.1:\d+(/\w+) *`, "127.0.0.1:80$1 "},
		{`within 1s, [a-z ]+`, "within 1s, …"}, // where a connection is when time is over
	} {
		story = regexp.MustCompile(s.from).ReplaceAllString(story, s.to)
	}
	return story
}

// wantTimesInOrder checks that each scene is after the one before, and each until after its scene.
func wantTimesInOrder(t *testing.T, story string) {
	t.Helper()
	var at, until float64
	for _, line := range strings.Split(story, "\n") {
		var next float64
		if n, _ := fmt.Sscanf(line, "%fs", &next); n == 1 {
			if next < at {
				t.Errorf("it is %.1fs, and then:\n%s", at, line)
			}
			at = next
		}
		if _, after, found := strings.Cut(line, ", until "); found {
			if _, err := fmt.Sscanf(after, "%fs", &until); err != nil || until < at {
				t.Errorf("at %.1fs:\n%s", at, line)
			}
		}
	}
	if at == 0 {
		t.Error("there are no times")
	}
}

// wantNoGoroutines waits until none is left of the program, nor of its server and client.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	wantNoneIn(t, `net/http\.|cmd/probe|probe/httpget`)
}

// wantNoneIn waits until no goroutine is in what a pattern matches.
func wantNoneIn(t *testing.T, pattern string) {
	t.Helper()
	left := ""
	for range 600 {
		all := make([]byte, 1<<20)
		left = ""
		for _, stack := range strings.Split(string(all[:runtime.Stack(all, true)]), "\n\n") {
			if !strings.Contains(stack, "wantNoneIn") && regexp.MustCompile(pattern).MatchString(stack) {
				left += stack + "\n\n"
			}
		}
		if left == "" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("goroutines are left:\n%s", left)
}

func TestAnInterruptedStoryEndsWell(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	out, stderr := &page{}, &page{}
	done := make(chan int)
	go func() { done <- run(ctx, nil, nil, out, stderr) }()
	out.waitFor(t, "All is well")
	interrupt()
	if status := <-done; status != good || stderr.String() != "" || strings.Contains(out.String(), "The end") {
		t.Errorf("exit status %d:\n%s%s", status, stderr, out)
	}
	wantNoGoroutines(t)
}

// A page is output that can be read while it is written.
type page struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *page) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(text)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// waitFor waits until something was written.
func (p *page) waitFor(t *testing.T, want string) {
	t.Helper()
	for range 1200 {
		if strings.Contains(p.String(), want) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%q is not there:\n%s", want, p)
}

func TestAScenesNodesThatDoNotStayEndTheStory(t *testing.T) {
	s, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := newCluster(s.port, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.play(t.Context(), scene{happens: "Nothing.", stays: "web-empty"}, time.Millisecond)
	want := `for 1ms now: Nothing. These nodes should stay: "web-empty", and these do: "` + everybody + `"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// pools returns NodePools whose probes a server answers.
func pools(s *httptest.Server) string {
	port := s.Listener.Addr().String()
	port = port[strings.LastIndexByte(port, ':')+1:]
	return strings.ReplaceAll(`
kind: NodePool
metadata: {name: web}
spec: {disruption: {disruptionProbes: [{name: health, host: 127.0.0.1, port: PORT, path: /web, periodSeconds: 1, timeoutSeconds: 30}]}}
---
kind: NodePool
metadata: {name: gpu}
spec: {template: {disruption: {disruptionProbes: [
  {name: health, host: 127.0.0.1, port: PORT, path: /web, periodSeconds: 1, timeoutSeconds: 30},
  {name: actions, host: 127.0.0.1, port: PORT, path: /gpu, periodSeconds: 1, timeoutSeconds: 30, mode: body}]}}}
---
kind: NodePool
metadata: {name: batch}
`, "PORT", port)
}

func TestVerdictsOfRealNodePoolsAreFollowed(t *testing.T) {
	var status atomic.Int32
	status.Store(200)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gpu" {
			fmt.Fprint(w, "deniedActions:\n- drift:AMIDrift\n")
			return
		}
		w.WriteHeader(int(status.Load()))
	}))
	defer s.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	out := &page{}
	done := make(chan int)
	go func() { done <- run(ctx, []string{"-f", "-"}, strings.NewReader(pools(s)), out, out) }()
	out.waitFor(t, "NodePool/gpu  actions: it denies Drifted/AMIDrift\n")
	out.waitFor(t, "NodePool/web  health: all may go\n")
	out.waitFor(t, "NodePool/gpu  health: all may go\n")
	status.Store(503)
	out.waitFor(t, "NodePool/web  health: it answered 503, and only 200 to 202 let nodes go\n")
	out.waitFor(t, "NodePool/gpu  health: it answered 503, and only 200 to 202 let nodes go\n")
	interrupt()
	if status := <-done; status != good {
		t.Errorf("exit status %d", status)
	}
	wantNoneIn(t, "persistConn") // though the server would still answer
	s.Close()
	wantNoGoroutines(t)

	lines := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\dZ  NodePool/`).ReplaceAllString(out.String(), "")
	perPool := map[string]string{}
	for line := range strings.Lines(lines) {
		of, _, _ := strings.Cut(line, ":")
		perPool[of] += line
	}
	health := "health: nothing has been observed yet\nPOOL  health: all may go\nPOOL  health: it answered 503, and only 200 to 202 let nodes go\n"
	want := map[string]string{
		"web  health":  strings.ReplaceAll("POOL  "+health, "POOL", "web"),
		"gpu  health":  strings.ReplaceAll("POOL  "+health, "POOL", "gpu"),
		"gpu  actions": "gpu  actions: nothing has been observed yet\ngpu  actions: it denies Drifted/AMIDrift\n",
	}
	if diff := cmp.Diff(want, perPool); diff != "" {
		t.Errorf("what is printed, by probe (-want +got)\n%s", diff)
	}
}

func TestExitStatus(t *testing.T) {
	const pool = "kind: NodePool\nmetadata: {name: p}\nspec: {disruption: {disruptionProbes: "
	for _, test := range []struct {
		rule, stdin, args string
		status            int
		stdout, stderr    string // what they begin with
	}{
		{"help is good", "", "-h", good, "probe shows how", ""},
		{"an end", pool + "[{host: 127.0.0.1, port: 1}]}}", "-f - -for 1ms", good, "", ""},
		{"a broken probe", pool + "[{host: 127.0.0.1}]}}", "-f - -for 1ms", faulty, "", "NodePool/p: spec.disruption.disruptionProbes[0]: port: it is missing"},
		{"a broken pool", pool + "[{host: 127.0.0.1, port: 1}], budgets: 5}}", "-f - -for 1ms", faulty, "", "NodePool/p: spec.disruption.budgets: 5 is a number"},
		{"no probes", pool + "[]}}", "-f -", hopeless, "", "probe: no NodePool in the input has disruptionProbes: write them under spec.disruption, as probe -h shows\n"},
		{"no NodePools", "{kind: NodeList, items: []}", "-f -", hopeless, "", "probe: no NodePool is in the input: hand in those that have disruptionProbes, as probe -h shows\n"},
		{"no input", "", "-f -", hopeless, "", "probe: the input is empty: did the command that prints it fail?\nwhat is read here are NodePools in YAML or JSON, as probe -h shows\n"},
		{"no YAML", "a: b: c", "-f -", hopeless, "", "probe: not valid YAML: "},
		{"a file that is not there", "", "-f testdata/none.yaml", hopeless, "", "probe: open testdata/none.yaml: no such file or directory\n"},
		{"a directory", "", "-f testdata", hopeless, "", "probe: testdata is a directory: name a file in it\n"},
		{"a flag that is not there", "", "-x", hopeless, "", "probe: flag provided but not defined: -x: write probe -h to see the flags\n"},
		{"an argument that is not a flag", "", "pools.yaml", hopeless, "", "probe: \"pools.yaml\" is not a flag: to read a file, write -f pools.yaml\n"},
		{"a time without a file", "", "-for 5s", hopeless, "", "probe: -for is for -f: without it, the story ends by itself\n"},
		{"a time that is none", "", "-f - -for soon", hopeless, "", "probe: -for \"soon\" is not a time to poll for: write one such as 30s\n"},
		{"a time that is over", "", "-f - -for 0s", hopeless, "", "probe: -for \"0s\" is not a time to poll for: write one such as 30s\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := ran(t.Context(), test.stdin, strings.Fields(test.args)...)
			if got.status != test.status || !strings.HasPrefix(got.stdout, test.stdout) || !strings.HasPrefix(got.stderr, test.stderr) || test.stderr == "" && got.stderr != "" {
				t.Errorf("exit status %d, stdout:\n%s\nstderr:\n%s", got.status, got.stdout, got.stderr)
			}
			if test.status == hopeless && got.stdout != "" {
				t.Errorf("stdout:\n%s", got.stdout)
			}
		})
	}
	wantNoGoroutines(t)
}

func TestOutputThatCannotBeWrittenIsExitStatus2(t *testing.T) {
	const pool = "kind: NodePool\nmetadata: {name: p}\nspec: {disruption: {disruptionProbes: [{host: 127.0.0.1, port: 1}]}}"
	for _, args := range [][]string{nil, {"-f", "-"}} {
		var stderr bytes.Buffer
		if got := run(t.Context(), args, strings.NewReader(pool), brokenPipe{}, &stderr); got != hopeless || stderr.String() != "probe: broken pipe\n" {
			t.Errorf("%q: exit status %d, stderr:\n%s", args, got, stderr.String())
		}
	}
	wantNoGoroutines(t)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestHelp(t *testing.T) {
	for _, flag := range []string{"-f", "-for"} {
		if !strings.Contains(help, "\n  "+flag+" ") {
			t.Errorf("%s is not there", flag)
		}
	}
	for _, line := range strings.Split(help, "\n") {
		if len(line) > tell.LineWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
