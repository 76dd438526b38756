package follow

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// A page is a text to be shown, and why it is stale; "": it is not.
type page struct{ text, stale string }

// A screen shows as much of a page as a terminal has lines for, and scrolls through the rest. The last line says where
// it is, and what the keys do.
type screen struct {
	page
	lines         []string // of the text
	columns, rows int
	top           int // how many lines are above
}

// Init does nothing: the first page comes as all others do.
func (s screen) Init() tea.Cmd { return nil }

// Update takes a new page, a new size or a key. A new page is drawn anew: kubectl may have written over the last one.
func (s screen) Update(msg tea.Msg) (_ tea.Model, then tea.Cmd) {
	switch msg := msg.(type) {
	case page:
		s.page, s.lines, then = msg, strings.Split(strings.TrimRight(msg.text, "\n"), "\n"), tea.ClearScreen
	case tea.WindowSizeMsg:
		s.columns, s.rows = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "ctrl+c":
			return s, tea.Quit
		case "ctrl+z":
			return s, tea.Suspend
		case "up", "k":
			s.top--
		case "down", "j":
			s.top++
		case "pgup", "b":
			s.top -= s.room()
		case "pgdown", "space":
			s.top += s.room()
		case "home", "g":
			s.top = 0
		case "end", "G":
			s.top = len(s.lines)
		}
	}
	s.top = max(0, min(s.top, len(s.lines)-s.room()))
	return s, then
}

// room returns how many lines of the page fit: all, until the size is known.
func (s screen) room() int {
	if s.rows == 0 {
		return len(s.lines)
	}
	return max(1, s.rows-1)
}

// shown returns the lines of the page that are shown.
func (s screen) shown() []string { return s.lines[s.top:min(len(s.lines), s.top+s.room())] }

// String returns what is shown as it is printed in the end, so that it can be read on.
func (s screen) String() string {
	text := strings.Join(s.shown(), "\n") + "\n"
	if s.stale != "" {
		text += s.stale + "\n"
	}
	return text
}

// View returns what is shown, once the size is known. A line that is too wide is cut.
func (s screen) View() tea.View {
	if s.rows == 0 {
		return tea.View{AltScreen: true}
	}
	shown := s.shown()
	lines := make([]string, s.room(), s.room()+1)
	copy(lines, shown)
	lines = append(lines, s.foot(len(shown)))
	for i, line := range lines {
		lines[i] = tell.Cut(line, s.columns)
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}

// foot returns the last line.
func (s screen) foot(shown int) string {
	var texts []string
	if s.stale != "" {
		texts = append(texts, s.stale)
	}
	if shown < len(s.lines) {
		texts = append(texts, fmt.Sprintf("lines %d to %d of %d", s.top+1, s.top+shown, len(s.lines)), "↑ ↓ PgUp PgDn g G scroll")
	}
	return strings.Join(append(texts, "q ends"), " · ")
}
