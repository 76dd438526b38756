package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/replay"
)

var update = flag.Bool("update", false, "write the present decisions into the cases")

// bundledCases returns the cases that come with the program.
func bundledCases(t *testing.T) []byte {
	t.Helper()
	out, errs, status := ran(nil, "cases")
	if status != 0 {
		t.Fatal(errs)
	}
	return []byte(out)
}

func ran(stdin []byte, args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	status = run(args, bytes.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), status
}

// A change of a decision, or of a message, is seen here before it is released. With -update, each divergence is read before it is kept.
func TestTheCasesAreDecidedAsTheyWere(t *testing.T) {
	divergences := 0
	n, err := replay.Check(bytes.NewReader(bundled), func(d replay.Divergence) {
		if divergences++; divergences <= 20 {
			t.Log(d)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 700 {
		t.Errorf("there are only %d cases", n)
	}
	switch {
	case divergences == 0:
	case !*update:
		t.Errorf("%d divergences: go test ./conformance -update writes the present decisions into the cases", divergences)
	default:
		decided, errs, status := ran(bundled, "decide")
		if status != 0 {
			t.Fatal(errs)
		}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(decided)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("cases.jsonl.gz", packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each code that a decision can block with is in a case, so that nobody conforms who does not know it.
func TestTheCasesHaveEachKindOfBlocker(t *testing.T) {
	cases := string(bundledCases(t))
	for _, code := range []string{
		"already-allowed", "allows-none", "backed-off", "deleting", "denied", "disrupt-after", "do-not-disrupt", "do-not-repair",
		"duplicate-node", "exhausted", "invalid-budget", "invalid-pdb", "no-label", "nominated", "not-initialized", "not-observed",
		"outside-schedule", "paced", "paused", "rebooting", "several-pdbs", "stale", "too-young", "unknown-phase", "unknown-pool",
		"waits-for-domain",
	} {
		if !strings.Contains(cases, `"code":"`+code+`"`) {
			t.Errorf("no case has %s", code)
		}
	}
}

func TestRandomCasesDependOnTheSeedAlone(t *testing.T) {
	draw := func(seed uint64, n int) string {
		out, errs, status := ran(nil, "cases", "--random", strconv.Itoa(n), "--seed", strconv.FormatUint(seed, 10))
		if status != 0 {
			t.Fatal(errs)
		}
		return out
	}
	first := draw(1, 50)
	if first != draw(1, 50) {
		t.Error("the same seed gives others")
	}
	if !strings.HasPrefix(draw(1, 60), first) {
		t.Error("more of them change the first ones")
	}
	if first == draw(2, 50) {
		t.Error("another seed gives the same")
	}
	answers, errs, status := ran([]byte(first), "answer")
	if status != 0 {
		t.Fatal(errs)
	}
	file := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, status := ran([]byte(answers), "check", file); status != 0 || out != "50 of 50 cases are as they should be; 0 divergences\n" {
		t.Error(out, errs, status)
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	for _, row := range []struct {
		name, args, stdin string
		status            int
		says              string
	}{
		{"help", "-h", "", 0, "conformance answer"},
		{"no argument is help as well", "", "", 0, "conformance answer"},
		{"an unknown command", "judge", "", 2, `there is no command "judge": write cases, check, answer or decide`},
		{"an unknown flag", "cases --seeds 1", "", 2, "write conformance -h to see the flags"},
		{"a number below 0", "cases --random -3", "", 2, "--random -3: write how many"},
		{"an argument where none belongs", "answer file", "", 2, `"file" is no flag`},
		{"a file that is not there", "check none.jsonl", "", 2, "none.jsonl"},
		{"no JSON", "answer", "name: a", 2, "line 1: it is no case"},
		{"another version", "answer", `{"version": "1", "name": "a", "reason": "", "input": {}}`, 2, `version "1" is not known here: this program reads version "2"`},
		{"no input", "answer", `{"version": "2", "name": "a", "reason": ""}`, 2, "it has no input"},
		{"a field that nobody knows", "answer", `{"version": "2", "name": "a", "inputs": {}}`, 2, `unknown field "inputs"`},
		{"an input that cannot be read is an answer", "answer", `{"version": "2", "name": "a", "input": {"node": []}}`, 0, `{"name":"a","error":"the input of a decision: json: unknown field \"node\""}`},
		{"answers that are none", "check", "yes", 2, "answers: line 1"},
		{"no answers", "check", "", 1, "is missing, want a decision"},
	} {
		out, errs, status := ran([]byte(row.stdin), strings.Fields(row.args)...)
		if status != row.status || !strings.Contains(out+errs, row.says) {
			t.Errorf("%s: status %d, %.300s%s, want %d and %q", row.name, status, out, errs, row.status, row.says)
		}
	}
}

// A pause is a reader that takes a while to have nothing: meanwhile the pipe is empty.
type pause struct{ time.Duration }

func (p *pause) Read([]byte) (int, error) {
	time.Sleep(p.Duration)
	return 0, io.EOF
}

// Decide in another language: compiled to WebAssembly, called from JavaScript.
func TestJavaScriptDecidesAsGoDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds for WebAssembly")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node.js is installed")
	}
	wasm := filepath.Join(t.TempDir(), "disruptkit.wasm")
	build := exec.Command("go", "build", "-o", wasm, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cases := bundledCases(t)
	answer := exec.Command(node, "--no-warnings", "answer.mjs", wasm)
	answer.Stdin = io.MultiReader(bytes.NewReader(cases[:100_000]), &pause{time.Second}, bytes.NewReader(cases[100_000:]))
	var errs bytes.Buffer
	answer.Stderr = &errs
	pipe, err := answer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Start(); err != nil {
		t.Fatal(err)
	}
	answers := make([]byte, 1)
	_, broken := io.ReadFull(pipe, answers)
	time.Sleep(2 * time.Second) // a slow reader: meanwhile the pipe fills
	rest, err := io.ReadAll(pipe)
	answers = append(answers, rest...)
	if err := errors.Join(broken, err, answer.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if out, errs, status := ran(answers, "check"); status != 0 {
		t.Errorf("status %d: %.1000s%s", status, out, errs)
	}
}
