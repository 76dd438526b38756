package tell

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func TestWhatDoesNotFitOnAScreenIsCutAndSaid(t *testing.T) {
	page := "one\ntwo is long\nthree\nfour\n"
	for _, test := range []struct {
		apart          string
		columns, lines int
		want           string
	}{
		{"", 80, 24, "one|two is long|three|four"},
		{"", 80, 4, "one|two is long|three|four"},
		{"", 6, 24, "one|two i…|three|four"},
		{"", 80, 3, "one|two is long|… 2 more lines: make the window higher, or ask for less"},
		{"stale", 80, 24, "one|two is long|three|four|stale"},
		{"stale", 80, 4, "one|two is long|… 2 more lines: make the window higher, or ask for less|stale"},
		{"stale", 80, 1, "… 4 more lines: make the window higher, or ask for less|stale"},
	} {
		if got := strings.Join(fitted(page, test.apart, test.columns, test.lines), "|"); got != test.want {
			t.Errorf("%q, %d × %d: %s, want %s", test.apart, test.columns, test.lines, got, test.want)
		}
	}
}

// What a terminal is sent: each page begins at the top, and clears what it does not overwrite. In the end, the last one is printed.
func TestAScreenIsDrawnInPlaceAndGivenBack(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Screen{out: w, size: func() (int, int) { return 80, 24 }}
	for i := range 2 {
		if err := s.Draw(fmt.Sprintf("page %d\nof two\n", i+1), ""); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second one does nothing
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	got, err := io.ReadAll(r)
	want := enter + home + "page 1" + restOfLine + "\r\nof two" + restOfLine + restOf +
		home + "page 2" + restOfLine + "\r\nof two" + restOfLine + restOf + leave + "page 2\nof two\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%q, want\n%q", err, got, want)
	}
	if _, ok := NewScreen(w); ok {
		t.Error("a pipe is no terminal")
	}
}

// A new one says that it has 0 columns and lines, until its window has a size.
func TestATerminalThatDoesNotKnowItsSizeIsNotTooSmallForAnything(t *testing.T) {
	t.Setenv("TERM", "xterm")
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	s, ok := NewScreen(terminal)
	if !ok {
		t.Skip("it is no terminal here")
	}
	if columns, lines := s.size(); columns != usualWidth || lines != 24 {
		t.Errorf("%d × %d", columns, lines)
	}
	stdout := os.Stdout
	os.Stdout = terminal
	defer func() { os.Stdout = stdout }()
	if text := strings.Repeat("word ", 20); Wrap(text, "") != text {
		t.Error("it is not as wide as is usual")
	}
}
