package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleExpiresFrozen = Rule{
	Code: CodeExpiresFrozen,
	Means: "Nodes expire while budgets block disruption. Expiration deletes a node at the age of expireAfter, " +
		"and asks no budget.",
	Example: `nodes: "0" from 09:00 for 8h on mon-fri, and the default expireAfter: 720h: nodes expire at noon, ` +
		"too.",
	Do: "Replace nodes before they are so old, when budgets allow it. Or write expireAfter: Never under " +
		"spec.template.spec: NodeClaims that exist keep their own expireAfter, and drift, since the template " +
		"has changed.",
}

// expiresFrozen finds a freeze of all that nodes of the pool go for, while they expire without asking a budget.
// (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (l *linter) expiresFrozen() {
	if l.pool.ExpireAfter <= 0 || l.pool.ExpireAfter == candidate.Forever {
		return
	}
	frozen, which, found := l.frozenForAll()
	if !found || slices.ContainsFunc(l.reasons, l.limits.brokenFor) {
		return
	}
	l.add(Finding{Code: CodeExpiresFrozen, Severity: SeverityInfo, Budgets: which, Reason: candidate.Expired,
		Span: frozen,
		Message: fmt.Sprintf("nodes expire after %s (expireAfter) in a freeze, too, such as %s, since expiration "+
			"asks no budget: %s", wording.Duration(l.pool.ExpireAfter), l.span(frozen), l.names(which)),
		Advice: "replace nodes before they are so old, or write expireAfter: Never: that is for new nodes, and " +
			"all others drift"})
}

// frozenForAll returns the first freeze that begins in the checked time and keeps nodes from going for whatever reason
// they go, and the budgets that do so. A pool that never lets go is found by neverDisruptable.
func (l *linter) frozenForAll() (first schedule.Span, which budget.Indexes, found bool) {
	var all []budget.Segment
	for _, r := range l.reasons {
		var both []budget.Segment
		switch {
		case isRepair(r), r == candidate.Expired:
			continue
		case all == nil:
			all = l.effective(r)
			continue
		}
		for span, a := range together(all, l.effective(r)) {
			s := budget.Segment{Span: span, Allowance: budget.Allowance{Nodes: max(a[0].Nodes, a[1].Nodes)}}
			if s.Nodes == 0 {
				s.Binding = a[0].Binding | a[1].Binding
			}
			both = extend(both, s)
		}
		all = both
	}
	phases := phasesOf(all)
	for _, p := range phases {
		if len(phases) > 1 && !p.open && length(p.Span) >= time.Hour {
			return p.Span, p.blocking, true
		}
	}
	return first, 0, false
}
