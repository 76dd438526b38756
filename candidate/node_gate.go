package candidate

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Forever is a duration without end: a disruptAfter of "Never", or the protection of a pod annotated
// karpenter.sh/do-not-disrupt: "true".
const Forever time.Duration = math.MaxInt64

// A Minimum is how much time must pass before a node may be disrupted for a reason. A duration of 0 is no minimum, less
// is invalid and blocks, and Forever means never. If the time to measure from is unknown (zero), the node is blocked.
// budget.Set has the minimum of a pool: DisruptAfter and MinAge.
type Minimum struct {
	Held time.Duration // how long the reason has held, by Condition.Since (by-method RFC: disruptAfter)
	Age  time.Duration // how old the node is, by Node.Created
}

// NodeGate returns the blockers of the node itself, for a condition. A node whose pods are unknown is blocked here. The
// caller's own blockers come last. Pods, budgets and zones have their own gates.
//
// A node that is not Ready passes, since it may need to be replaced. (Karpenter: StateNode.ValidateNodeDisruptable.)
//
// For Unhealthy the gate is wider, so that no broken node is stranded: do-not-repair blocks instead of do-not-disrupt,
// and a node that is registered but not initialized passes, even if it is nominated. A condition that is still
// tolerated (Since in the future) blocks. (Karpenter: NewCandidate, Repair.ShouldDisrupt.) A node that follows another
// one of its unit into repair (Condition.Because) is judged as for drift, and do-not-repair blocks it as well.
func NodeGate(n *Node, c Condition, least Minimum, now time.Time) []Blocker {
	var blockers []Blocker
	block := func(code Code, message string) *Blocker {
		blockers = append(blockers, Blocker{Gate: GateNode, Code: code, Message: message})
		return &blockers[len(blockers)-1]
	}
	repair := c.repairs()
	reason := func() string { return wording.Quote(string(c.Reason)) }
	w, timeless := NoTime(now)
	if timeless {
		block(w.Code, w.Message)
	}
	if n.Name == "" {
		block(mistake.CodeNoName, "the node has no name: set Node.Name")
	}
	if n.Pool == "" {
		block(CodeUnmanaged, "the node belongs to no pool")
	}
	stuck := repair && n.Phase == Registered
	switch {
	case !n.Phase.Known():
		block(mistake.CodeUnknownPhase,
			"the phase of the node is unknown: set Node.Phase, such as to candidate.Running")
	case !n.Phase.Joining() || stuck:
	case repair:
		block(CodeNotInitialized, "the node has not registered yet")
	default:
		block(CodeNotInitialized, "the node is not initialized yet")
	}
	if n.Rebooting {
		block(CodeRebooting, "the node is rebooting")
	}
	if n.Leaving != Staying {
		message, known := beingDisrupted[n.DisruptedFor]
		if !known {
			message = disrupted + " for " + wording.Quote(string(n.DisruptedFor))
		}
		if n.Maintenance.Condition != "" {
			message += ": " + n.Maintenance.String()
		}
		block(CodeDeleting, message)
	}
	if now.Before(n.NominatedUntil) && !timeless && !stuck {
		block(CodeNominated, "a pending pod is expected on the node").Until = n.NominatedUntil
	}
	if n.DoNotRepair && Unhealthy.Covers(c.Reason) {
		block(CodeDoNotRepair, `the node is annotated karpenter.sh/do-not-repair: "true"`).ForGood = true
	}
	if n.DoNotDisrupt && !repair {
		block(CodeDoNotDisrupt, `the node is annotated karpenter.sh/do-not-disrupt: "true"`).ForGood = true
	}
	if repair && now.Before(c.Since) && !timeless {
		block(CodeTolerated, reason()+" is still tolerated").Until = c.Since
	}
	if c.Bound != nil && *c.Bound < 0 {
		block(mistake.CodeNegative, fmt.Sprintf(
			"Condition.Bound %s is negative: write 0 for no drain, or nil for no limit", *c.Bound))
	}
	if shortest := min(least.Held, least.Age); shortest < 0 {
		block(mistake.CodeNegative, fmt.Sprintf("Minimum %s is negative: write 0 for no minimum", shortest))
	}
	if until, lasts := endOf(c.Since, least.Held, now); lasts {
		b := block(CodeDisruptAfter,
			fmt.Sprintf("%s must hold for %s (disruptAfter)", reason(), wording.Duration(least.Held)))
		switch b.Until = until; {
		case least.Held == Forever:
			b.Message, b.ForGood = "nodes of the pool are never disrupted for "+reason()+
				" (disruptAfter or consolidationPolicy)", true
		case until.IsZero():
			b.Message += ", but how long it has held is unknown"
		}
	}
	if until, lasts := endOf(n.Created, least.Age, now); lasts {
		b := block(CodeTooYoung,
			fmt.Sprintf("the node must be %s old for %s (minAge)", wording.Duration(least.Age), reason()))
		switch b.Until = until; {
		case least.Age == Forever:
			b.Message, b.ForGood = "nodes of the pool are never old enough for "+reason()+" (minAge)", true
		case until.IsZero():
			b.Message += ", but its age is unknown"
		}
	}
	if n.PodsUnknown {
		block(CodePodsUnknown, "the node's pods are unknown, and any of them may block it").Gate = GatePod
	}
	return append(blockers, n.Blockers...)
}

const disrupted = "the node is already being disrupted"

// beingDisrupted are the messages for the methods, which fleets have thousands of nodes in flight for; "" is unknown.
var beingDisrupted = map[Reason]string{
	"":            disrupted,
	Drifted:       disrupted + " for " + string(Drifted),
	Empty:         disrupted + " for " + string(Empty),
	Underutilized: disrupted + " for " + string(Underutilized),
}

// endOf reports whether a duration since a time still lasts, and when it ends. Zero: never, or unknown.
func endOf(since time.Time, least time.Duration, now time.Time) (until time.Time, lasts bool) {
	switch {
	case least <= 0 || now.IsZero():
		return until, false
	case least == Forever || since.IsZero():
		return until, true
	}
	until = since.Add(least)
	return until, now.Before(until)
}
