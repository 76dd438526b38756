package follow

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

// keys are what people press, and what the terminal says then.
var keys = map[string]tea.KeyPressMsg{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome},
	"end": {Code: tea.KeyEnd}, "space": {Code: ' ', Text: " "}, "j": {Code: 'j', Text: "j"}, "k": {Code: 'k', Text: "k"}, "b": {Code: 'b', Text: "b"},
	"g": {Code: 'g', Text: "g"}, "G": {Code: 'G', Text: "G", ShiftedCode: 'G', Mod: tea.ModShift}, "q": {Code: 'q', Text: "q"},
	"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl}, "x": {Code: 'x', Text: "x"},
}

// after returns a screen of some lines after messages.
func after(s screen, messages ...tea.Msg) screen {
	for _, m := range messages {
		next, _ := s.Update(m)
		s = next.(screen)
	}
	return s
}

// numbered returns a page of lines.
func numbered(n int) page {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return page{text: b.String()}
}

func TestKeysScroll(t *testing.T) {
	for _, test := range []struct{ keys, first, last, foot string }{
		{"", "line 1", "line 9", "lines 1 to 9 of 30 · ↑ ↓ PgUp PgDn g G scroll · q ends"},
		{"down down j", "line 4", "line 12", "lines 4 to 12 of 30"},
		{"down up up k", "line 1", "line 9", "lines 1 to 9 of 30"},
		{"pgdown", "line 10", "line 18", "lines 10 to 18 of 30"},
		{"space pgdown pgdown space", "line 22", "line 30", "lines 22 to 30 of 30"},
		{"G", "line 22", "line 30", "lines 22 to 30 of 30"},
		{"end k pgup b", "line 3", "line 11", "lines 3 to 11 of 30"},
		{"G g", "line 1", "line 9", ""},
		{"end home x", "line 1", "line 9", ""},
	} {
		s := after(screen{}, tea.WindowSizeMsg{Width: 60, Height: 10}, numbered(30))
		for _, key := range strings.Fields(test.keys) {
			s = after(s, keys[key])
		}
		lines := strings.Split(s.View().Content, "\n")
		if len(lines) != 10 || lines[0] != test.first || lines[8] != test.last || !strings.HasPrefix(lines[9], test.foot) {
			t.Errorf("%s: %q", test.keys, lines)
		}
	}
	for key, want := range map[string]tea.Msg{"q": tea.QuitMsg{}, "ctrl+c": tea.QuitMsg{}, "ctrl+z": tea.SuspendMsg{}} {
		if _, then := (screen{}).Update(keys[key]); then == nil || then() != want {
			t.Errorf("%s does not end or suspend it", key)
		}
	}
}

// Whatever comes, a screen has as many lines as the terminal, none of them wider; it shows a part of the page that is full
// if the page has so many lines, and a new page leaves it where it is.
func TestAScreenIsAlwaysFullAndWithinThePage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := screen{}
		for range rapid.IntRange(1, 20).Draw(t, "messages") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				s = after(s, tea.WindowSizeMsg{Width: rapid.IntRange(1, 100).Draw(t, "columns"), Height: rapid.IntRange(1, 30).Draw(t, "rows")})
			case 1:
				top := s.top
				p := numbered(rapid.IntRange(0, 60).Draw(t, "lines"))
				if s = after(s, p); s.rows > 1 && len(s.lines) >= top+s.room() && s.top != top {
					t.Fatalf("a new page moves it from line %d to %d", top, s.top)
				}
			default:
				name := rapid.SampledFrom([]string{"up", "down", "pgup", "pgdown", "home", "end", "g", "G", "j", "k", "b", "space"}).Draw(t, "key")
				s = after(s, keys[name])
			}
			if s.rows == 0 {
				continue
			}
			lines := strings.Split(s.View().Content, "\n")
			if len(lines) != max(2, s.rows) {
				t.Fatalf("%d lines on %d rows", len(lines), s.rows)
			}
			for _, line := range lines {
				if n := len([]rune(line)); n > max(1, s.columns) {
					t.Fatalf("%d of %d columns: %q", n, s.columns, line)
				}
			}
			if len(s.lines) >= s.room() && s.top+s.room() > len(s.lines) || s.top < 0 {
				t.Fatalf("line %d of %d is the first of %d", s.top, len(s.lines), s.room())
			}
		}
	})
}

// kubectl writes its warnings to the same terminal.
func TestANewPageIsDrawnOverWhatOthersHaveWritten(t *testing.T) {
	if _, then := (screen{}).Update(numbered(2)); then == nil || then() != tea.ClearScreen() {
		t.Error("it is not")
	}
}

func TestAStalePageSaysSoWhereverItIs(t *testing.T) {
	p := numbered(30)
	p.stale = "stale since Fri 20 Nov 10:30:00: connection refused"
	s := after(screen{}, tea.WindowSizeMsg{Width: 120, Height: 10}, p, keys["G"])
	if got := s.View().Content; !strings.HasSuffix(got, "\nstale since Fri 20 Nov 10:30:00: connection refused · lines 22 to 30 of 30 · ↑ ↓ PgUp PgDn g G scroll · q ends") {
		t.Error(got)
	}
	if got := s.String(); !strings.HasPrefix(got, "line 22\n") || !strings.HasSuffix(got, "line 30\n"+p.stale+"\n") {
		t.Errorf("printed: %q", got)
	}
}
