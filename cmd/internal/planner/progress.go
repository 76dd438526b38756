package planner

import (
	"fmt"
	"io"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A progress shows on a terminal how far the plan is, once that takes longer than a second; elsewhere, a line each ten seconds.
type progress struct {
	out       io.Writer
	terminal  bool
	clock     func() time.Time
	began     time.Time
	next      time.Time
	decisions int
	shown     bool
}

func newProgress(out io.Writer) *progress {
	_, terminal := tell.Terminal(out)
	p := &progress{out: out, terminal: terminal, clock: time.Now}
	p.began = p.clock()
	p.next = p.began.Add(time.Second)
	return p
}

// observe counts a decision.
func (p *progress) observe(in disruptkit.Input, _ disruptkit.Decision) {
	p.decisions++
	p.say(fmt.Sprintf("%s, %s", wording.Count(p.decisions, "decision"), in.Now.Format("Mon 2 Jan 15:04")))
}

// say shows what is being done, if it is time.
func (p *progress) say(text string) {
	now := p.clock()
	if now.Before(p.next) {
		return
	}
	p.shown = true
	if p.terminal {
		fmt.Fprintf(p.out, "\r%s\x1b[K", tell.Fit("planning: "+text, 1))
		p.next = now.Add(200 * time.Millisecond)
		return
	}
	fmt.Fprintf(p.out, "planning: %s\n", text)
	p.next = now.Add(10 * time.Second)
}

// done removes the line.
func (p *progress) done() {
	if p.shown && p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
