package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEachRuleHasACodeOfItsOwnAndWords(t *testing.T) {
	rules := Rules()
	if len(rules) < 40 || !slices.IsSortedFunc(rules, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Errorf("%d rules", len(rules))
	}
	for i, r := range rules {
		if r.Code == "" || r.Means == "" || r.Example == "" || r.Do == "" || i > 0 && rules[i-1].Code == r.Code {
			t.Errorf("%+v", r)
		}
	}
}

// A rule that is missing in looks is found by nobody, and one that no test names may break without notice.
func TestEachCodeIsNamedAfterItselfAndHasARuleAndATest(t *testing.T) {
	var codes, ruled []string
	tests := read(t, "*_test.go") + read(t, "../*_test.go")
	for line := range strings.Lines(read(t, "codes.go")) {
		constant, code, found := strings.Cut(strings.TrimSpace(line), `= "`)
		if !found {
			continue
		}
		constant, code = strings.TrimSpace(constant), strings.TrimSuffix(code, `"`)
		codes = append(codes, code)
		if !strings.EqualFold(constant, "Code"+strings.ReplaceAll(code, "-", "")) {
			t.Errorf("the constant of %q is %s", code, constant)
		}
		if !strings.Contains(tests, constant) && !strings.Contains(tests, " "+code+" ") && !strings.Contains(tests, " "+code+":") {
			t.Errorf("no test names %s, %q", constant, code)
		}
	}
	for _, r := range Rules() {
		ruled = append(ruled, r.Code)
	}
	if slices.Sort(codes); !slices.Equal(codes, ruled) {
		t.Errorf("codes.go has %v, and the rules %v", codes, ruled)
	}
}

func read(t *testing.T, pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
