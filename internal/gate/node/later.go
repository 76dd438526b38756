package node

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// clock is the clock of nodes. What holds back a node itself has the time when it lifts, if it is known. That the node
// goes already for another of its reasons has none: by the time that could change, the node is gone.
type clock struct{}

// Later begins the second reading.
func (g *Gate) Later(gate.Others) gate.CountingClock { return clock{} }

func (clock) Lifts(_ *gate.Request, said []candidate.Blocker, c *gate.Chances) []candidate.Blocker {
	c.Lift(said)
	return said
}

// Ends and Room tell of no end: a node takes no place that another one could take.
func (clock) Ends(*gate.Request) (never time.Time)            { return never }
func (clock) Room(*gate.Request) (never time.Time, room bool) { return never, true }
func (clock) Goes(*gate.Request, time.Time)                   {}
func (clock) Comes(*gate.Request, *gate.Chances)              {}
func (clock) NextChange() (never time.Time)                   { return never }

// Foresee says nothing: a node for which several reasons come is counted once where that matters, in the queues of
// places.
func (clock) Foresee(*gate.Request, time.Time, *gate.Chances) (none []candidate.Blocker) {
	return none
}
