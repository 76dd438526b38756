package repair

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Breaker stops the repair of a pool in which more than some percentage of the nodes are unhealthy: a bad image, a network or a
// zone that is down, and nothing that new nodes would mend. Karpenter's is Breaker{Percent: 20}. The zero Breaker stops it at the
// first unhealthy node.
type Breaker struct {
	Percent int // from 0 to 100, of the pool's nodes; it rounds up, so that in a small pool one unhealthy node can be repaired
}

// Blocker returns what holds the repair of a pool back, if it does. Count all Node objects that have the label of the pool,
// whatever their state: also those that are not initialized, and those that go. Unhealthy are those of which [Set.Unhealthy] says
// so, tolerated or not. (Karpenter: Repair.breakerTrippedPools.)
//
// It is for repair alone, so it goes into a decision as what a signal says of the pool (disruptkit.Pool.Verdicts), not as one of
// Pool.Blockers, which hold for every reason:
//
//	probe.Verdict{Probe: "repair breaker", Allowed: true, Code: blocker.Code,
//		Denied: []probe.Denial{{Reason: candidate.Unhealthy, Cause: blocker.Message}}}
func (b Breaker) Blocker(nodes, unhealthy int) (blocker candidate.Blocker, blocked bool) {
	blocker = candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodeTooManyUnhealthy}
	if b.Percent < 0 || b.Percent > 100 {
		blocker.Code = candidate.CodeInvalidProbe
		blocker.Message = fmt.Sprintf("the breaker of repair is broken: percent: %d is out of range: write 0 to 100, such as 20", b.Percent)
		return blocker, true
	}
	nodes = max(nodes, 0)
	most := nodes/100*b.Percent + (nodes%100*b.Percent+99)/100
	if unhealthy <= most {
		return candidate.Blocker{}, false
	}
	blocker.Message = fmt.Sprintf("%d of the pool's %d nodes are unhealthy: with more than %d (%d %%) none is repaired", unhealthy, nodes, most, b.Percent)
	return blocker, true
}
