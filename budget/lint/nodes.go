package lint

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// roundsUp finds percentages of so few nodes that they round up to 1, or up to a half of them to more than that.
func (l *linter) roundsUp(b *budget.Limit) (f Finding, fix func() remedy) {
	n, of, limited := l.nodes, wording.Count(l.nodes, "node"), l.nodes == l.facts.NodeLimit
	if limited {
		of += " (limits.nodes)"
	}
	down := b.N * n / 100
	if (!l.assumed || limited) && b.Percent && b.N > 0 && b.Key == "" && (down == 0 || b.N <= 50 && 2*b.Of(n) > n) {
		f.Message = fmt.Sprintf(": percentages round up, so that %d%% of %s is %d", b.N, of, b.Of(n))
	}
	return f, func() remedy {
		fewer := strconv.Itoa(max(1, down))
		ways := []way{{edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Nodes = fewer })}}
		if down > 0 {
			return remedy{lead: "if that is too many, ", ways: ways, otherwise: "write " + strconv.Quote(fewer)}
		}
		const zero = `only "0" blocks all nodes`
		return remedy{tail: " if that is intended; " + zero, ways: ways, otherwise: zero}
	}
}

// staticLimit finds a static pool whose limit leaves no node for the replacement of another, which Karpenter launches
// before it deletes the node. (Karpenter: StaticDrift.ComputeCommands.)
func (l *linter) staticLimit() {
	if l.facts.Replicas <= 0 || l.facts.NodeLimit <= 0 || l.facts.NodeLimit > l.facts.Replicas ||
		!l.occurs(candidate.Drifted) {
		return
	}
	l.add(Finding{Reason: candidate.Drifted,
		Message: fmt.Sprintf("drifted nodes are never replaced: replicas is %d and limits.nodes is %d, so no "+
			"node is left for the replacement, which Karpenter launches first", l.facts.Replicas, l.facts.NodeLimit),
		Advice: fmt.Sprintf("write limits.nodes: %d or more, or turn on the feature gate TerminateFirstDrift "+
			"(v1.15), which deletes first", l.facts.Replicas+1)}, nil)
}

// nothingToCombine finds budgets for Underutilized that never allow more than one node. Karpenter saves most when it
// replaces several nodes with one. (Karpenter: MultiNodeConsolidation.ComputeCommands.)
func (l *linter) nothingToCombine(b *budget.Limit) (f Finding, fix func() remedy) {
	const r = candidate.Underutilized
	// A budget that does not name it is a slow pace for everything.
	one := b.Names(r) && b.Amount == budget.Amount{N: 1} && slices.Contains(l.reasons, r)
	if one && single(l.effective(r)).Has(b.Index) {
		f.Reason = r
		f.Message = ", and Karpenter never replaces several nodes of the pool with one: that needs two at once"
	}
	return f, func() remedy {
		w := way{raises: true, so: " if consolidation is to combine nodes",
			edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Nodes = "2" })}
		return remedy{ways: []way{w}, otherwise: "allow two at once if consolidation is to combine nodes"}
	}
}

// expires reports whether nodes expire without asking a budget.
func (l *linter) expires() bool {
	return l.facts.ExpireAfter > 0 && l.facts.ExpireAfter != candidate.Forever
}

// expiresFrozen finds a freeze of all that nodes of the pool are disrupted for, while they expire without asking a
// budget. It is a warning if every node expires in it. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (l *linter) expiresFrozen() {
	age := l.facts.ExpireAfter
	if !l.expires() || l.cut || l.set.Broken() != 0 {
		return
	}
	all := l.forAll()
	frozen, found := l.closure(all, age)
	instead := ", or write expireAfter: Never: that is for new nodes, and makes all others drift, which budgets limit"
	severity, where := SeverityWarning, fmt.Sprintf(", and every node expires in the freeze of %s %s",
		roughly(length(frozen.Span)), l.span(frozen.Span))
	switch {
	case !found:
		frozen, found = l.closure(all, time.Hour)
		if !found && 2*openFor(all) < l.end.Sub(l.now) { // the times that are open may be all that is meant
			frozen, found = l.closure(all, 0)
		}
		if !found {
			return
		}
		severity, where = SeverityInfo, " in a freeze as well, such as "+l.span(frozen.Span)
	case frozen.Start.Equal(l.now) && frozen.End.Equal(l.end):
		where, instead = " although budgets always block", ": open a time for that in these budgets"
	}
	l.add(Finding{Severity: severity, Budgets: frozen.blocking, Span: frozen.Span,
		Reason: candidate.Expired,
		Message: fmt.Sprintf("nodes expire after %s (expireAfter)%s, since expiration asks no budget: %s",
			wording.Duration(age), where, l.names(frozen.blocking)),
		Advice: "replace nodes before they are so old" + instead}, nil)
}

// closure returns the first closure of a timeline that is at least so long.
func (l *linter) closure(timeline []budget.Segment, least time.Duration) (p phase, found bool) {
	for _, p := range l.closures(timeline) {
		if length(p.Span) >= least {
			return p, true
		}
	}
	return p, false
}

// forAll returns the timeline of what is allowed for any reason that nodes of the pool are disrupted for.
func (l *linter) forAll() (all []budget.Segment) {
	for _, r := range l.reasons {
		switch {
		case isRepair(r), r == candidate.Expired:
		case all == nil:
			all = l.effective(r)
		default:
			all = highest(all, l.effective(r))
		}
	}
	return all
}

// expireTogether finds budgets that allow all nodes at once for drift, where nodes expire without asking a budget.
func (l *linter) expireTogether() {
	const r = candidate.Drifted
	if !l.expires() || !slices.Contains(l.reasons, r) {
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
	l.add(Finding{Budgets: which, Reason: candidate.Expired,
		Message: fmt.Sprintf("nodes that are replaced together expire together, %s later (expireAfter), and "+
			"expiration asks no budget: %s, and allows all nodes at once", wording.Duration(l.facts.ExpireAfter),
			l.names(which)),
		Advice: "limit how many are replaced at once, or write expireAfter: Never and replace old nodes by drift"}, nil)
}

// expiredUnasked finds budgets and a deadline for Expired, since Karpenter expires nodes without checking either.
func (l *linter) expiredUnasked() {
	if l.facts.AsksToExpire {
		return
	}
	const unasked, advice = "Karpenter consults no budget before it expires nodes",
		"it has an effect only in autoscalers that do"
	if l.expirationDated() {
		l.add(Finding{Reason: candidate.Expired, Advice: advice,
			Message: fmt.Sprintf("Expired is overdue after %s (deadline), and %s",
				wording.Duration(l.set.Deadline(candidate.Expired)), unasked)}, nil)
	}
	for _, b := range l.valid {
		if b.Names(candidate.Expired) {
			l.add(Finding{Budgets: only(b.Index), Reason: candidate.Expired, Advice: advice,
				Message: l.name(b.Index) + ", and " + unasked}, nil)
		}
	}
}
