package tell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLinesAreAsWideAsTheTerminal(t *testing.T) {
	text := strings.Repeat("some words to be broken ", 40)
	for _, columns := range []int{narrowest, 80, LineWidth, widest} {
		got := wrap(text, "  ", columns)
		if strings.Join(strings.Fields(got), " ") != strings.TrimSpace(text) {
			t.Errorf("%d columns: %q", columns, got)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d of %d columns: %q", n, columns, line)
			}
		}
	}
	if got, want := wrap("▁▂▃▄▅▆▇█: few to many", "", 16), "▁▂▃▄▅▆▇█: few to\nmany"; got != want {
		t.Errorf("characters of several bytes: %q, want %q", got, want)
	}
	if wrap(text, "", 80) == wrap(text, "", 100) {
		t.Error("the width makes no difference")
	}
}

// What comes after a word that is wider than a line is wrapped all the same.
func TestAWordThatIsTooLongTakesALineOfItsOwn(t *testing.T) {
	long := strings.Repeat("x", 30)
	for text, want := range map[string]string{
		long + " and what comes after it":          long + "\n  and what comes\n  after it",
		"see " + long + " and what comes after it": "see\n  " + long + "\n  and what comes\n  after it",
		long + " " + long:                          long + "\n  " + long,
		"  " + long:                                "  " + long,
	} {
		if got := wrap(text, "  ", 16); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
