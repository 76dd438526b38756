package replay

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Recorder decides, and writes each decision as a line. It may be used by several goroutines. A nil Recorder only decides.
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

// Decide is disruptkit.Decide.
func (r *Recorder) Decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	d := disruptkit.Decide(in, reason)
	if r != nil {
		if err := r.record(in, d); err != nil {
			r.failed(fmt.Errorf("a decision is not recorded: %w", err))
		}
	}
	return d
}

// recorded begins the names of what a Recorder writes. Its decisions follow each other; other cases stand alone.
const recorded = "decision "

func (c Case) recorded() bool { return strings.HasPrefix(c.Name, recorded) }

func (r *Recorder) record(in disruptkit.Input, d disruptkit.Decision) error {
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
	if err = Print(r.to, c); err != nil {
		r.broken = true
		err = fmt.Errorf("%w; the recording ends here", err)
	}
	return err
}
