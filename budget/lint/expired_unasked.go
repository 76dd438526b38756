package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleExpiredUnasked = Rule{
	Code:    CodeExpiredUnasked,
	Means:   "A budget or a deadline is for Expired, and Karpenter consults no budget before it expires nodes.",
	Example: `nodes: "0" with reasons: [Expired].`,
	Do: "Lengthen expireAfter instead, or use drift. Budgets and deadlines for Expired are for autoscalers " +
		"that embed disruptkit. Karpenter with disruptkit's guard or steward asks them for nodes of the age that the " +
		"annotation disruptkit.dev/expire of the NodePool says.",
}

// expiredUnasked finds budgets and a deadline for Expired, since Karpenter expires nodes without checking either.
func (l *linter) expiredUnasked() {
	if l.pool.AsksToExpire {
		return
	}
	const unasked, advice = "Karpenter consults no budget before it expires nodes",
		"it has an effect only in autoscalers that do"
	if l.expirationDated() {
		l.add(Finding{Code: CodeExpiredUnasked, Severity: SeverityInfo, Reason: candidate.Expired,
			Message: fmt.Sprintf("Expired is overdue after %s (deadline), and %s",
				wording.Duration(l.limits.Deadline(candidate.Expired)), unasked),
			Advice: advice})
	}
	for _, b := range l.valid {
		if slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return r.Method() == candidate.Expired }) {
			l.add(Finding{Code: CodeExpiredUnasked, Severity: SeverityInfo, Budgets: only(b.Index),
				Reason:  candidate.Expired,
				Message: l.name(b.Index) + ", and " + unasked, Advice: advice})
		}
	}
}
