package candidate

import "time"

// A Condition is a reason to disrupt a node. (The condition of a Kubernetes Node, such as Ready=False, is a
// repair.Condition; the condition of a NodeClaim is a report.Condition.)
type Condition struct {
	Reason Reason
	// Since is when the condition began to hold. For Unhealthy, it is when the node became due for repair, after its
	// toleration. Zero is unknown, and counts as older than any other.
	Since time.Time

	// Deadline is when the node becomes overdue for the reason: from then on, windows of budgets, paces, soaks and
	// back-offs no longer block it (disruptkit.Session.Candidates lists what still does). Before that, the Deadline
	// only affects the place in line. Zero means the deadline of the pool's controls (budget.Control.Deadline), if they
	// have one. So does a Deadline before Since, which is ignored, with a warning.
	Deadline time.Time

	// Urgency is the place in line for Unhealthy: the earliest is first. Zero means Since, or the Deadline, if there is
	// one: such a condition is ahead of all that have an Urgency. Package repair sets it.
	Urgency time.Time
	// Bound limits the drain of the node for Unhealthy, whatever the node's own grace period, so that its pods do not
	// block its repair. 0 means no drain, nil means no limit. Package repair sets it.
	Bound *time.Duration

	// Because is the node of its unit (Node.Unit) that has the condition; "": the node itself. Decisions set it for the
	// others. A node that follows another one into its repair is not broken: do-not-disrupt and its pods block it.
	Because string
}

// repairs reports whether the condition is for the repair of the node itself.
func (c *Condition) repairs() bool { return Unhealthy.Covers(c.Reason) && c.Because == "" }

// HasDeadline reports whether there is a Deadline, and it is not before Since.
func (c *Condition) HasDeadline() bool { return !c.Deadline.IsZero() && !c.Deadline.Before(c.Since) }

// Overdue reports whether the Deadline has passed. It ignores the deadline of the pool's controls; see
// [Candidate].Overdue.
func (c *Condition) Overdue(now time.Time) bool {
	return c.HasDeadline() && !now.IsZero() && !now.Before(c.Deadline)
}

// A Node is everything that a decision needs to know about a machine. (A repair.Node is its health alone; a plan.Node
// is its result in a plan.) Maps and slices are shared and never modified.
type Node struct {
	// What every caller sets.

	Name   string            // unique: nodes that share a name are not disrupted
	Pool   string            // the name of its NodePool; "": unmanaged, neither counted nor disrupted
	Labels map[string]string // for topology keys
	// Unit names the nodes that are disrupted together or not at all, such as those of one NVLink domain, or of one
	// training job; "": the node alone. Names are unique over pools. As soon as one node of a unit has a reason, all
	// are candidates, and a blocker of one blocks all. In every limit, the unit counts as its nodes that are not in
	// flight yet. If some are in flight, the others are candidates as well. (Karpenter's dialect ignores units.)
	Unit string

	Phase        Phase   // the zero Phase is unknown: the node is blocked, with a warning
	Leaving      Leaving // whether it drains or terminates; zero: neither
	DisruptedFor Reason  // why it is in flight; "": unknown

	Conditions   []Condition // the reasons to disrupt it
	Pods         []Pod       // the pods that run on it
	DoNotDisrupt bool        // it is annotated karpenter.sh/do-not-disrupt: "true", which does not veto repair
	// HasGracePeriod is whether it has a terminationGracePeriod. Then its pods do not block eventual reasons (drift),
	// repair, or an overdue node.
	HasGracePeriod bool

	// What else can block it.

	// PodsUnknown is whether the caller could not list all pods of the node, for example because it lacks permission,
	// or its cache has not synced yet. The node is then blocked, whatever the reason and its grace period.
	PodsUnknown    bool
	NominatedUntil time.Time // a pending pod is expected on it until then; zero: none is
	Blockers       []Blocker // the caller's own, such as no space elsewhere for its pods
	DoNotRepair    bool      // it is annotated karpenter.sh/do-not-repair: "true"
	// Rebooting is whether the node reboots in place, or drains for that. It is in flight, and is blocked for all other
	// reasons. It counts even if it is no longer initialized, or has no Node object. (Karpenter:
	// StateNode.RebootInProgress.)
	Rebooting bool
	// Maintenance is the condition of the Kubernetes Node that alone makes the node Draining. Function kube.Maintain
	// sets both. Karpenter ignores such conditions.
	Maintenance Maintenance

	// What paces, soaks and waves need.

	Created    time.Time // when it, or its NodeClaim, was created; zero: unknown. See [Minimum]
	ReadySince time.Time // when it became Ready; zero: unknown, or it is not. See [Node.Ready]
	Deadline   time.Time // when its grace period ends, if it drains: its pods then block nothing; zero: none
	// Replaces is the name of the node that this one replaces; "": none, or unknown. If it is known, the slot of the
	// replaced node is in use until this node is Ready, and then soaks (budget.Budget.Soak).
	Replaces string

	// What the order of a pool may use (budget.Spec.Order).

	Cost float64 // of disrupting it, in any unit: the lowest is first in repair, and by the order "cheapest"
	Rank int     // the lowest is first by the order "rank"

	// What makes decisions faster.

	Digest *podDigest // sums up the pods, so that decisions need not read them: see [Digest]; nil: they read them
	// StandsFor is how many equal nodes a node without conditions and pods stands for, in counts; 0: itself. Package
	// plan decides on such nodes in place of thousands.
	StandsFor int
}

// InFlight reports whether the node is being disrupted: it drains, terminates its instance, or reboots.
func (n *Node) InFlight() bool { return n.Leaving != Staying || n.Rebooting }

// InFlightFor returns why the node is in flight: DisruptedFor, or Unhealthy if it is only rebooting. "" is unknown.
func (n *Node) InFlightFor() Reason {
	if n.Rebooting && n.Leaving == Staying {
		return Unhealthy
	}
	return n.DisruptedFor
}

// Vacant reports whether none of the node's pods moves to another node if it is drained (Pod.Stays). (Karpenter:
// Candidate.reschedulablePods.)
func (n *Node) Vacant() bool {
	if n.Digest.fits(n) {
		return n.Digest.vacant
	}
	for i := range n.Pods {
		if !n.Pods[i].Stays {
			return false
		}
	}
	return true
}

// Ready reports whether the node's Ready condition is known to be True: the node is Running, or it joins and has a
// ReadySince.
func (n *Node) Ready() bool { return n.Phase == Running || n.Phase.Joining() && !n.ReadySince.IsZero() }

// Counted reports whether the node counts towards the number that percentages refer to: it is managed, initialized or
// rebooting, and not Terminating. In an unknown phase, it counts. (Karpenter: NodePoolStatsFromNodes.)
func (n *Node) Counted() bool {
	return n.Pool != "" && (!n.Phase.Joining() || n.Rebooting) && n.Leaving != Terminating
}

// Disrupting reports whether the node uses up one disruption of its pool for a reason: it counts, and it drains,
// reboots, is not Ready, or its phase is unknown. For Unhealthy, a node that is only not Ready uses up none, since it
// waits for repair. (Karpenter: NodePoolStatsFromNodes.)
func (n *Node) Disrupting(reason Reason) bool {
	return n.Counted() && (n.InFlight() || !n.Phase.Known() || n.Phase == NotReady && !Unhealthy.Covers(reason))
}
