package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// A screen shows rolls on a terminal, redrawn in place.
type screen struct {
	out     io.Writer
	width   int
	colours bool
	sleep   func(time.Duration)
	drawn   int // lines on the terminal
}

const (
	frame       = 50 * time.Millisecond
	closedPause = 600 * time.Millisecond // for a closed window in which nothing is in flight
	leastWidth  = 80
)

// newScreen returns a screen, if the output is a terminal with room for the rolls.
func newScreen(out io.Writer, rolls []*history) (*screen, bool) {
	f, ok := tell.Terminal(out)
	if !ok {
		return nil, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width < leastWidth || height < screenHeight(rolls)+1 {
		return nil, false
	}
	return &screen{out: out, width: width, colours: tell.Colours(), sleep: time.Sleep}, true
}

// screenHeight is how many lines a frame has.
func screenHeight(rolls []*history) int { return 2 + len(rolls)*(4+len(zoneSizes)) }

// play shows the rolls side by side in time, from the start to the end of the longest.
func (s *screen) play(rolls []*history, speed time.Duration) error {
	step := time.Duration(speed.Seconds() * float64(frame))
	for now := rolls[0].start; ; {
		if err := s.draw(rolls, now); err != nil {
			return err
		}
		next, busy := upcoming(rolls, now)
		switch {
		case next.IsZero():
			_, err := io.WriteString(s.out, "\n")
			return err
		case busy:
			s.sleep(frame)
			now = now.Add(step)
		default:
			s.sleep(closedPause)
			now = next
		}
	}
}

// upcoming returns when anything next changes in any roll, zero if nothing does, and whether until then time is worth
// watching: the window is open somewhere, or nodes are in flight.
func upcoming(rolls []*history, now time.Time) (next time.Time, busy bool) {
	for _, h := range rolls {
		m := h.at(now)
		last := h.moments[len(h.moments)-1]
		if now.Before(last.at) {
			busy = busy || m.open || m.inFlight() > 0
		}
		for _, m := range h.moments {
			next = firstAfter(now, next, m.at)
		}
	}
	return next, busy
}

// draw replaces the last frame by that of a time.
func (s *screen) draw(rolls []*history, now time.Time) error {
	lines := []string{s.cut("", fmt.Sprintf("%s  %s", clock(now), legend))}
	for _, h := range rolls {
		lines = append(lines, s.roll(h, now)...)
	}
	var out strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", s.drawn)
	}
	for _, line := range lines {
		out.WriteString("\r" + line + "\x1b[K\n")
	}
	s.drawn = len(lines)
	_, err := io.WriteString(s.out, out.String())
	return err
}

const legend = "█ replaced  ▒ in flight  · to go  × held by a PDB or annotation"

// roll shows one roll: its zones, and what it waits for.
func (s *screen) roll(h *history, now time.Time) []string {
	m := h.at(now)
	lines := []string{"", s.cut("", h.title())}
	for _, z := range m.zones {
		lines = append(lines, s.zone(z, h.outage.hits(z.zone, now) && !now.After(h.end())))
	}
	return append(lines, s.cut("  ", h.status(m)))
}

// status says what the next node to go waits for.
func (h *history) status(m moment) string {
	switch {
	case m.says.Code != "":
		return "waits: " + told(m.says, h.start.Location())
	case m.inFlight() > 0:
		return "nothing to go: the last nodes are in flight"
	}
	return h.finish().text
}

// zone shows a zone, a character for each node.
func (s *screen) zone(z zoneState, out bool) string {
	most := 0
	for _, size := range zoneSizes {
		most = max(most, size.nodes)
	}
	bar := s.coloured(blue, "█", z.replaced) + s.coloured(orange, "▒", z.inFlight) + s.coloured(0, "·", z.toGo) +
		s.coloured(magenta, "×", z.blocked)
	text := fmt.Sprintf("%2d of %d, %d in flight", z.replaced, z.nodes, z.inFlight)
	if out {
		text = fmt.Sprintf("down, %d in flight", z.inFlight)
	}
	return fmt.Sprintf("  %s %s%*s %s", z.zone, bar, most-z.nodes, "", text)
}

// The colours of a terminal.
const (
	blue    = 34
	orange  = 33
	magenta = 35
)

func (s *screen) coloured(colour int, text string, n int) string {
	text = strings.Repeat(text, n)
	if !s.colours || colour == 0 || n == 0 {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// cut indents a text, and cuts it where the line ends: a line that wraps would not be redrawn in place.
func (s *screen) cut(indent, text string) string {
	text = indent + text
	if utf8.RuneCountInString(text) >= s.width {
		text = string([]rune(text)[:s.width-2]) + "…"
	}
	return text
}
