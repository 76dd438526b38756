package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// roundsUp finds percentages of so few nodes that they round up to 1.
func (l *linter) roundsUp() {
	if l.assumed {
		return
	}
	for _, b := range l.valid {
		scoped := l.list[b.Index].TopologyKey != ""
		if !b.Percent || b.N == 0 || scoped || l.nodes > 99/b.N {
			continue
		}
		l.addFix(Finding{Code: CodeRoundsUp, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s: percentages round up, so that %d%% of %s is 1", l.name(b.Index), b.N,
				wording.Count(l.nodes, "node"))}, func() remedy {
			const zero = `only "0" blocks all nodes`
			return remedy{tail: " if that is intended; " + zero, otherwise: zero,
				ways: []way{{does: `write "nodes": "1" in ` + l.set.Place(b.Index),
					edits: l.edit(b.Index, func(b *budget.Budget) { b.Nodes = "1" })}}}
		})
	}
}

// staticLimit finds a static pool whose limit leaves no node for the replacement of another, which Karpenter launches
// before it deletes the node. (Karpenter: StaticDrift.ComputeCommands.)
func (l *linter) staticLimit() {
	if l.pool.Replicas <= 0 || l.pool.NodeLimit <= 0 || l.pool.NodeLimit > l.pool.Replicas ||
		!l.occurs(candidate.Drifted) {
		return
	}
	l.add(Finding{Code: CodeStaticLimit, Severity: SeverityWarning, Reason: candidate.Drifted,
		Message: fmt.Sprintf("drifted nodes are never replaced: replicas is %d and limits.nodes is %d, so no "+
			"node is left for the replacement, which Karpenter launches first", l.pool.Replicas, l.pool.NodeLimit),
		Advice: fmt.Sprintf("write limits.nodes: %d or more, or turn on the feature gate TerminateFirstDrift "+
			"(v1.15), which deletes first", l.pool.Replicas+1)})
}

// nothingToCombine finds a budget for Underutilized that never allows more than one node. Karpenter saves most when it
// replaces several nodes with one. (Karpenter: MultiNodeConsolidation.ComputeCommands.)
func (l *linter) nothingToCombine() {
	const r = candidate.Underutilized
	if !slices.Contains(l.reasons, r) {
		return
	}
	// Others are a slow pace for everything.
	ones := l.which(func(b *budget.Limit) bool { return names(b, r) && b.Amount == budget.Amount{N: 1} })
	which := single(l.effective(r)) & ones
	if which == 0 {
		return
	}
	l.addFix(Finding{Code: CodeNothingToCombine, Severity: SeverityInfo, Budgets: which, Reason: r,
		Message: fmt.Sprintf("%s, and Karpenter never replaces several nodes of the pool with one: that needs two "+
			"at once", l.names(which))}, func() remedy {
		w := way{raises: true,
			does: `write "nodes": "2" in ` + l.places(which) + " if consolidation is to combine nodes"}
		for i := range which.All() {
			w.edits = append(w.edits, l.edit(i, func(b *budget.Budget) { b.Nodes = "2" })...)
		}
		return remedy{ways: []way{w}, otherwise: "allow two at once if consolidation is to combine nodes"}
	})
}

// expiresFrozen finds a freeze of all that nodes of the pool are disrupted for, while they expire without asking a
// budget. It is a warning if every node expires in it. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (l *linter) expiresFrozen() {
	age := l.pool.ExpireAfter
	if age <= 0 || age == candidate.Forever || l.cut || slices.ContainsFunc(l.reasons, l.limits.brokenFor) {
		return
	}
	frozen, found := l.closure(age)
	severity, where := SeverityWarning, fmt.Sprintf(", and every node expires in the freeze of %s %s",
		roughly(length(frozen.Span)), l.span(frozen.Span))
	switch {
	case !found:
		if frozen, found = l.closure(time.Hour); !found {
			return
		}
		severity, where = SeverityInfo, " in a freeze as well, such as "+l.span(frozen.Span)
	case frozen.Start.Equal(l.now) && frozen.End.Equal(l.end):
		where = " although budgets always block"
	}
	l.add(Finding{Code: CodeExpiresFrozen, Severity: severity, Budgets: frozen.blocking, Span: frozen.Span,
		Reason: candidate.Expired,
		Message: fmt.Sprintf("nodes expire after %s (expireAfter)%s, since expiration asks no budget: %s",
			wording.Duration(age), where, l.names(frozen.blocking)),
		Advice: "replace nodes before they are so old, or write expireAfter: Never: that is for new nodes, and " +
			"all others drift"})
}

// closure returns the first time, at least so long, at which budgets block nodes for every reason that they have.
func (l *linter) closure(least time.Duration) (p phase, found bool) {
	for _, p := range l.closures(l.forAll()) {
		if length(p.Span) >= least {
			return p, true
		}
	}
	return p, false
}

// forAll returns the timeline of what is allowed for any reason that nodes of the pool are disrupted for.
func (l *linter) forAll() (all []budget.Segment) {
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
	return all
}

// expireTogether finds budgets that allow all nodes at once for drift, where nodes expire without asking a budget.
func (l *linter) expireTogether() {
	const r = candidate.Drifted
	if l.pool.ExpireAfter <= 0 || l.pool.ExpireAfter == candidate.Forever || !slices.Contains(l.reasons, r) {
		return
	}
	var which budget.Indexes
	for _, s := range l.effective(r) {
		if s.Nodes >= l.nodes && s.Nodes != budget.Unlimited {
			which |= s.Binding
		}
	}
	if l.assumed { // a count may be less than all
		which &= l.which(func(b *budget.Limit) bool { return b.Percent })
	}
	if which == 0 {
		return
	}
	l.add(Finding{Code: CodeExpireTogether, Severity: SeverityInfo, Budgets: which, Reason: candidate.Expired,
		Message: fmt.Sprintf("nodes that are replaced together expire together, %s later (expireAfter), and "+
			"expiration asks no budget: %s, and allows all nodes at once", wording.Duration(l.pool.ExpireAfter),
			l.names(which)),
		Advice: "limit how many are replaced at once, or write expireAfter: Never and replace old nodes by drift"})
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
