package lint

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The table has each code of codes.go, in its order, and no other.
func TestEachCodeHasARuleWithWords(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`Code\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	for _, r := range Rules() {
		if got = append(got, r.Code); r.Means == "" || r.Example == "" || r.Do == "" {
			t.Errorf("%+v", r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
