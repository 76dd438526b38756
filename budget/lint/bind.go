package lint

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// idlers finds budgets that make no difference for any number of nodes: whenever one would decide, others are at least
// as tight, or more specific. All that it finds can be deleted together. It prefers to delete later ones.
func (l *linter) idlers() {
	groups, active, complete := l.deciders()
	if !complete || l.cut {
		return
	}
	var idle limit.Indexes
	for i := mostBudgets - 1; i >= 0; i-- {
		if active.Has(i) && !binds(l.limits, i, groups, idle) {
			idle.Add(i)
		}
	}
	l.idle = idle
	for i := range idle.All() {
		var rivals limit.Indexes
		for _, g := range groups {
			if g.Has(i) {
				rivals |= g &^ idle
			}
		}
		if l.outlast(rivals) {
			continue // it makes a difference after the year
		}
		f := finding{Code: CodeNeverBinds, Severity: SeverityWarning, Budgets: limit.Only(i) | rivals,
			Message: fmt.Sprintf("%s, and it makes no difference in the coming year: %s, and never more", l.name(i), l.names(rivals)),
			Advice:  l.yielding(i, rivals)}
		if rivals == 0 {
			f.Severity = SeverityInfo
			f.Message = l.name(i) + ", and it makes no difference in the coming year: for each reason, more specific budgets are active whenever it is"
			f.Advice = l.deleting(i) + ", or keep it for future reasons"
		}
		l.add(f)
	}
}

// outlast reports whether any of the budgets is active throughout the year and ends after it.
func (l *linter) outlast(which limit.Indexes) bool {
	for i := range l.limits.Pool {
		b := &l.limits.Pool[i]
		if active, end := b.Window.Until(l.now); which.Has(b.Index) && active && end.After(l.end) {
			return true
		}
	}
	return false
}

