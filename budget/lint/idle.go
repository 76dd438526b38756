package lint

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// neverBinds finds budgets that make no difference for any number of nodes: whenever one would decide, others are at
// least as tight, or more specific. All that it finds can be deleted together. It prefers to delete later ones.
func (l *linter) neverBinds() {
	groups, active, complete := l.deciders()
	if !complete || l.cut {
		return
	}
	var idle budget.Indexes
	for _, b := range slices.Backward(l.pool) {
		if active.Has(b.Index) && !l.binds(b, groups, idle) {
			idle.Add(b.Index)
		}
	}
	l.idle = idle
	for _, b := range l.pool {
		i := b.Index
		if !idle.Has(i) {
			continue
		}
		var rivals budget.Indexes
		for _, g := range groups {
			if g.Has(i) {
				rivals |= g &^ idle
			}
		}
		if l.outlast(rivals) {
			continue // it makes a difference after the year
		}
		f := Finding{Budgets: only(i) | rivals, Subject: only(i),
			Message: fmt.Sprintf("%s, and it makes no difference in the coming year: %s, and never more", l.name(i),
				l.names(rivals))}
		fix := func() remedy { return l.yielding(b, rivals) }
		switch {
		case l.yieldsToAnnotation(i, rivals):
			f.Severity = SeverityInfo
		case rivals == 0:
			f.Severity = SeverityInfo
			f.Message = l.name(i) + ", and it makes no difference in the coming year: for each reason, more " +
				"specific budgets are active whenever it is"
			fix = func() remedy { return remedy{ways: []way{l.deleting(i)}, tail: ", or keep it for future reasons"} }
		}
		l.add(f, fix)
	}
}

// outlast reports whether any of the budgets is active throughout the year and ends after it.
func (l *linter) outlast(which budget.Indexes) bool {
	for _, b := range l.valid {
		if active, end := b.Window.Until(l.now); which.Has(b.Index) && active && end.After(l.end) {
			return true
		}
	}
	return false
}

