package replay

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Recorder writes decisions as lines. It may be used by several goroutines. A nil Recorder writes nothing.
type Recorder struct {
	mu     sync.Mutex
	to     io.Writer
	failed func(error)
	next   int
	broken bool
}

// NewRecorder returns a Recorder that writes to a writer. It tells failed what it cannot record. After the first write that fails it writes
// nothing more, since half a line may be there. No decision is another because of it.
func NewRecorder(to io.Writer, failed func(error)) *Recorder {
	return &Recorder{to: to, failed: failed}
}

// Decide is disruptkit.Decide, and records the decision.
func (r *Recorder) Decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	d := disruptkit.Decide(in, reason)
	r.record(in, d, false)
	return d
}

// Record records the decision of a session, in which the caller chose what to disrupt.
func (r *Recorder) Record(in disruptkit.Input, d disruptkit.Decision) { r.record(in, d, true) }

// recorded begins the names of what a Recorder writes. Its decisions follow each other; other cases stand alone.
const recorded = "decision "

func (c Case) recorded() bool { return strings.HasPrefix(c.Name, recorded) }

func (r *Recorder) record(in disruptkit.Input, d disruptkit.Decision, session bool) {
	if r == nil {
		return
	}
	if err := r.write(in, d, session); err != nil {
		r.failed(fmt.Errorf("a decision is not recorded: %w", err))
	}
}

func (r *Recorder) write(in disruptkit.Input, d disruptkit.Decision, session bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		return nil
	}
	r.next++
	c, err := New(fmt.Sprint(recorded, r.next), in, d)
	if err != nil {
		return err
	}
	c.Session = session
	if err = Print(r.to, c); err != nil {
		r.broken = true
		err = fmt.Errorf("%w; the recording ends here", err)
	}
	return err
}
