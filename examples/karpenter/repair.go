package karpenter

import (
	"time"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/candidate"
)

const (
	perRank    = 30 * time.Minute           // what one rank of a repair policy's priority is worth (Karpenter: agingConstant)
	longestAge = 200 * 365 * 24 * time.Hour // more than any node has: what is longer fits into no duration
)

// ToUnhealthy returns the condition for which Karpenter offers a node for repair. All of it is from what its repair policies say of
// the node (Candidate.RepairPolicyResult): the reason is a child of candidate.Unhealthy that is named after the type of the Node's
// condition, or Unhealthy itself where no policy applies, or where the type cannot be the name of a reason.
func ToUnhealthy(c *disruption.Candidate, now time.Time) candidate.Condition {
	result := c.RepairPolicyResult
	if result.Action == "" {
		return candidate.Condition{Reason: candidate.Unhealthy}
	}
	to := candidate.Condition{Reason: candidate.Unhealthy, Since: result.SelectedEligibleAt}
	if reason, err := candidate.ParseReason(string(candidate.Unhealthy) + "/" + string(result.Condition)); err == nil {
		to.Reason = reason
	}
	// A score grows with time, and the higher comes first; when it was 0, or will be, does not depend on the time that it is.
	to.Urgency = now.Add(-time.Duration(min(result.ScoreAt(now)*float64(perRank), float64(longestAge))))
	if bound := result.TerminationGracePeriod; bound != nil {
		to.Bounded, to.Bound = true, *bound
	}
	return to
}

// repairs reports whether the method is one of repair.
func (o offer) repairs() bool { return o.reason.Method() == candidate.Unhealthy }

// reboots reports whether the method may reboot a node. Karpenter's does so before it returns the command: that cannot be dropped
// anymore.
func (p plan) reboots() bool {
	for _, c := range p.eligible {
		if c.RepairPolicyResult.Action == cloudprovider.RebootNode {
			return p.repairs()
		}
	}
	return false
}

// counts reports whether Karpenter's own budgets are about an offered node: a node that never was initialized needs none for its
// repair, and uses none.
func (o offer) counts(name string) bool {
	c := o.byName[name]
	return !o.repairs() || c == nil || c.Initialized()
}