// usurpers finds budgets that take precedence over a freeze: if the most specific budgets decide, a freeze for all
// reasons does not apply to a method with its own budget. A budget that is active only during the freeze is an intended
// exception. So is a budget for Unhealthy, since repair should continue during a freeze. (Disruption-controls-by-method
// RFC.)
func (l *linter) usurpers() {
	var freezes []*limit.Budget
	for i := range l.limits.Pool {
		if b := &l.limits.Pool[i]; l.limits.Specific && b.Limit.N == 0 {
			freezes = append(freezes, b)
		}
	}
	if len(freezes) == 0 {
		return
	}
	var all []usurpation
	var without [limit.MostIndexes]limit.Indexes // for each budget, those that are inactive at some time when it is active
	var last time.Time
	l.walk(append(slices.Clone(l.reasons), l.limits.Named()...), func(now time.Time, active limit.Indexes, a *limit.Alike) (enough bool) {
		if !now.Equal(last) {
			last = now
			for i := range active.All() {
				without[i] |= ^active
			}
		}
		overruled := active & a.Covering() &^ a.Deciding(active)
		allowance := l.limits.Allowance(&a.Concern, active, l.nodes)
		for _, b := range freezes {
			if !overruled.Has(b.Index) || allowance.Nodes == 0 || candidate.Unhealthy.Covers(a.Reasons[0]) {
				continue
			}
			for i := range allowance.Binding.All() {
				at := slices.IndexFunc(all, func(u usurpation) bool { return u.by == i && u.of == b })
				if at < 0 {
					at, all = len(all), append(all, usurpation{by: i, of: b, since: now})
				}
				all[at].add(a.Reasons)
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
	of      *limit.Budget
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
	f := finding{Code: CodeTakesPlace, Severity: SeverityWarning, Budgets: limit.Only(u.by) | limit.Only(u.of.Index), Span: schedule.Span{Start: u.since},
		Message: fmt.Sprintf("%s, and %s: the latter does not apply to %s, where the most specific budgets decide",
			l.name(u.by), l.name(u.of.Index), reasonsText(u.reasons)),
		Advice: l.again(u.of.Index, u.reasons)}
	if len(u.reasons) == 1 {
		f.Reason = u.reasons[0]
	}
	l.add(f)
}

// again says to write a budget once more, for reasons that have a budget of their own.
func (l *linter) again(i int, reasons []candidate.Reason) string {
	more := l.list[i]
	more.Reasons = reasons
	return "if it should apply there too, add " + literal(more) + l.butWhich(append(slices.Clone(l.list), more))
}

// deciders returns the groups of budgets that decide together at some time in the coming year, and the budgets that are
// active at some time. Complete is false if these change too often.
func (l *linter) deciders() (groups []limit.Indexes, active limit.Indexes, complete bool) {
	seen := map[limit.Indexes]bool{}
	upTo, _ := l.walk(l.limits.Reasons(), func(_ time.Time, now limit.Indexes, a *limit.Alike) (enough bool) {
		active |= now
		if group := a.Deciding(now); !seen[group] {
			seen[group] = true
			groups = append(groups, group)
		}
		return false
	})
	return groups, active, !upTo.Before(l.end)
}

// walk calls look at each time in the coming year when budgets become active or inactive, with the active budgets, once
// for each group of reasons that the same budgets affect. It stops looking at a group when look has seen enough. It
// returns how far it got, and the groups of which look has not seen enough. It ends before the end of the year only if
// the work exceeds mostWork.
func (l *linter) walk(reasons []candidate.Reason, look func(now time.Time, active limit.Indexes, a *limit.Alike) (enough bool)) (upTo time.Time, left []limit.Alike) {
	left = l.limits.Alike(reasons)
	var covering limit.Indexes
	for i := range left {
		covering |= left[i].Covering()
	}
	budgets, work := l.limits.At(covering), 0
	for now, active := range limit.Changes(budgets, l.now) {
		if !now.Before(l.end) || len(left) == 0 {
			break
		}
		work += len(budgets) + len(left)
		if work > mostWork {
			return now, left
		}
		more := left[:0]
		for i := range left {
			if !look(now, active, &left[i]) {
				more = append(more, left[i])
			}
		}
		left = more
	}
	return l.end, left
}

// binds reports whether a budget makes a difference in any of the groups, without the deleted budgets. If the most
// specific budgets decide, a budget that several reasons share limits them together: only a budget for all of these
// reasons can replace it.
func binds(s *limit.Set, i int, groups []limit.Indexes, deleted limit.Indexes) bool {
	if s.Specific {
		common := ^(deleted | limit.Only(i))
		for _, g := range groups {
			if g.Has(i) {
				common &= g
			}
		}
		groups = slices.Clone(groups)
		for n := range groups {
			groups[n] &= common | limit.Only(i)
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
func outdone(s *limit.Set, i int, among limit.Indexes) bool {
	var own limit.Limit
	for j := range s.Pool {
		if s.Pool[j].Index == i {
			own = plain(s.Pool[j].Limit)
		}
	}
	others := tightest{count: math.MaxInt, percent: math.MaxInt}
	for j := range s.Pool {
		if b := &s.Pool[j]; b.Index != i && among.Has(b.Index) {
			others.add(plain(b.Limit))
		}
	}
	return others.atMost(own)
}

// plain returns the limit, with 0 % as a count of 0.
func plain(l limit.Limit) limit.Limit {
	if l.N == 0 {
		return limit.Limit{}
	}
	return l
}

// tightest is the smallest count and the smallest percentage of some limits, or math.MaxInt if there is none.
type tightest struct{ count, percent int }

func (t *tightest) add(l limit.Limit) {
	if l.Percent {
		t.percent = min(t.percent, l.N)
	} else {
		t.count = min(t.count, l.N)
	}
}

// atMost reports whether the least of the limits is at most a plain one, for every number of nodes but 0.
func (t tightest) atMost(l limit.Limit) bool {
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
	for t.percent <= 100 && (limit.Limit{N: t.percent, Percent: true}).Of(n) == l.Of(n) {
		n++
	}
	return t.count <= l.Of(n)
}
