package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func environment(stdin io.Reader, stdout, stderr io.Writer) command.Environment {
	return command.Environment{Stdin: stdin, Stdout: stdout, Stderr: stderr}
}

func ran(ctx context.Context, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := command.Run(ctx, environment(strings.NewReader(stdin), &stdout, &stderr), Command, args)
	return result{stdout.String(), stderr.String(), status}
}

// wantNoGoroutines waits until none is left of the program, nor of its server and client.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	wantNoneIn(t, `net/http\.|cmd/poll|cmd/internal/probe|probe/httpget`)
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
	go func() {
		done <- command.Run(ctx, environment(strings.NewReader(pools(s)), out, out), Command, []string{"-f", "-"})
	}()
	out.waitFor(t, "NodePool/gpu  actions: it denies Drifted/AMIDrift\n")
	out.waitFor(t, "NodePool/web  health: all nodes are allowed\n")
	out.waitFor(t, "NodePool/gpu  health: all nodes are allowed\n")
	status.Store(503)
	out.waitFor(t, "NodePool/web  health: it answered 503, and only 200 to 202 allow disruption\n")
	out.waitFor(t, "NodePool/gpu  health: it answered 503, and only 200 to 202 allow disruption\n")
	interrupt()
	if status := <-done; status != command.Good {
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
	health := "health: nothing has been observed yet\nPOOL  health: all nodes are allowed\nPOOL  health: it answered 503, and only 200 to 202 allow disruption\n"
	want := map[string]string{
		"web  health":  strings.ReplaceAll("POOL  "+health, "POOL", "web"),
		"gpu  health":  strings.ReplaceAll("POOL  "+health, "POOL", "gpu"),
		"gpu  actions": "gpu  actions: nothing has been observed yet\ngpu  actions: it denies Drifted/AMIDrift\n",
	}
	if diff := cmp.Diff(want, perPool); diff != "" {
		t.Errorf("what is printed, by probe (-want +got)\n%s", diff)
	}
}

// The 11th probe of web is not the first one of web1.
func TestEachProbeOfEachPoolIsReportedOnce(t *testing.T) {
	of := func(name string) httpget.Spec {
		return httpget.Spec{Name: name, Host: "127.0.0.1", Port: 1, PeriodSeconds: 60}
	}
	probes := map[string][]httpget.Spec{"web1": {of("first")}}
	for i := range 11 {
		probes["web"] = append(probes["web"], of(fmt.Sprint("number ", i)))
	}
	probes["web"][10].Mode = "none" // is never asked, and so says something else
	ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
	defer stop()
	var out bytes.Buffer
	if err := watch(ctx, probes, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"NodePool/web  number 10: ", "NodePool/web1  first: nothing has been observed yet"} {
		if n := strings.Count(out.String(), name); n != 1 {
			t.Errorf("%s is there %d times:\n%s", name, n, out.String())
		}
	}
}

func TestExitStatus(t *testing.T) {
	const pool = "kind: NodePool\nmetadata: {name: p}\nspec: {disruption: {disruptionProbes: "
	for _, test := range []struct {
		rule, stdin, args string
		status            int
		stdout, stderr    string // what they begin with
	}{
		{"help is good", "", "-h", command.Good, "probe polls the", ""},
		{"an end", pool + "[{host: 127.0.0.1, port: 1}]}}", "-f - --for 1ms", command.Good, "", ""},
		{"a broken probe", pool + "[{host: 127.0.0.1}]}}", "-f - --for 1ms", command.Faulty, "", "NodePool/p: spec.disruption.disruptionProbes[0]: port: it is missing"},
		{"a broken pool", pool + "[{host: 127.0.0.1, port: 1}], budgets: 5}}", "-f - --for 1ms", command.Faulty, "", "NodePool/p: spec.disruption.budgets: 5 is a number"},
		{"no probes", pool + "[]}}", "-f -", command.Hopeless, "", "probe: no NodePool in the input has disruptionProbes: write them under spec.disruption, as probe --help shows\n"},
		{"no NodePools", "{kind: NodeList, items: []}", "-f -", command.Hopeless, "", "probe: no NodePool is in the input: hand in those that have disruptionProbes, as probe --help shows\n"},
		{"no input", "", "-f -", command.Hopeless, "", "probe: the input is empty: did the command that prints it fail?\nwhat is read here are NodePools in YAML or JSON, as probe --help shows\n"},
		{"no YAML", "a: b: c", "-f -", command.Hopeless, "", "probe: not valid YAML: "},
		{"a file that is not there", "", "-f testdata/none.yaml", command.Hopeless, "", "probe: open testdata/none.yaml: no such file or directory\n"},
		{"a directory", "", "-f ../tell", command.Hopeless, "", "probe: ../tell is a directory: name a file in it\n"},
		{"a flag that is not there", "", "-x", command.Hopeless, "", "probe: unknown shorthand flag: 'x' in -x: write probe --help to see the flags\n"},
		{"an argument that is not a flag", "", "pools.yaml", command.Hopeless, "", "probe: \"pools.yaml\" is not a flag: to read a file, write -f pools.yaml\n"},
		{"a time without a file", "", "--for 5s", command.Hopeless, "", "probe: name a file with NodePools: probe -f nodepools.yaml\n"},
		{"a time that is none", "", "-f - --for soon", command.Hopeless, "", "probe: --for: time: invalid duration \"soon\"\n"},
		{"a time that is over", "", "-f - --for -1s", command.Hopeless, "", "probe: --for -1s is not a time to poll for: write one such as 30s\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := ran(t.Context(), test.stdin, strings.Fields(test.args)...)
			if got.status != test.status || !strings.HasPrefix(got.stdout, test.stdout) || !strings.HasPrefix(got.stderr, test.stderr) || test.stderr == "" && got.stderr != "" {
				t.Errorf("exit status %d, stdout:\n%s\nstderr:\n%s", got.status, got.stdout, got.stderr)
			}
			if test.status == command.Hopeless && got.stdout != "" {
				t.Errorf("stdout:\n%s", got.stdout)
			}
		})
	}
	wantNoGoroutines(t)
}

func TestOutputThatCannotBeWrittenIsExitStatus2(t *testing.T) {
	const pool = "kind: NodePool\nmetadata: {name: p}\nspec: {disruption: {disruptionProbes: [{host: 127.0.0.1, port: 1}]}}"
	var stderr bytes.Buffer
	env := environment(strings.NewReader(pool), brokenPipe{}, &stderr)
	if got := command.Run(t.Context(), env, Command, []string{"-f", "-"}); got != command.Hopeless || stderr.String() != "probe: broken pipe\n" {
		t.Errorf("exit status %d, stderr:\n%s", got, stderr.String())
	}
	wantNoGoroutines(t)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
