package decide

import (
	"fmt"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
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
	t.repaired = true
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

// repairFoot says by which policies nodes are repaired.
func (t *table) repairFoot() string {
	return "\n" + tell.Wrap(fmt.Sprintf("Unhealthy nodes are repaired by these policies (--repair names others): %s. A node is due SINCE the end of "+
		"what its policy tolerates; the most urgent comes first. A node that is not Ready uses up what may be disrupted for every reason but Unhealthy. "+
		"Karpenter repairs nodes only where its feature gate NodeRepair is on; after two reboots in a day it replaces a node.",
		manifest.DescribePolicies(t.answer.policies)), "") + "\n"
}
