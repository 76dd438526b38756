package naive

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// node returns the gates and codes of the blockers of a node itself, for a condition that must hold for a time first,
// and a node that must have an age.
func node(n candidate.Node, c candidate.Condition, least candidate.Minimum, now time.Time) (codes []string) {
	block := func(holds bool, code string) {
		if holds {
			codes = append(codes, code)
		}
	}
	repair, joined := c.Reason.Method() == "Unhealthy" && c.Because == "", !n.Phase.Joining()
	nominated := now.Before(n.NominatedUntil)
	if repair && n.Phase == candidate.Registered { // it is stranded: only repair helps
		joined, nominated = true, false
	}
	block(n.Name == "", "node/no-name")
	block(n.Pool == "", "node/unmanaged")
	block(!n.Phase.Known(), "node/unknown-phase")
	block(!joined, "node/not-initialized")
	block(n.Rebooting, "node/rebooting")
	block(n.Leaving != candidate.Staying, "node/deleting")
	block(nominated, "node/nominated")
	block(c.Reason.Method() == "Unhealthy" && n.DoNotRepair, "node/do-not-repair")
	if repair {
		block(now.Before(c.Since), "node/tolerated")
	} else {
		block(n.DoNotDisrupt, "node/do-not-disrupt")
	}
	short := func(since time.Time, least time.Duration) bool {
		return least > 0 && (least == candidate.Forever || since.IsZero() || now.Sub(since) < least)
	}
	block(c.Bound != nil && *c.Bound < 0, "node/negative")
	block(short(c.Since, least.Held), "node/disrupt-after")
	block(short(n.Created, least.Age), "node/too-young")
	block(n.PodsUnknown, "pod/pods-unknown")
	for _, b := range n.Blockers {
		codes = append(codes, string(b.Gate)+"/"+string(b.Code))
	}
	return codes
}
