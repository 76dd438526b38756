package lint

import (
	"fmt"
	"math"
	"math/bits"
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
	for i := mostBudgets - 1; i >= 0; i-- {
		if active.Has(i) && !binds(l.limits, i, groups, idle) {
			idle.Add(i)
		}
	}
	l.idle = idle
	for i := range idle.All() {
		var rivals budget.Indexes
		for _, g := range groups {
			if g.Has(i) {
				rivals |= g &^ idle
			}
		}
		if l.outlast(rivals) {
			continue // it makes a difference after the year
		}
		f := Finding{Code: CodeNeverBinds, Severity: SeverityWarning, Budgets: only(i) | rivals,
			Subject: only(i),
			Message: fmt.Sprintf("%s, and it makes no difference in the coming year: %s, and never more", l.name(i),
				l.names(rivals))}
		fix := func() remedy { return l.yielding(i, rivals) }
		if rivals == 0 {
			f.Severity = SeverityInfo
			f.Message = l.name(i) + ", and it makes no difference in the coming year: for each reason, more " +
				"specific budgets are active whenever it is"
			fix = func() remedy { return remedy{ways: []way{l.deleting(i)}, tail: ", or keep it for future reasons"} }
		}
		l.addFix(f, fix)
	}
}

// outlast reports whether any of the budgets is active throughout the year and ends after it.
func (l *linter) outlast(which budget.Indexes) bool {
	for _, b := range l.limits.pool {
		if active, end := b.Window.Until(l.now); which.Has(b.Index) && active && end.After(l.end) {
			return true
		}
	}
	return false
}

// deciders returns the groups of budgets that decide together at some time in the coming year, and the budgets that are
// active at some time. Complete is false if these change too often.
func (l *linter) deciders() (groups []budget.Indexes, active budget.Indexes, complete bool) {
	seen := map[budget.Indexes]bool{}
	upTo, _ := l.walk(l.limits.reasons(), func(at time.Time, now budget.Indexes, alike []candidate.Reason) (stop bool) {
		active |= now
		if group := l.limits.Deciding(at, alike[0]); !seen[group] {
			seen[group] = true
			groups = append(groups, group)
		}
		return false
	})
	return groups, active, !upTo.Before(l.end)
}

// binds reports whether a budget makes a difference in any of the groups, without the deleted budgets. If the most
// specific budgets decide, a budget that several reasons share limits them together: only a budget for all of these
// reasons can replace it.
func binds(s *limits, i int, groups []budget.Indexes, deleted budget.Indexes) bool {
	if s.MostSpecific() {
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
		if g.Has(i) && !outdone(s, i, g&^deleted) {
			return true
		}
	}
	return false
}

// outdone reports whether the other budgets among some allow at most what budget i allows, for every number of nodes.
func outdone(s *limits, i int, among budget.Indexes) bool {
	var own budget.Amount
	for _, b := range s.pool {
		if b.Index == i {
			if b.Soak > 0 {
				return false // its slots stay taken for longer
			}
			own = plain(b.Amount)
		}
	}
	others := tightest{count: math.MaxInt, percent: math.MaxInt}
	for _, b := range s.pool {
		if b.Index != i && among.Has(b.Index) {
			others.add(plain(b.Amount))
		}
	}
	return others.atMost(own)
}

// plain returns the limit, with 0 % as a count of 0.
func plain(l budget.Amount) budget.Amount {
	if l.N == 0 {
		return budget.Amount{}
	}
	return l
}

// tightest is the smallest count and the smallest percentage of some limits, or math.MaxInt if there is none.
type tightest struct{ count, percent int }

func (t *tightest) add(l budget.Amount) {
	if l.Percent {
		t.percent = min(t.percent, l.N)
	} else {
		t.count = min(t.count, l.N)
	}
}

// atMost reports whether the least of the limits is at most a plain one, for every number of nodes but 0.
func (t tightest) atMost(l budget.Amount) bool {
	switch {
	case t.count == 0:
		return true
	case !l.Percent:
		return t.count <= l.N // for many nodes, a percentage exceeds any count
	case t.percent <= l.N:
		return true
	}
	// Two percentages of n nodes differ at the latest for n = 100. At the first n where they differ, l has its least
	// value among all such n.
	n := 1
	for t.percent <= 100 && (budget.Amount{N: t.percent, Percent: true}).Of(n) == l.Of(n) {
		n++
	}
	return t.count <= l.Of(n)
}

