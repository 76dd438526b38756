package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/disruptkit/disruptkit/cmd/internal/tell"
)

// A View shows what is read again and again: a page on a terminal, which scrolls, or lines elsewhere.
type View struct {
	Fault string // why what is shown is stale; "": it is not
	Err   error  // of writing

	out     io.Writer
	zone    *time.Location
	page    page         // that is shown
	program *tea.Program // that shows pages; nil: lines are printed
	quit    func()
	ended   chan ending // of the program; nil: it has not begun
}

// An ending is what a program showed last, and why it could not go on.
type ending struct {
	last tea.Model
	err  error
}

// NewView returns the view of an output, which shows pages if that is wanted and the output is a terminal. Keys are read
// from an input if that is a terminal.
func NewView(in io.Reader, out io.Writer, zone *time.Location, pages bool) *View {
	v := &View{out: out, zone: zone, quit: func() {}}
	if _, ok := tell.Terminal(in); !ok {
		in = nil
	}
	if _, ok := tell.Terminal(out); ok && pages {
		v.program = tea.NewProgram(screen{}, tea.WithInput(in), tea.WithOutput(out))
	}
	return v
}

// Pages reports whether pages are shown, and no lines.
func (v *View) Pages() bool { return v.program != nil }

// Within returns a context that is done once another one is, or somebody ends the view by a key.
func (v *View) Within(ctx context.Context) context.Context {
	ctx, v.quit = context.WithCancel(ctx)
	return ctx
}

// Page shows a page in place of the last one.
func (v *View) Page(text string) {
	v.Fault = ""
	v.draw(page{text: text})
}

// draw draws a page. With the first one, the terminal is taken.
func (v *View) draw(p page) {
	if v.page = p; v.ended == nil {
		v.ended = make(chan ending, 1)
		go func() {
			last, err := v.program.Run()
			v.ended <- ending{last, err}
			v.quit()
		}()
	}
	v.program.Send(p)
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
	if v.program == nil {
		v.Line(now, "stale: "+fault)
		return
	}
	v.draw(page{v.page.text, "stale since " + now.Format("Mon 2 Jan 15:04:05") + ": " + fault})
}

func (v *View) note(err error) {
	if v.Err == nil {
		v.Err = err
	}
}

// Close gives a terminal back, and prints what was shown last, so that it can be read on.
func (v *View) Close() error {
	defer v.quit()
	if v.ended == nil {
		return v.Err
	}
	v.program.Quit()
	end := <-v.ended
	if v.ended = nil; !errors.Is(end.err, tea.ErrInterrupted) {
		v.note(end.err)
	}
	_, err := fmt.Fprint(v.out, end.last)
	v.note(err)
	return v.Err
}
