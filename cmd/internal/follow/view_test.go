package follow

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// drawn is a view whose terminal is in memory: what is typed, and what it is sent.
func drawn(t *testing.T) (v *View, typed io.Writer, sent *bytes.Buffer) {
	t.Helper()
	in, typed := io.Pipe()
	t.Cleanup(func() { in.Close() })
	sent = &bytes.Buffer{}
	v = NewView(nil, sent, time.UTC, true)
	v.program = tea.NewProgram(screen{}, tea.WithInput(in), tea.WithOutput(sent), tea.WithWindowSize(40, 6), tea.WithoutSignals())
	return v, typed, sent
}

// What a terminal does: it keeps what it shows, and gives it back.
const enter, leave = "\x1b[?1049h", "\x1b[?1049l"

func TestAKeyEndsAViewAndWhatItShowedIsPrinted(t *testing.T) {
	for _, key := range []string{"q", "\x03"} {
		v, typed, sent := drawn(t)
		ctx := v.Within(t.Context())
		v.Page(numbered(3).text)
		v.Page(numbered(20).text)
		v.Stale("connection refused\nwrite -f FILE")
		if _, err := io.WriteString(typed, key); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second):
			t.Fatalf("%q does not end it", key)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		screens, printed, given := strings.Cut(sent.String(), leave)
		_, printed, _ = strings.Cut(printed, "line 1\n")
		if !given || !strings.Contains(screens, enter) || !strings.HasPrefix(printed, "line 2\nline 3\n") || !strings.HasSuffix(printed, ": connection refused\n") {
			t.Errorf("%q", sent)
		}
		if err := v.Close(); err != nil || strings.Count(sent.String(), leave) != 1 {
			t.Errorf("a second Close does something: %v %q", err, sent)
		}
	}
}

func TestAViewEndsWithTheContext(t *testing.T) {
	v, _, sent := drawn(t)
	outer, stop := context.WithCancel(t.Context())
	ctx := v.Within(outer)
	v.Page("one\n")
	stop()
	<-ctx.Done()
	if err := v.Close(); err != nil || !strings.HasSuffix(sent.String(), "one\n") {
		t.Errorf("%v %q", err, sent)
	}
}

// A pipe is no terminal, and nothing is taken that has to be given back.
func TestWithoutATerminalLinesArePrinted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	v := NewView(os.Stdin, w, time.UTC, true)
	if v.Pages() {
		t.Fatal("a pipe shows pages")
	}
	v.Line(time.Date(2026, 11, 2, 10, 30, 0, 0, time.UTC), "web: 1 of 2")
	v.Line(time.Time{}, "more")
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	w.Close()
	if got, _ := io.ReadAll(r); string(got) != "Mon 2 Nov 10:30   web: 1 of 2\n                  more\n" {
		t.Errorf("%q", got)
	}
}
