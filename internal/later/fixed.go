package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// fixed is the clock of a gate whose answers do not depend on what goes. Its blockers already hold the times when they lift.
type fixed struct{}

func (fixed) until(_ *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker {
	c.lift(said)
	return said
}

func (fixed) end(*gate.Request) (never time.Time)                                 { return never }
func (fixed) room(*gate.Request) (end time.Time, room bool)                       { return end, true }
func (fixed) after(*gate.Request, time.Time, *chances) (none []candidate.Blocker) { return none }
func (fixed) goes(*gate.Request, time.Time)                                       {}
func (fixed) comes(*gate.Request, *chances)                                       {}
func (fixed) next() (never time.Time)                                             { return never }

// signals is the clock of probes, breakers and pauses. Answers go stale, and pauses begin and end.
type signals struct {
	fixed
	row *gate.Row
}

func newSignals(row *gate.Row) signals { return signals{row: row} }

func (s signals) next() (next time.Time) {
	for v := range s.row.Signals.All() {
		next = until.First(next, v.NextChange(s.row.Now))
	}
	for _, p := range s.row.Signals.AllPauses() {
		_, change := p.State(s.row.Now)
		next = until.First(next, change)
	}
	return next
}

// end returns when the first pause begins that concerns the request.
func (s signals) end(r *gate.Request) (end time.Time) {
	for p := range s.row.Signals.Pauses(r) {
		if _, change := p.State(s.row.Now); !change.IsZero() {
			end = until.First(end, change)
		}
	}
	return end
}

// after returns the pauses that will have begun by a later time, and hold then.
func (s signals) after(r *gate.Request, at time.Time, _ *chances) (after []candidate.Blocker) {
	for p := range s.row.Signals.Pauses(r) {
		holds, _ := p.State(at)
		if begins := p.From.After(s.row.Now); holds && begins {
			b := p.Blocker()
			b.Message, b.Later = "after that, "+b.Message, true
			after = append(after, b)
		}
	}
	return after
}
