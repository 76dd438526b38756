package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table has each code that a finding can have, in order, and no other.
func TestEachCodeHasARuleWithWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?m)^\t\{"([a-z-]+)", Severity|Code[\w.,: ]*=? ?"([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
			want = append(want, m[1]+m[2])
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	for _, r := range Rules() {
		if got = append(got, r.Code); r.Means == "" || r.Example == "" || r.Do == "" {
			t.Errorf("%+v", r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
