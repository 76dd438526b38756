package stray_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/stray"
)

func TestAMisspeltNameIsRecognised(t *testing.T) {
	fields := []string{"reasons", "nodes", "schedule", "duration", "timeZone", "to"}
	for _, c := range []struct{ rule, name, want string }{
		{"itself", "nodes", "nodes"},
		{"another case", "NODES", "nodes"},
		{"a blank at its end", "nodes ", "nodes"},
		{"hyphens", "time-zone", "timeZone"},
		{"underscores", "time_zone", "timeZone"},
		{"the singular", "reason", "reasons"},
		{"the plural", "schedules", "schedule"},
		{"a letter that is missing", "duraton", "duration"},
		{"a letter too many", "dduration", "duration"},
		{"another letter", "modes", "nodes"},
		{"neighbours that are swapped", "noeds", "nodes"},
		{"two faults in a long name", "shcedulee", "schedule"},
		{"two faults in a short name", "nds", ""},
		{"nothing in common", "x", ""},
		{"nothing", "", ""},
		{"only blanks", "  ", ""},
	} {
		if got := stray.Nearest(c.name, fields); got != c.want {
			t.Errorf("%s: %q is taken for %q, want %q", c.rule, c.name, got, c.want)
		}
	}
}

func TestANameBetweenTwoIsNotRecognised(t *testing.T) {
	for _, known := range [][]string{{"cord", "card"}, {"card", "cord"}, {"card", "cord", "cold"}} {
		if got := stray.Nearest("curd", known); got != "" {
			t.Errorf("among %v it is taken for %q", known, got)
		}
	}
	for _, known := range [][]string{{"cordd", "cards", "curd"}, {"curd", "cards"}, {"curt", "cart", "curd"}} {
		if got := stray.Nearest("Curd", known); got != "curd" {
			t.Errorf("among %v it is taken for %q", known, got)
		}
	}
}

// A slow, obvious search: whatever the order of the names, the result is the only one with the fewest edits.
func TestTheNearestDoesNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{1,6}`)
		known := rapid.SliceOfNDistinct(word, 1, 5, rapid.ID[string]).Draw(t, "known")
		name := word.Draw(t, "name")
		want := stray.Nearest(name, known)
		slices.Reverse(known)
		if got := stray.Nearest(name, known); got != want {
			t.Errorf("%q, then %q", want, got)
		}
		if slices.Contains(known, name) && want != name {
			t.Errorf("a known name is taken for %q", want)
		}
	})
}
