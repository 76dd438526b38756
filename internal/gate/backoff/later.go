package backoff

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// A back-off begins when a replacement fails, not when time passes. Its end is the time of its blocker.

// Ends returns no time.
func (g *Gate) Ends(*gate.Request) (never time.Time) { return never }

// Foresee returns nothing.
func (g *Gate) Foresee(*gate.Request, time.Time, *gate.Chances) (none []candidate.Blocker) {
	return none
}

// NextChange returns no time: the time of the blocker is taken into account with all others.
func (g *Gate) NextChange() (never time.Time) { return never }