// yielding returns what to do about a budget that never decides. If it has a window, people mean that to allow more:
// then the others need the remaining hours.
func (l *linter) yielding(i int, rivals budget.Indexes) remedy {
	deleting, handing := l.deleting(i), l.handing(i, rivals)
	for j := range rivals.All() {
		deleting.obvious = deleting.obvious || l.list[i].String() == l.list[j].String() // it is written twice
	}
	return remedy{lead: "the tightest budget wins: ", ways: append(handing, deleting),
		otherwise: "give the others reasons that leave out what this one is for"}
}

// neverBindingPaces finds paces that never block a node, because another one is always tighter: it allows no more
// starts within a longer period.
func (l *linter) neverBindingPaces() {
	for i := range l.limits.paces {
		for j := range l.limits.paces {
			if a, b := l.limits.paces[i], l.limits.paces[j]; i != j && l.outpaced(a, b) &&
				!(i < j && l.outpaced(b, a)) {
				l.addFix(Finding{Code: CodeNeverBinds, Severity: SeverityWarning,
					Budgets: only(a.Index) | only(b.Index), Subject: only(a.Index),
					Message: fmt.Sprintf("%s, and never blocks a node: %s, and always tighter", l.name(a.Index),
						l.name(b.Index))}, func() remedy {
					deleting := l.deleting(a.Index)
					deleting.obvious = l.list[a.Index].String() == l.list[b.Index].String()
					const lower = "write a lower number"
					return remedy{ways: []way{deleting}, tail: ", or " + lower, otherwise: lower}
				})
				break
			}
		}
	}
}

// outpaced reports whether a pace never blocks a node that another pace allows.
func (l *linter) outpaced(a, b *budget.Limit) bool {
	covered := len(a.Reasons) > 0 || len(b.Reasons) == 0
	for _, r := range a.Reasons {
		covered = covered && b.Covers(r)
	}
	fewer := a.Percent == b.Percent && b.N <= a.N
	return covered && fewer && b.Per >= a.Per && (b.Constant() || a.Window == b.Window) && !l.limits.MostSpecific()
}

// handing returns how to let a window allow more, if a single budget that is always active is in its way: that one gets
// the remaining hours or, if it is for more reasons, a second budget does for those of the window.
func (l *linter) handing(i int, rivals budget.Indexes) []way {
	if zero := rivals & l.which(func(b *budget.Limit) bool { return b.N == 0 }); zero != 0 {
		rivals = zero // the others may decide then
	}
	at := bits.TrailingZeros64(uint64(rivals))
	own, other := l.ofPool(i), l.ofPool(at)
	if rivals != only(at) || own == nil || other == nil || own.Constant() || !other.Constant() || own.N == 0 ||
		l.list[i].Outside {
		return nil
	}
	rest := l.weekly(own.Window.Outside())
	if len(rest) != 1 {
		return nil
	}
	timed := l.list[at]
	timed.Schedule, timed.Duration = rest[0].Schedule, rest[0].Duration
	w := way{raises: true, good: func(after *linter) bool { return !l.opensFully(after) }}
	if coversReasons(own, other) {
		w.does = fmt.Sprintf(`write "schedule": %q, "duration": %q in %s, so that %s decides in its window`,
			timed.Schedule, timed.Duration, l.set.Place(at), l.set.Place(i))
		w.edits = l.replacing(at, timed)
		return []way{w}
	}
	timed.Reasons = own.Reasons
	others := slices.DeleteFunc(l.methods(), func(r candidate.Reason) bool { return !other.Covers(r) || own.Covers(r) })
	if slices.ContainsFunc(own.Reasons, func(r candidate.Reason) bool { return r != r.Method() }) {
		return nil
	}
	w.does = fmt.Sprintf(`write "reasons": %s in %s, and add %s, so that %s decides in its window`, jsonList(others),
		l.set.Place(at), l.literals(timed), l.set.Place(i))
	w.edits = append(l.edit(at, func(b *budget.Budget) { b.Reasons = others }), l.adding(timed)...)
	return []way{w}
}

// opensFully reports whether a list has no limit for a reason at some time, unlike before.
func (l *linter) opensFully(after *linter) bool {
	return slices.ContainsFunc(l.consulted(after), func(r candidate.Reason) bool {
		return l.asks(r) && !hasUnlimited(l.effective(r)) && hasUnlimited(after.effective(r))
	})
}

