package candidate

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// Forever is a duration without end: a disruptAfter of "Never", or the protection of a pod annotated
// karpenter.sh/do-not-disrupt: "true".
const Forever time.Duration = math.MaxInt64

// A Minimum is what must have passed before a node may go for a reason. Of each duration, 0 or less asks for nothing,
// and Forever means never. A time that is unknown (zero) is too short. budget.Set has the minimum of a pool:
// DisruptAfter and MinAge.
type Minimum struct {
	Held time.Duration // how long the reason has held, by Condition.Since (by-method RFC: disruptAfter)
	Age  time.Duration // how old the node is, by Node.Created
}

// NodeGate returns the blockers of the node itself, for a condition. A node whose pods are unknown is blocked here. The
// caller's own blockers come last. Pods, budgets and zones have their own gates.
//
// A node that is not Ready passes, since it may need to be replaced. (Karpenter: StateNode.ValidateNodeDisruptable.)
//
// For Unhealthy the gate is wider, so that no broken node is stranded. Do-not-repair blocks instead of do-not-disrupt.
// A registered node passes even if it was never initialized, and until it is, even if it is nominated. A condition that
// is still tolerated (Since in the future) blocks. (Karpenter: NewCandidate, Repair.ShouldDisrupt.)
func NodeGate(n *Node, c Condition, least Minimum, now time.Time) []Blocker {
	var blockers []Blocker
	repair := Unhealthy.Covers(c.Reason)
	block := func(code Code, message string, until time.Time) {
		blockers = append(blockers, Blocker{Gate: GateNode, Code: code, Message: message, Until: until})
	}
	if w, missing := NoTime(now); missing {
		block(w.Code, w.Message, time.Time{})
	}
	if n.Name == "" {
		block(CodeNoName, "the node has no name: set Node.Name", time.Time{})
	}
	if n.Pool == "" {
		block(CodeUnmanaged, "the node belongs to no pool", time.Time{})
	}
	stuck := repair && n.Phase == Registered
	switch {
	case !n.Phase.Known():
		block(CodeUnknownPhase, "the phase of the node is unknown: set Node.Phase, such as to candidate.Running",
			time.Time{})
	case !n.Phase.Joining() || stuck:
	case repair:
		block(CodeNotInitialized, "the node has not registered yet", time.Time{})
	default:
		block(CodeNotInitialized, "the node is not initialized yet", time.Time{})
	}
	if n.Rebooting {
		block(CodeRebooting, "the node is rebooting", time.Time{})
	}
	if n.Leaving != Staying {
		message := "the node is already being disrupted"
		if n.DisruptedFor != "" {
			message += " for " + wording.Quote(string(n.DisruptedFor))
		}
		if n.Maintenance.Condition != "" {
			message += ": " + n.Maintenance.String()
		}
		block(CodeDeleting, message, time.Time{})
	}
	if now.Before(n.NominatedUntil) && !now.IsZero() && !stuck {
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
		block(CodeTolerated, wording.Quote(string(c.Reason))+" is still tolerated", c.Since)
	}
	if c.Bound != nil && *c.Bound < 0 {
		block(CodeNegative, fmt.Sprintf("Condition.Bound %s is negative: write 0 for no drain, or nil for no limit",
			*c.Bound), time.Time{})
	}
	if shortest := min(least.Held, least.Age); shortest < 0 {
		block(CodeNegative, fmt.Sprintf("Minimum %s is negative: write 0 for no minimum", shortest), time.Time{})
	}
	if b, held := reasonHeld(&c, least.Held, now); !held && !now.IsZero() {
		blockers = append(blockers, b)
	}
	if b, old := oldEnough(n, &c, least.Age, now); !old && !now.IsZero() {
		blockers = append(blockers, b)
	}
	if n.PodsUnknown {
		blockers = append(blockers, Blocker{
			Gate: GatePod, Code: CodePodsUnknown, Message: "the node's pods are unknown, and any of them may block it",
		})
	}
	return append(blockers, n.Blockers...)
}

// reasonHeld reports whether the condition has held for disruptAfter.
func reasonHeld(c *Condition, disruptAfter time.Duration, now time.Time) (b Blocker, held bool) {
	if disruptAfter <= 0 {
		return b, true
	}
	b = Blocker{Gate: GateNode, Code: CodeDisruptAfter}
	reason := wording.Quote(string(c.Reason))
	switch {
	case disruptAfter == Forever:
		b.Message = fmt.Sprintf("nodes of the pool are never disrupted for %s (disruptAfter or consolidationPolicy)",
			reason)
		b.ForGood = true
	case c.Since.IsZero():
		b.Message = fmt.Sprintf("%s must hold for %s (disruptAfter), but how long it has held is unknown",
			reason, wording.Duration(disruptAfter))
	default:
		b.Until = c.Since.Add(disruptAfter)
		b.Message = fmt.Sprintf("%s must hold for %s (disruptAfter)", reason, wording.Duration(disruptAfter))
		held = !now.Before(b.Until)
	}
	return b, held
}

// oldEnough reports whether the node has the age that it needs to go for the condition.
func oldEnough(n *Node, c *Condition, minAge time.Duration, now time.Time) (b Blocker, old bool) {
	if minAge <= 0 {
		return b, true
	}
	b = Blocker{Gate: GateNode, Code: CodeTooYoung}
	reason := wording.Quote(string(c.Reason))
	switch {
	case minAge == Forever:
		b.Message = fmt.Sprintf("nodes of the pool are never old enough for %s (minAge)", reason)
		b.ForGood = true
	case n.Created.IsZero():
		b.Message = fmt.Sprintf("the node must be %s old for %s (minAge), but its age is unknown",
			wording.Duration(minAge), reason)
	default:
		b.Until = n.Created.Add(minAge)
		b.Message = fmt.Sprintf("the node must be %s old for %s (minAge)", wording.Duration(minAge), reason)
		old = !now.Before(b.Until)
	}
	return b, old
}