// deciders returns the groups of budgets that decide together at some time in the coming year, and the budgets that are
// active at some time. Complete is false if these change too often.
func (l *linter) deciders() (groups []budget.Indexes, active budget.Indexes, complete bool) {
	alike, work := l.set.Alike(l.allReasons()), 0
	for at, now := range budget.Changes(l.pool, l.now) {
		if work += len(l.pool) + len(alike); work > mostWork || !at.Before(l.end) {
			return groups, active, !at.Before(l.end)
		}
		active |= now
		for _, reasons := range alike {
			if group := l.set.Deciding(at, reasons[0]); !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
	}
	return groups, active, true
}

// binds reports whether a budget makes a difference in any of the groups, without the deleted budgets. If the most
// specific budgets decide, a budget that several reasons share limits them together: only a budget for all of these
// reasons can replace it.
func (l *linter) binds(b *budget.Limit, groups []budget.Indexes, deleted budget.Indexes) bool {
	i := b.Index
	if l.set.MostSpecific() {
		common := ^(deleted | only(i))
		for _, g := range groups {
			if g.Has(i) {
				common &= g
			}
		}
		groups = slices.Clone(groups)
		for n := range groups {
			groups[n] &= common | only(i)
		}
	}
	for _, g := range groups {
		if g.Has(i) && !l.outdone(b, g&^deleted) {
			return true
		}
	}
	return false
}

// outdone reports whether the other budgets among some allow at most what a budget allows, for every number of nodes.
func (l *linter) outdone(own *budget.Limit, among budget.Indexes) bool {
	count, percent := math.MaxInt, budget.Amount{N: math.MaxInt32, Percent: true} // the least of the others
	for _, b := range l.pool {
		switch {
		case b == own || !among.Has(b.Index):
		case b.Percent:
			percent.N = min(percent.N, b.N)
		default:
			count = min(count, b.N)
		}
	}
	// Two percentages of n nodes differ at the latest for n = 100. For more nodes, own only allows more.
	for n := 1; n <= 100; n++ {
		if min(count, percent.Of(n)) > own.Of(n) {
			return false
		}
	}
	ofMany := own.Percent || count <= own.N || percent.N == 0 // a percentage of many nodes exceeds any count
	// A soak keeps slots for longer, and a spread starts nodes one by one.
	return ofMany && own.Soak+own.Spread == 0
}

// yielding returns what to do about a budget that never decides. If it has a window, people mean that to allow more:
// then the others need the remaining hours.
func (l *linter) yielding(b *budget.Limit, rivals budget.Indexes) remedy {
	deleting, handing := l.deleting(b.Index), l.handing(b, rivals)
	for i := range rivals.All() {
		deleting.obvious = deleting.obvious || l.list[b.Index].String() == l.list[i].String() // it is written twice
	}
	if l.yieldsToAnnotation(b.Index, rivals) {
		return remedy{otherwise: "keep it for Karpenter alone, which does not read " + l.spec.Addition.Name}
	}
	opens := func(r candidate.Reason) bool { return limits(b, r) && openFor(l.effective(r)) > 0 }
	if !slices.ContainsFunc(l.reasons, opens) {
		return remedy{lead: "the tightest budget wins: ", ways: handing,
			otherwise: "open a time in the others first: then this one limits nodes"}
	}
	return remedy{lead: "the tightest budget wins: ", ways: append(handing, deleting),
		otherwise: "give the others reasons that leave out what this one is for"}
}

// yieldsToAnnotation reports whether a budget of the NodePool itself never decides, but would without the annotation.
func (l *linter) yieldsToAnnotation(i int, rivals budget.Indexes) bool {
	a := l.spec.Addition
	return a.Name != "" && i < a.First && rivals != 0 && rivals&(1<<a.First-1) == 0
}

// neverBindingPaces finds paces that never block a node, because another one is always tighter: it allows no more
// starts within a longer period, whenever it is active.
func (l *linter) neverBindingPaces() {
	for _, a := range l.paces {
		j := slices.IndexFunc(l.paces, func(b *budget.Limit) bool {
			return a != b && l.asTight(b, a) && !l.outlast(only(b.Index)) && (a.Index > b.Index || !l.asTight(a, b))
		})
		if j < 0 || l.cut || l.set.MostSpecific() {
			continue
		}
		b := l.paces[j]
		l.add(Finding{Budgets: only(a.Index) | only(b.Index), Subject: only(a.Index),
			Message: fmt.Sprintf("%s, and never blocks a node: %s, and always tighter", l.name(a.Index),
				l.name(b.Index))}, func() remedy {
			deleting := l.deleting(a.Index)
			deleting.obvious = l.list[a.Index].String() == l.list[b.Index].String()
			const lower = "write a lower number"
			return remedy{ways: []way{deleting}, tail: ", or " + lower, otherwise: lower}
		})
	}
}

// handing returns how to let a window allow more, if a single budget that is always active is in its way: that one gets
// the remaining hours or, if it is for more reasons, a second budget does for those of the window.
func (l *linter) handing(own *budget.Limit, rivals budget.Indexes) []way {
	rivals &= l.which(constant) // a freeze in the window is meant
	if zero := rivals & l.which(func(b *budget.Limit) bool { return b.N == 0 }); zero != 0 {
		rivals = zero // the others may decide then
	}
	i := slices.IndexFunc(l.pool, func(b *budget.Limit) bool { return rivals == only(b.Index) })
	rest := l.weekly(own.Window.Outside())
	if i < 0 || constant(own) || own.N == 0 || l.list[own.Index].Outside || len(rest) != 1 {
		return nil
	}
	other, at := l.pool[i], l.pool[i].Index
	timed := l.list[at]
	timed.Schedule, timed.Duration = rest[0].Schedule, rest[0].Duration
	w := way{raises: true, good: func(after *linter) bool { return !l.opensFully(after) },
		so: fmt.Sprintf(", so that %s decides in its window", l.set.Place(own.Index))}
	if coversReasons(own, other) {
		w.edits = l.replacing(at, timed)
		return []way{w}
	}
	timed.Reasons = own.Reasons
	others := slices.DeleteFunc(l.methods(), func(r candidate.Reason) bool { return !other.Covers(r) || own.Covers(r) })
	if slices.ContainsFunc(own.Reasons, func(r candidate.Reason) bool { return r != r.Method() }) {
		return nil
	}
	w.edits = append(l.edit(only(at), func(b *budget.Budget) { b.Reasons = others }), l.adding(timed)...)
	return []way{w}
}

// opensFully reports whether a list has no limit for a reason at some time, unlike before.
func (l *linter) opensFully(after *linter) bool {
	return slices.ContainsFunc(l.consulted(after), func(r candidate.Reason) bool {
		return l.asks(r) && !hasUnlimited(l.effective(r)) && hasUnlimited(after.effective(r))
	})
}

// onlyTightens finds windows with a higher limit than the budgets that are always active: people read them as a
// permission, but the tightest budget wins. It finds those for which that depends on the number of nodes; neverBinds
// finds the others.
func (l *linter) onlyTightens(b *budget.Limit) (f Finding, fix func() remedy) {
	skip := l.assumed || l.cut || l.set.MostSpecific() || !l.ofPool.Has(b.Index) || l.idle.Has(b.Index)
	if skip || constant(b) || l.list[b.Index].Outside || b.N == 0 {
		return f, nil
	}
	rivals := l.rivals(b)
	if rivals != 0 {
		f.Budgets = rivals
		f.Message = fmt.Sprintf(", and allows no more in its window: of %s, %s is tighter, and budgets only restrict",
			wording.Count(l.nodes, "node"), l.names(rivals))
	}
	return f, func() remedy {
		return remedy{lead: "if it should allow more, ", ways: l.handing(b, rivals),
			otherwise: "give the others a schedule that leaves its window out"}
	}
}

// rivals returns the budgets that decide while a budget is active, or none if it decides itself at some time.
func (l *linter) rivals(b *budget.Limit) (rivals budget.Indexes) {
	for _, r := range l.reasons {
		if !b.Covers(r) {
			continue
		}
		if deciding(l.effective(r)).Has(b.Index) {
			return 0
		}
		for _, s := range l.effective(r)[:min(len(l.effective(r)), lintChanges/50)] {
			for range b.Window.Spans(s.Start, s.End) {
				if s.Nodes > 0 {
					rivals |= s.Binding
				}
				break
			}
		}
	}
	return rivals
}

// takesThePlace finds budgets that take precedence over a freeze: if the most specific budgets decide, a freeze for all
// reasons does not apply to a method with its own budget. A budget that is active only during the freeze is an intended
// exception. So is a budget for Unhealthy, since repair should continue during a freeze. (Disruption-controls-by-method
// RFC.)
func (l *linter) takesThePlace() {
	if !l.set.MostSpecific() {
		return
	}
	for _, freeze := range l.pool {
		for _, by := range l.pool {
			if freeze.N > 0 || by.N == 0 || l.within(by.Window, freeze.Window) {
				continue
			}
			var reasons []candidate.Reason
			since := l.end
			for _, r := range append(slices.Clone(l.reasons), l.set.Named()...) {
				if at := l.overruled(freeze, by, r); at.Before(l.end) && !slices.Contains(reasons, r) {
					reasons, since = append(reasons, r), schedule.First(since, at)
				}
			}
			if len(reasons) == 0 {
				continue
			}
			f := Finding{Budgets: only(by.Index) | only(freeze.Index), Span: schedule.Span{Start: since},
				Message: fmt.Sprintf("%s, and %s: the latter does not apply to %s, where the most specific budgets "+
					"decide", l.name(by.Index), l.name(freeze.Index), reasonsText(reasons))}
			if len(reasons) == 1 {
				f.Reason = reasons[0]
			}
			l.add(f, func() remedy {
				more := l.list[freeze.Index]
				more.Reasons = reasons
				return remedy{lead: "if it should apply there too, ", otherwise: "write a budget for that",
					ways: []way{{edits: l.adding(more)}}}
			})
		}
	}
}

// overruled returns when an active freeze first blocks no node for a reason, since another budget decides: the end of
// the checked time if never.
func (l *linter) overruled(freeze, by *budget.Limit, r candidate.Reason) time.Time {
	for _, s := range l.effective(r) {
		if s.Nodes == 0 || !s.Binding.Has(by.Index) || !freeze.Covers(r) || isRepair(r) {
			continue
		}
		for span := range freeze.Window.Spans(s.Start, s.End) {
			return schedule.Last(s.Start, span.Start)
		}
	}
	return l.end
}

// mostNodes is the greatest number of nodes that Kubernetes supports. ("Considerations for large clusters".)
const mostNodes = 5000

// limitsNothing finds budgets that allow all nodes at once, or within the time of a pace: 100 %, or a count of all
// nodes. For empty nodes, which run nothing, that is intended.
func (l *linter) limitsNothing(b *budget.Limit) (f Finding, fix func() remedy) {
	all, nodes := l.nodes, fmt.Sprintf("all %d nodes", l.nodes)
	switch {
	case l.nodes == 1 && !b.Percent && !l.assumed:
		nodes = "the only node"
	case b.Percent:
		all, nodes = 100, "all nodes"
	case l.assumed:
		all, nodes = mostNodes, "all nodes of any pool"
	}
	what := "be disrupted at once"
	if b.Per > 0 {
		what = "start within that time"
	}
	switch {
	case b.N < all:
	case l.decides(b):
		f.Message = fmt.Sprintf(", and limits nothing: %s may %s", nodes, what)
	case b.Percent && constant(b) && l.ofPool.Has(b.Index) && !l.idle.Has(b.Index):
		// Beside a count, it decides only in pools so small that the count is more than all of their nodes.
		if f.Budgets = l.rivals(b); f.Budgets != 0 {
			f.Message = ", and allows no more than without it: " + l.names(f.Budgets) + ", and budgets only restrict"
			f.Subject = only(b.Index)
			return f, func() remedy { return remedy{ways: []way{l.deleting(b.Index)}, otherwise: "delete it"} }
		}
	}
	return f, func() remedy {
		return remedy{tail: " if that is not intended", otherwise: "write a lower number, if that is not intended",
			ways: []way{{edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Nodes = "10%" })}}}
	}
}