// ofPool returns the budget for the whole pool at a position, if it is one.
func (l *linter) ofPool(i int) *budget.Limit {
	if j := slices.IndexFunc(l.limits.pool, func(b *budget.Limit) bool { return b.Index == i }); j >= 0 {
		return l.limits.pool[j]
	}
	return nil
}

// onlyTightens finds windows with a higher limit than the budgets that are always active: people read them as a
// permission, but the tightest budget wins. It finds those for which that depends on the number of nodes; neverBinds
// finds the others.
func (l *linter) onlyTightens() {
	if l.assumed || l.cut || l.limits.MostSpecific() {
		return
	}
	for _, b := range l.limits.pool {
		if b.Constant() || l.list[b.Index].Outside || b.N == 0 || l.idle.Has(b.Index) {
			continue
		}
		rivals := l.rivals(b)
		if rivals == 0 {
			continue
		}
		l.addFix(Finding{Code: CodeOnlyTightens, Severity: SeverityInfo, Budgets: only(b.Index) | rivals,
			Message: fmt.Sprintf("%s, and allows no more in its window: of %s, %s is tighter, and budgets only "+
				"restrict", l.name(b.Index), wording.Count(l.nodes, "node"), l.names(rivals))}, func() remedy {
			return remedy{lead: "if it should allow more, ", ways: l.handing(b.Index, rivals),
				otherwise: "give the others a schedule that leaves its window out"}
		})
	}
}

