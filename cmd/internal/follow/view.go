package follow

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// A View shows what is read again and again: a page in place on a terminal, or lines elsewhere.
type View struct {
	Fault string // why what is shown is stale; "": it is not
	Err   error  // of writing

	out    io.Writer
	zone   *time.Location
	screen *tell.Screen // nil: lines are printed
	page   string       // that is shown
}

// NewView returns the view of an output, which shows pages if that is wanted and the output is a terminal.
func NewView(out io.Writer, zone *time.Location, pages bool) *View {
	v := &View{out: out, zone: zone}
	if screen, ok := tell.NewScreen(out); ok && pages {
		v.screen = screen
	}
	return v
}

// Pages reports whether pages are shown, and no lines.
func (v *View) Pages() bool { return v.screen != nil }

// Page shows a page in place of the last one.
func (v *View) Page(text string) {
	v.page, v.Fault = text, ""
	v.note(v.screen.Draw(text, ""))
}

// Line prints a line with a time, or one that belongs to the line before.
func (v *View) Line(at time.Time, text string) {
	const layout = "Mon 2 Jan 15:04"
	begin := strings.Repeat(" ", len("Fri 20 Nov 10:30"))
	if !at.IsZero() {
		begin = fmt.Sprintf("%*s", -len(begin), at.Format(layout))
	}
	_, err := fmt.Fprintf(v.out, "%s  %s\n", begin, text)
	v.note(err)
}

// Stale reports why there is nothing new, once, by the first line of an error: the others say what to do about a first reading.
func (v *View) Stale(fault string) {
	fault, _, _ = strings.Cut(fault, "\n")
	if fault == v.Fault {
		return
	}
	v.Fault = fault
	now := time.Now().In(v.zone)
	if v.screen == nil {
		v.Line(now, "stale: "+fault)
		return
	}
	v.note(v.screen.Draw(v.page, "stale since "+now.Format("Mon 2 Jan 15:04:05")+": "+fault))
}

func (v *View) note(err error) {
	if v.Err == nil {
		v.Err = err
	}
}

// Close gives a terminal back.
func (v *View) Close() error {
	if v.screen == nil {
		return v.Err
	}
	v.note(v.screen.Close())
	return v.Err
}
