package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Patience says how long each method has to hold, or after how long its nodes are overdue. That of "" is for all
// others.
type Patience map[candidate.Reason]time.Duration

// Of returns what is said of a reason, or 0.
func (p Patience) Of(reason candidate.Reason) time.Duration {
	d, _ := p.find(reason)
	return d
}

// OrNever returns what is said of a reason, or candidate.Forever.
func (p Patience) OrNever(reason candidate.Reason) time.Duration {
	if d, ok := p.find(reason); ok {
		return d
	}
	return candidate.Forever
}

// Ever reports whether it is said of any reason, and is not candidate.Forever.
func (p Patience) Ever() bool {
	for _, d := range p {
		if d != candidate.Forever {
			return true
		}
	}
	return false
}

// find returns the duration for a reason, if there is one.
func (p Patience) find(reason candidate.Reason) (d time.Duration, ok bool) {
	if d, ok := p[reason.Method()]; ok {
		return d, true
	}
	d, ok = p[""]
	return d, ok
}