// rivals returns the budgets that decide while a budget is active, or none if it decides itself at some time.
func (l *linter) rivals(b *budget.Limit) (rivals budget.Indexes) {
	for _, r := range l.reasons {
		if b.Covers(r) && slices.ContainsFunc(l.timelines[r],
			func(s budget.Segment) bool { return s.Binding.Has(b.Index) }) {
			return 0
		}
	}
	for _, r := range l.reasons {
		for _, s := range l.timelines[r][:min(len(l.timelines[r]), lintChanges/50)] {
			for range b.Window.Spans(s.Start, s.End) {
				if b.Covers(r) && s.Nodes > 0 {
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
	var freezes []*budget.Limit
	for _, b := range l.limits.pool {
		if l.limits.MostSpecific() && b.N == 0 {
			freezes = append(freezes, b)
		}
	}
	if len(freezes) == 0 {
		return
	}
	var all []usurpation
	// For each budget, those that are inactive at some time when it is active.
	without := map[int]budget.Indexes{}
	var last time.Time
	l.walk(append(slices.Clone(l.reasons), l.limits.Named()...),
		func(now time.Time, active budget.Indexes, alike []candidate.Reason) (enough bool) {
			if !now.Equal(last) {
				last = now
				for i := range active.All() {
					without[i] |= ^active
				}
			}
			r := alike[0]
			overruled := active &^ l.limits.Deciding(now, r)
			allowance, _ := budget.AllowedByReason(l.limits.Set, now, l.nodes, r)
			for _, b := range freezes {
				if !overruled.Has(b.Index) || !b.Covers(r) || allowance.Nodes == 0 || candidate.Unhealthy.Covers(r) {
					continue
				}
				for i := range allowance.Binding.All() {
					at := slices.IndexFunc(all, func(u usurpation) bool { return u.by == i && u.of == b })
					if at < 0 {
						at, all = len(all), append(all, usurpation{by: i, of: b, since: now})
					}
					all[at].add(alike)
				}
			}
			return false
		})
	for _, u := range all {
		if without[u.by].Has(u.of.Index) {
			l.usurps(u)
		}
	}
}

// A usurpation is that a budget takes precedence over a freeze for some reasons.
type usurpation struct {
	by      int
	of      *budget.Limit
	reasons []candidate.Reason
	since   time.Time
}

func (u *usurpation) add(reasons []candidate.Reason) {
	for _, r := range reasons {
		if !slices.Contains(u.reasons, r) {
			u.reasons = append(u.reasons, r)
		}
	}
}

// usurps adds the finding of a usurpation.
func (l *linter) usurps(u usurpation) {
	both := only(u.by) | only(u.of.Index)
	f := Finding{Code: CodeTakesThePlace, Severity: SeverityWarning, Budgets: both,
		Span: schedule.Span{Start: u.since},
		Message: fmt.Sprintf("%s, and %s: the latter does not apply to %s, where the most specific budgets decide",
			l.name(u.by), l.name(u.of.Index), reasonsText(u.reasons))}
	if len(u.reasons) == 1 {
		f.Reason = u.reasons[0]
	}
	l.addFix(f, func() remedy { return l.again(u.of.Index, u.reasons) })
}

// again returns the way to write a budget once more, for reasons that have a budget of their own.
func (l *linter) again(i int, reasons []candidate.Reason) remedy {
	more := l.list[i]
	more.Reasons = reasons
	return remedy{ways: []way{{does: "if it should apply there too, add " + l.literals(more), edits: l.adding(more)}},
		otherwise: "if it should apply there too, write a budget for that"}
}

// mostNodes is the greatest number of nodes that Kubernetes supports. ("Considerations for large clusters".)
const mostNodes = 5000

// limitsNothing finds budgets that allow all nodes at once, or within the time of a pace: 100 %, or a count of all
// nodes. For empty nodes, which run nothing, that is intended.
func (l *linter) limitsNothing() {
	for _, b := range l.valid {
		all, nodes := l.nodes, fmt.Sprintf("all %d nodes", l.nodes)
		switch {
		case b.Percent:
			all, nodes = 100, "all nodes"
		case l.assumed:
			all, nodes = mostNodes, "all nodes of any pool"
		}
		if b.N < all || !l.decides(b) && !l.neverDecides(b) {
			continue
		}
		what := "be disrupted at once"
		if b.Per > 0 {
			what = "start within that time"
		}
		l.addFix(Finding{Code: CodeLimitsNothing, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s, and limits nothing: %s may %s", l.name(b.Index), nodes, what)}, func() remedy {
			return remedy{tail: " if that is not intended", otherwise: "write a lower number, if that is not intended",
				ways: []way{{does: `write "nodes": "10%" in ` + l.set.Place(b.Index),
					edits: l.edit(b.Index, func(b *budget.Budget) { b.Nodes = "10%" })}}}
		})
	}
}

// neverDecides reports whether 100 % is for more than empty nodes, and only decides in pools so small that a count
// beside it is more than all of their nodes.
func (l *linter) neverDecides(b *budget.Limit) bool {
	return b.Percent && b.Key == "" && b.Per == 0 && !l.idle.Has(b.Index) &&
		slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool { return r != candidate.Empty && b.Covers(r) }) &&
		!slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
			return slices.ContainsFunc(l.timelines[r], func(s budget.Segment) bool { return s.Binding.Has(b.Index) })
		})
}

// decides reports whether a budget decides at some time for a reason other than Empty.
func (l *linter) decides(b *budget.Limit) bool {
	if b.Key != "" {
		return !b.Sequential && slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
			return r != candidate.Empty && b.Covers(r)
		})
	}
	return slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
		return r != candidate.Empty && slices.ContainsFunc(l.timelines[r],
			func(s budget.Segment) bool { return (s.Binding | s.Paces).Has(b.Index) })
	})
}

// neverOccurs finds budgets that only name reasons for which no node of the pool goes anyway.
func (l *linter) neverOccurs() {
	for _, b := range l.valid {
		if len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, l.occurs) {
			continue
		}
		l.addFix(Finding{Code: CodeNeverOccurs, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s, and limits nothing, since %s never %s in this pool (%s)", l.name(b.Index),
				reasonsText(b.Reasons), plural(len(b.Reasons), "occurs", "occur"),
				l.excluding(b.Reasons))}, func() remedy {
			deleting := l.deleting(b.Index)
			deleting.raises = true // for when they do
			const keep = "keep it for when they do"
			return remedy{ways: []way{deleting}, tail: ", or " + keep, otherwise: keep}
		})
	}
}

// excluding names what keeps nodes from going for some reasons.
func (l *linter) excluding(reasons []candidate.Reason) string {
	switch spec := l.spec; {
	case l.pool.Replicas > 0:
		return "it has replicas"
	case spec.ConsolidateAfter == "Never":
		return "consolidateAfter is Never"
	case spec.ConsolidationPolicy == "WhenEmpty" || spec.Consolidation.ConsolidationPolicy == "WhenEmpty":
		return "consolidationPolicy is WhenEmpty"
	case slices.ContainsFunc(reasons, l.pool.excludes):
		return "its consolidation settings keep them out"
	}
	return "disruptAfter is Never"
}
