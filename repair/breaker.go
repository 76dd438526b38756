package repair

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Breaker stops the repair of a pool if more than a percentage of its nodes are unhealthy. The cause is then probably
// a bad image, network or zone, which new nodes do not fix. Karpenter's breaker is Breaker{Percent: 20}. The zero
// Breaker stops repair at the first unhealthy node.
type Breaker struct {
	Percent int // of the pool's nodes, 0 to 100; the limit rounds up, so that small pools can repair one node
}

// Blocker returns what blocks the repair of a pool, if the breaker has tripped. Nodes is the number of all Node
// objects with the pool's label, including those that are not initialized or are going away. Unhealthy is how many of
// them [Set.Unhealthy] reports, tolerated or not. (Karpenter: Repair.breakerTrippedPools.)
//
// The blocker is for repair only. So pass it to a decision as a verdict in disruptkit.Pool.Verdicts, not in
// Pool.Blockers, which apply to every reason:
//
//	probe.Verdict{Probe: "repair breaker", Allowed: true, Code: blocker.Code,
//		Denied: []probe.Denial{{Reason: candidate.Unhealthy, Cause: blocker.Message}}}
func (b Breaker) Blocker(nodes, unhealthy int) (blocker candidate.Blocker, blocked bool) {
	blocker = candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodeTooManyUnhealthy}
	if b.Percent < 0 || b.Percent > 100 {
		blocker.Code = candidate.CodeInvalidProbe
		blocker.Message = fmt.Sprintf("the repair breaker is invalid: percent: %d is out of range: write 0 to 100, "+
			"such as 20", b.Percent)
		return blocker, true
	}
	nodes = max(nodes, 0)
	most := nodes/100*b.Percent + (nodes%100*b.Percent+99)/100
	if unhealthy <= most {
		return candidate.Blocker{}, false
	}
	blocker.Message = fmt.Sprintf("%s of %d in the pool: repair stops above %d (%d %%)",
		wording.Count(unhealthy, "unhealthy node"), nodes, most, b.Percent)
	return blocker, true
}
