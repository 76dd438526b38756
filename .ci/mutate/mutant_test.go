package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const code = `package small

import "time"

const most = 3 // no constants

func Sign(n int, at time.Time) (sign int) {
	if n > 0 && !at.IsZero() {
		sign = 1
	}
	for i := 0; i < most; i++ {
		if i == n {
			continue
		}
	}
	return sign - 1
}
`

const tests = `package small

import (
	"testing"
	"time"
)

func TestSign(t *testing.T) {
	if Sign(1, time.Unix(0, 0)) != 0 || Sign(0, time.Unix(0, 0)) != -1 {
		t.Fatal()
	}
}
`

// The small module has a mutant of each kind. The tests notice what changes their answers, and nothing else.
func TestSurvivorsAreTheMutantsThatNoTestNotices(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module github.com/disruptkit/disruptkit\n\ngo 1.26.0\n", "go.work": "go 1.26.0\n\nuse .\n", "small/small.go": code, "small/small_test.go": tests,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOWORK", "")
	mutants, overlay, err := mutateAll(root, []string{"small"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	suites, err := build(root, []string{"small"}, overlay, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		if err := s.trace(); err != nil {
			t.Fatal(err)
		}
	}
	var all, alive []string
	for _, m := range mutants {
		all = append(all, m.code+" → "+m.change)
	}
	for _, m := range survivors(suites, mutants, 2, func(int) {}) {
		alive = append(alive, m.code+" → "+m.change)
	}
	for _, want := range []string{"n > 0 → with >=", "n > 0 && !at.IsZero() → true", "sign = 1 → left out", "sign - 1 → with +", "1 → 0"} {
		if !slices.Contains(all, want) || slices.Contains(alive, want) {
			t.Errorf("%s: it is no mutant, or survives", want)
		}
	}
	for _, want := range []string{"n > 0 && !at.IsZero() → the left side alone", "continue → left out", "i == n → with !="} {
		if !slices.Contains(alive, want) {
			t.Errorf("%s does not survive, though no test notices it", want)
		}
	}
	if slices.ContainsFunc(all, func(m string) bool { return strings.HasPrefix(m, "3") }) {
		t.Error("a constant is changed")
	}
}

func TestJudgedSurvivorsDoNotCount(t *testing.T) {
	m := []mutant{{1, "a.go", 3, "x", "y"}, {2, "a.go", 4, "z", "y"}}
	var out strings.Builder
	known := []judgement{{"a.go", "x", "y", "it changes no answer"}, {"b.go", "x", "y", "gone"}}
	if err := report(&out, m, m[:1], known, 95); err != nil {
		t.Error(err)
	}
	if want := "judged.txt: no such mutant any more: b.go ¦ x ¦ y\n"; !strings.Contains(out.String(), want) {
		t.Error(out.String())
	}
	if err := report(&out, m, m, known, 95); err == nil {
		t.Error("a mutant survives that is not judged, and nothing fails")
	}
}
