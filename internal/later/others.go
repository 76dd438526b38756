package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// others is what the clock of a gate may ask about the other gates.
type others struct {
	*Reading
	gate int // which is not asked
}

// Free reports whether all others let a request go at a time, as far as is known.
func (o others) Free(r *gate.Request, at time.Time) bool {
	for i := range o.gates {
		if i != o.gate && len(o.gates[i].Foresee(r, at, &o.chances)) > 0 {
			return false
		}
	}
	return true
}

// Tied reports whether requests of a scope compete at others.
func (o others) Tied(s gate.Scope) bool {
	for i := range o.gates {
		if q := o.gates[i].queue; q != nil && i != o.gate && q.Ties(s) != gate.Untied {
			return true
		}
	}
	return false
}

// Holds reports whether others hold back a request from which this gate excuses it, and until when. Zero is never.
func (o others) Holds(r *gate.Request) (end time.Time, holds bool) {
	for i := range o.gates {
		g := &o.gates[i]
		if i == o.gate || g.Waiver == nil || g.WaiverAt != o.gate {
			continue
		}
		if said := g.Judge(r); len(said) > 0 {
			at, lifts := candidate.LiftsAt(said)
			if !lifts {
				return time.Time{}, true
			}
			end, holds = until.Latest(end, at), true
		}
	}
	return end, holds
}
