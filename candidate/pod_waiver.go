package candidate

import (
	"time"
)

// waivesPods reports whether the pods of the node do not hold it back for a condition, because its drain has a time
// limit. (Karpenter: EventualDisruptionClass, NewCandidate; for Unhealthy, Repair.ShouldDisrupt.)
func waivesPods(n *Node, c *Condition) bool {
	repair, eventual := Unhealthy.Covers(c.Reason), Drifted.Covers(c.Reason)
	return n.HasGracePeriod && (eventual || repair) || c.Bound != nil && *c.Bound >= 0 && repair
}

// waivesOverdue reports whether the pods of the node no longer hold it back once it is overdue for a condition.
func (g *PodGate) waivesOverdue(n *Node, c *Condition) bool {
	return n.HasGracePeriod && c.HasDeadline() && !g.apart && !g.now.IsZero()
}

// gracePeriodEnd returns how long a terminating node waits for its pods. Zero means without limit. It does not apply to
// reboots: pods that are left on the node then stay. (Karpenter: reboot.Controller.drain.)
func gracePeriodEnd(n *Node) time.Time {
	if n.Leaving == Staying {
		return time.Time{}
	}
	return n.Deadline
}

// graceEnded reports whether the node's grace period has ended.
func graceEnded(n *Node, now time.Time) bool {
	end := gracePeriodEnd(n)
	return !end.IsZero() && !now.Before(end)
}