// beyondEmpty reports whether a budget is for a reason other than Empty.
func (l *linter) beyondEmpty(b *budget.Limit) bool {
	return slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool { return r != candidate.Empty && b.Covers(r) })
}

// decides reports whether a budget decides at some time for a reason other than Empty.
func (l *linter) decides(b *budget.Limit) bool {
	return b.Key != "" && !b.Sequential && l.beyondEmpty(b) ||
		slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
			return r != candidate.Empty && slices.ContainsFunc(l.effective(r),
				func(s budget.Segment) bool { return (s.Binding | s.Paces).Has(b.Index) })
		})
}

// neverOccurs finds budgets that only name reasons for which no node of the pool goes anyway.
func (l *linter) neverOccurs(b *budget.Limit) (f Finding, fix func() remedy) {
	if len(b.Reasons) > 0 && !slices.ContainsFunc(b.Reasons, l.occurs) {
		f.Message = fmt.Sprintf(", and limits nothing, since %s never %s in this pool (%s)", reasonsText(b.Reasons),
			plural(len(b.Reasons), "occurs", "occur"), l.excluding(b.Reasons))
	}
	return f, func() remedy {
		deleting := l.deleting(b.Index)
		deleting.raises = true // for when they do
		const keep = "keep it for when they do"
		return remedy{ways: []way{deleting}, tail: ", or " + keep, otherwise: keep}
	}
}

// excluding names what keeps nodes from going for some reasons.
func (l *linter) excluding(reasons []candidate.Reason) string {
	switch spec := l.spec; {
	case l.facts.Replicas > 0:
		return "it has replicas"
	case spec.ConsolidateAfter == "Never":
		return "consolidateAfter is Never"
	case spec.ConsolidationPolicy == "WhenEmpty" || spec.Consolidation.ConsolidationPolicy == "WhenEmpty":
		return "consolidationPolicy is WhenEmpty"
	case slices.ContainsFunc(reasons, l.facts.excludes):
		return "its consolidation settings keep them out"
	}
	return "disruptAfter is Never"
}
