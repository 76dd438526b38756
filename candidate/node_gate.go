package candidate

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// Forever is the duration that never ends: a disruptAfter of "Never", and the protection of a pod that is annotated
// karpenter.sh/do-not-disrupt: "true".
const Forever time.Duration = math.MaxInt64

// NodeGate returns the blockers of the node itself when it is to be disrupted for a condition that must have held for
// disruptAfter (0 or less: at once; Forever: never). A node whose pods are not known is held back here, too. The
// caller's own blockers come last. The pods that are known, the pool's budgets and the zone are gates of their own.
//
// A node that is not Ready passes: replacing it may be what it needs. (Karpenter: StateNode.ValidateNodeDisruptable;
// disruptAfter is that of the disruption-controls-by-method RFC.)
//
// For Unhealthy more nodes pass, so that no broken node is stranded: do-not-disrupt does not hold it back, but do-not-repair does; nor
// does it matter whether a node that has registered ever was initialized, and whether it is nominated until then. What is
// tolerated still (a Since in the future) waits. (Karpenter: NewCandidate, Repair.ShouldDisrupt.)
func NodeGate(n Node, c Condition, disruptAfter time.Duration, now time.Time) []Blocker {
	var blockers []Blocker
	repair := Unhealthy.Covers(c.Reason)
	block := func(code, message string, until time.Time) {
		blockers = append(blockers, Blocker{Gate: GateNode, Code: code, Message: message, Until: until})
	}
	if now.IsZero() {
		blockers = append(blockers, noTime(GateNode))
	}
	if n.Pool == "" {
		block(CodeUnmanaged, "the node belongs to no pool", time.Time{})
	}
	switch {
	case n.Initialized || repair && n.Registered:
	case repair:
		block(CodeNotInitialized, "the node has not registered yet", time.Time{})
	default:
		block(CodeNotInitialized, "the node is not initialized yet", time.Time{})
	}
	if n.Rebooting {
		block(CodeRebooting, "the node is rebooting", time.Time{})
	}
	if n.Deleting || n.InstanceTerminating {
		message := "the node is already being disrupted"
		if n.DisruptedFor != "" {
			message += " for " + quote.Text(string(n.DisruptedFor))
		}
		block(CodeDeleting, message, time.Time{})
	}
	if stuck := repair && n.Registered && !n.Initialized; now.Before(n.NominatedUntil) && !now.IsZero() && !stuck {
		block(CodeNominated, "a pending pod is expected on the node", n.NominatedUntil)
	}
	switch {
	case n.DoNotRepair && repair:
		block(CodeDoNotRepair, `the node is annotated karpenter.sh/do-not-repair: "true"`, time.Time{})
		blockers[len(blockers)-1].ForGood = true
	case n.DoNotDisrupt && !repair:
		block(CodeDoNotDisrupt, `the node is annotated karpenter.sh/do-not-disrupt: "true"`, time.Time{})
		blockers[len(blockers)-1].ForGood = true
	}
	if repair && now.Before(c.Since) && !now.IsZero() {
		block(CodeTolerated, quote.Text(string(c.Reason))+" is still tolerated", c.Since)
	}
	if b, held := reasonHeld(c, disruptAfter, now); !held && !now.IsZero() {
		blockers = append(blockers, b)
	}
	if n.PodsUnknown {
		blockers = append(blockers, Blocker{
			Gate: GatePod, Code: CodePodsUnknown, Message: "the node's pods are unknown, so any of them may hold it back",
		})
	}
	return append(blockers, n.Blockers...)
}

// reasonHeld reports whether the condition has held for disruptAfter.
func reasonHeld(c Condition, disruptAfter time.Duration, now time.Time) (b Blocker, held bool) {
	if disruptAfter <= 0 {
		return b, true
	}
	b = Blocker{Gate: GateNode, Code: CodeDisruptAfter}
	reason := quote.Text(string(c.Reason))
	switch {
	case disruptAfter == Forever:
		b.Message = fmt.Sprintf("nodes of the pool are never disrupted for %s (disruptAfter or consolidationPolicy)", reason)
		b.ForGood = true
	case c.Since.IsZero():
		b.Message = fmt.Sprintf("%s must hold for %s (disruptAfter), but how long it has held is unknown", reason, duration.Text(disruptAfter))
	default:
		b.Until = c.Since.Add(disruptAfter)
		b.Message = fmt.Sprintf("%s must hold for %s (disruptAfter)", reason, duration.Text(disruptAfter))
		held = !now.Before(b.Until)
	}
	return b, held
}
