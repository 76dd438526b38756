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

func (fixed) end(*gate.Request) (never time.Time)                       { return never }
func (fixed) room(*gate.Request) (end time.Time, room bool)             { return end, true }
func (fixed) after(*gate.Request, time.Time) (none []candidate.Blocker) { return none }
func (fixed) goes(*gate.Request, time.Time)                             {}
func (fixed) comes(*gate.Request, *chances)                             {}
func (fixed) next() (never time.Time)                                   { return never }

// signals is the clock of probes and breakers. Their answers go stale.
type signals struct {
	fixed
	row *gate.Row
}

func newSignals(row *gate.Row) signals { return signals{row: row} }

func (s signals) next() (next time.Time) {
	for v := range s.row.Signals.All() {
		next = until.First(next, v.NextChange(s.row.Now))
	}
	return next
}
