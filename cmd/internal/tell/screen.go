package tell

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A Screen shows one page on a terminal, and the next one in its place.
type Screen struct {
	out  *os.File
	size func() (columns, lines int)
	last string // that was drawn
}

// NewScreen returns the screen of an output, if it is a terminal that can show one. Close gives it back.
func NewScreen(out io.Writer) (s *Screen, ok bool) {
	f, ok := Terminal(out)
	if !ok {
		return nil, false
	}
	return &Screen{out: f, size: func() (int, int) {
		if columns, lines, known := size(f); known {
			return columns, lines
		}
		return usualWidth, 24
	}}, true
}

// What a terminal does: it keeps what it shows, and gives it back; it moves to the top; it clears the rest of a line, or of the screen.
const (
	enter, leave       = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
	home               = "\x1b[H"
	restOfLine, restOf = "\x1b[K", "\x1b[J"
)

// Draw shows a page. What does not fit is cut, and the last line says so. A last line of the page that is apart from it, such as why
// it is old, always fits.
func (s *Screen) Draw(page, apart string) error {
	columns, lines := s.size()
	begin := home
	if s.last == "" {
		begin = enter + home
	}
	shown := fitted(page, apart, columns, lines)
	s.last = strings.TrimRight(page, "\n") + "\n"
	if apart != "" {
		s.last += apart + "\n"
	}
	_, err := io.WriteString(s.out, begin+strings.Join(shown, restOfLine+"\r\n")+restOfLine+restOf)
	return err
}

// fitted returns the lines of a page that fit.
func fitted(page, apart string, columns, lines int) []string {
	all := strings.Split(strings.TrimRight(page, "\n"), "\n")
	var end []string
	if apart != "" {
		end = []string{apart}
	}
	room := max(lines-len(end), 1)
	if more := len(all) - room; more > 0 {
		all = append(all[:room-1:room-1], fmt.Sprintf("… %d more lines: make the window higher, or ask for less", more+1))
	}
	all = append(all, end...)
	for i, line := range all {
		all[i] = Cut(line, columns)
	}
	return all
}

// Close gives the terminal back as it was, and prints what was drawn last, so that it can be read on.
func (s *Screen) Close() error {
	if s.last == "" {
		return nil
	}
	_, err := io.WriteString(s.out, leave+s.last)
	s.last = ""
	return err
}
