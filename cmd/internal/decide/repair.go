package decide

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/repair"
)

// repair returns what is to be done with a candidate that is unhealthy, if it is one for that.
func (a answer) repair(c candidate.Candidate) (r repair.Result, ok bool) {
	if candidate.Unhealthy.Covers(c.Reason) {
		r, ok = a.repairs[c.Node]
	}
	return r, ok
}

// why returns what a reason says beyond the one asked for: of a node that is unhealthy, its condition.
func (t *table) why(d disruptkit.Decision, c candidate.Candidate) string {
	r, ok := t.repair(c)
	switch {
	case c.Because != "":
		return becauseOf(c)
	case !ok:
		return child(d, c.Reason)
	}
	return r.Cause.String()
}

// how returns how a node is repaired, and nothing for other reasons.
func (t *table) how(c candidate.Candidate) string {
	r, ok := t.repair(c)
	if !ok {
		return ""
	}
	text := string(r.Action)
	switch {
	case r.Bound != nil && *r.Bound == 0:
		text += " without a drain"
	case r.Bound != nil:
		text += ", drained for " + wording.Duration(*r.Bound) + " at the most"
	}
	return text
}
