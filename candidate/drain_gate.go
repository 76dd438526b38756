package candidate

import "time"

// DrainGate returns what says against evicting a pod now from a node that is draining. Its do-not-disrupt, its disruption
// schedules and its PDB hold until the node's Deadline, also where the reason is eventual; from then on nothing does. While a
// node reboots in place they hold without an end: its deadline is that of the drain alone, and the pods that are left then stay.
// (Pod disruption schedule RFC, "TerminationGracePeriod Interaction" and the change to IsEvictable.)
//
// The Rules are those of now: a PodDisruptionBudget's status changes with each eviction. What a drain leaves alone is the
// caller's to know: pods that are Inactive need no eviction, those that are Unevictable get none. A caller that gives pods
// their own grace period before the node is gone, as Karpenter does, sets the Deadline that much earlier.
func (r Rules) DrainGate(n Node, p Pod, now time.Time) []Blocker {
	n.Deleting, n.Pods = n.Deleting || !n.Rebooting, []Pod{p}
	return r.At(now).Judge(&n, Condition{}).Blockers // for no eventual reason
}
