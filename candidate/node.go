package candidate

import "time"

// A Condition is a reason to disrupt a node, and since when it holds. A zero Since is unknown, and counts as older
// than any other.
type Condition struct {
	Reason Reason
	// Since is when it began to hold; for Unhealthy, when the node was due for repair, what is tolerated first being over.
	Since time.Time

	// Urgency is the place in line for Unhealthy: the earlier, the sooner. Zero is Since. Package repair sets it.
	Urgency time.Time
	// Bounded says that the drain of the node takes Bound at the most, whatever grace period the node has itself, so that its pods
	// do not hold back its repair; a Bound of 0 is no drain at all. Package repair sets both for Unhealthy.
	Bounded bool
	Bound   time.Duration
}

// A Node is a machine with all that a decision has to know of it. Maps and slices are shared, never changed.
type Node struct {
	Name   string            // unique: nodes of the same name are not disrupted
	Pool   string            // of its NodePool; "" is unmanaged: neither counted nor disrupted
	Labels map[string]string // where topology keys are looked up

	Conditions []Condition // the reasons to disrupt it
	Pods       []Pod       // those that run on it
	// PodsUnknown says that the caller could not list the node's pods, or not all of them: it lacks the permission, say, or its
	// cache has not synced yet. Any of them may hold the node back, so it stays, whatever the reason and its grace period.
	PodsUnknown bool
	Blockers    []Blocker // the caller's own, such as no room elsewhere for its pods; they hold until they are left out

	Registered     bool      // it joined the cluster: one that never gets any further can be repaired
	Initialized    bool      // it joined, and all that was announced of it is there
	Ready          bool      // its Ready condition is True
	ReadySince     time.Time // since when; zero is unknown
	NominatedUntil time.Time // a pending pod is expected on it until then; zero is none
	DoNotDisrupt   bool      // it is annotated karpenter.sh/do-not-disrupt: "true"; that is no veto of repair
	DoNotRepair    bool      // it is annotated karpenter.sh/do-not-repair: "true"
	Cost           float64   // of its disruption, in any unit: of nodes that are equally urgent to repair, the cheapest comes first

	// Rebooting says that it reboots in place, or drains for that: in flight, and left alone for every reason. It counts also where
	// it is no longer Initialized, or has no Node. (Karpenter: StateNode.RebootInProgress.)
	Rebooting           bool
	Deleting            bool   // it, or its NodeClaim, is marked for deletion: in flight
	DisruptedFor        Reason // why it is in flight; "" is unknown
	InstanceTerminating bool   // it is drained and its instance is going: no longer counted

	HasGracePeriod bool      // a terminationGracePeriod is set: its pods do not hold back eventual reasons (drift), nor repair
	Deadline       time.Time // when the grace period of a node that is terminated ends: from then on pods hold nothing back; zero is none
}

// InFlight reports whether a disruption of it is under way: it is marked for deletion, drained, or rebooting.
func (n Node) InFlight() bool { return n.Deleting || n.InstanceTerminating || n.Rebooting }

// InFlightFor returns why it is in flight: DisruptedFor, which may be unknown, or Unhealthy, if all that it does is reboot.
func (n Node) InFlightFor() Reason {
	if n.Rebooting && !n.Deleting && !n.InstanceTerminating {
		return Unhealthy
	}
	return n.DisruptedFor
}

// waives reports whether the pods of the node do not hold it back for a condition, because its drain comes to an end whatever they
// say. (Karpenter: NewCandidate; for Unhealthy, Repair.ShouldDisrupt.)
func (n *Node) waives(c Condition) bool {
	repair := Unhealthy.Covers(c.Reason)
	return n.HasGracePeriod && (repair || c.Reason.Eventual()) || repair && c.Bounded
}

// gracePeriodEnd returns up to when the node waits for its pods, if it is being terminated and its grace period has an end; zero is for
// good. A reboot ends no grace period: the pods that are left on the node then stay. (Karpenter: reboot.Controller.drain.)
func (n *Node) gracePeriodEnd() time.Time {
	if !n.Deleting && !n.InstanceTerminating {
		return time.Time{}
	}
	return n.Deadline
}

// late reports whether its grace period has ended.
func (n *Node) late(now time.Time) bool {
	end := n.gracePeriodEnd()
	return !end.IsZero() && !now.Before(end)
}

// Counted reports whether the node is in the number that percentages are of: managed, initialized or rebooting, and not
// terminating its instance. (Karpenter: NodePoolStatsFromNodes.)
func (n Node) Counted() bool {
	return n.Pool != "" && (n.Initialized || n.Rebooting) && !n.InstanceTerminating
}

// Disrupting reports whether the node uses up one disruption of its pool for a reason: it is counted, and marked for deletion,
// rebooting, or not Ready. For Unhealthy, one that is only not Ready does not: it is what repair is for. (Karpenter:
// NodePoolStatsFromNodes.)
func (n Node) Disrupting(reason Reason) bool {
	return n.Counted() && (n.Deleting || n.Rebooting || !n.Ready && !Unhealthy.Covers(reason))
}
