package karpenter

import (
	"time"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/candidate"
)

const (
	perRank    = 30 * time.Minute           // what one rank of a repair policy's priority is worth (Karpenter: agingConstant)
	longestAge = 200 * 365 * 24 * time.Hour // more than any node's age; a longer one does not fit into a duration
)

// ToUnhealthy returns the condition for which Karpenter offers a node for repair, from the result of its repair
// policies (Candidate.RepairPolicyResult). The reason is a child of candidate.Unhealthy named after the type of the
// Node's condition. It is Unhealthy itself if no policy applies, or if the type is not a valid name of a reason.
func ToUnhealthy(c *disruption.Candidate, now time.Time) candidate.Condition {
	result := c.RepairPolicyResult
	if result.Action == "" {
		return candidate.Condition{Reason: candidate.Unhealthy}
	}
	to := candidate.Condition{Reason: candidate.Unhealthy, Since: result.SelectedEligibleAt}
	if reason, err := candidate.ParseReason(string(candidate.Unhealthy) + "/" + string(result.Condition)); err == nil {
		to.Reason = reason
	}
	// Scores grow with time, and the highest comes first. The time at which a score is 0 does not depend on now.
	to.Urgency = now.Add(-time.Duration(min(result.ScoreAt(now)*float64(perRank), float64(longestAge))))
	to.Bound = result.TerminationGracePeriod
	return to
}

// repairs reports whether the method is repair.
func (o offer) repairs() bool { return o.reason.Method() == candidate.Unhealthy }

// reboots reports whether the method may reboot a node. Karpenter commits a reboot before it returns the command, which
// then cannot be dropped.
func (p plan) reboots() bool {
	for _, c := range p.eligible {
		if c.RepairPolicyResult.Action == cloudprovider.RebootNode {
			return p.repairs()
		}
	}
	return false
}

// counts reports whether Karpenter's own budgets apply to an offered node. Repair of a node that was never initialized
// needs and uses none.
func (o offer) counts(name string) bool {
	c := o.byName[name]
	return !o.repairs() || c == nil || c.Initialized()
}
