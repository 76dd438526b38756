package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
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

// expiresFrozen finds a freeze of all that nodes of the pool go for, while they expire without asking a budget. It is a
// warning if every node expires in it. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (l *linter) expiresFrozen() {
	age := l.pool.ExpireAfter
	if age <= 0 || age == candidate.Forever || l.cut || slices.ContainsFunc(l.reasons, l.limits.brokenFor) {
		return
	}
	frozen, found := l.frozenForAll()
	if !found {
		return
	}
	f := Finding{Code: CodeExpiresFrozen, Severity: SeverityInfo, Budgets: frozen.blocking, Reason: candidate.Expired,
		Span: frozen.Span,
		Advice: "replace nodes before they are so old, or write expireAfter: Never: that is for new nodes, and " +
			"all others drift"}
	after := wording.Duration(age) + " (expireAfter)"
	switch {
	case frozen.Start.Equal(l.now) && frozen.End.Equal(l.end):
		f.Severity = SeverityWarning
		f.Message = fmt.Sprintf("nodes expire after %s although budgets always block, since expiration asks no budget: %s",
			after, l.names(frozen.blocking))
	case length(frozen.Span) >= age:
		f.Severity = SeverityWarning
		f.Message = fmt.Sprintf("nodes expire after %s, and every node expires in the freeze of %s %s, since expiration "+
			"asks no budget: %s", after, roughly(length(frozen.Span)), l.span(frozen.Span),
			l.names(frozen.blocking))
	default:
		f.Message = fmt.Sprintf("nodes expire after %s in a freeze, too, such as %s, since expiration asks no budget: %s",
			after, l.span(frozen.Span), l.names(frozen.blocking))
	}
	l.add(f)
}

// frozenForAll returns the first freeze in the checked time that keeps nodes from going for whatever reason they go, or
// the first that lasts for as long as nodes live.
func (l *linter) frozenForAll() (first phase, found bool) {
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
	for _, p := range phasesOf(all) {
		switch {
		case p.open || length(p.Span) < time.Hour:
		case length(p.Span) >= l.pool.ExpireAfter:
			return p, true
		case !found:
			first, found = p, true
		}
	}
	return first, found
}
