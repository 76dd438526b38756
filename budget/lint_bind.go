package budget

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// idlers finds budgets that make no difference for any number of nodes: whenever one would decide, others are at least
// as tight, or more specific. All that it finds can be deleted together. It prefers to delete later ones.
func (l *linter) idlers() {
	groups, active, complete := l.deciders()
	if !complete || l.cut {
		return
	}
	var idle Indexes
	for i := mostBudgets - 1; i >= 0; i-- {
		if active.Has(i) && !l.set.binds(i, groups, idle) {
			idle.add(i)
		}
	}
	l.idle = idle
	for i := range idle.All() {
		var rivals Indexes
		for _, g := range groups {
			if g.Has(i) {
				rivals |= g &^ idle
			}
		}
		if l.outlast(rivals) {
			continue // it makes a difference after the year
		}
		f := Finding{Code: FindingNeverBinds, Severity: SeverityWarning, Budgets: only(i) | rivals,
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
func (l *linter) outlast(which Indexes) bool {
	for i := range l.set.pool {
		b := &l.set.pool[i]
		if active, end := b.window.Until(l.now); which.Has(b.index) && active && end.After(l.end) {
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
	var freezes []*compiled
	for i := range l.set.pool {
		if b := &l.set.pool[i]; l.set.specific && b.limit.n == 0 {
			freezes = append(freezes, b)
		}
	}
	if len(freezes) == 0 {
		return
	}
	var all []usurpation
	var without [mostBudgets]Indexes // for each budget, those that are inactive at some time when it is active
	var last time.Time
	l.walk(append(slices.Clone(l.reasons), l.set.named()...), func(now time.Time, active Indexes, a *alike) (enough bool) {
		if !now.Equal(last) {
			last = now
			for i := range active.All() {
				without[i] |= ^active
			}
		}
		overruled := active & a.covering() &^ a.deciding(active)
		allowance := l.set.allowance(&a.concern, active, l.nodes)
		for _, b := range freezes {
			if !overruled.Has(b.index) || allowance.Nodes == 0 || candidate.Unhealthy.Covers(a.reasons[0]) {
				continue
			}
			for i := range allowance.Binding.All() {
				at := slices.IndexFunc(all, func(u usurpation) bool { return u.by == i && u.of == b })
				if at < 0 {
					at, all = len(all), append(all, usurpation{by: i, of: b, since: now})
				}
				all[at].add(a.reasons)
			}
		}
		return false
	})
	for _, u := range all {
		if without[u.by].Has(u.of.index) {
			l.usurps(u)
		}
	}
}

// A usurpation is that a budget takes precedence over a freeze for some reasons.
type usurpation struct {
	by      int
	of      *compiled
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
	f := Finding{Code: FindingTakesPlace, Severity: SeverityWarning, Budgets: only(u.by) | only(u.of.index), Span: schedule.Span{Start: u.since},
		Message: fmt.Sprintf("%s, and %s: the latter does not apply to %s, where the most specific budgets decide",
			l.name(u.by), l.name(u.of.index), reasonsText(u.reasons)),
		Advice: l.again(u.of.index, u.reasons)}
	if len(u.reasons) == 1 {
		f.Reason = u.reasons[0]
	}
	l.add(f)
}

// again says to write a budget once more, for reasons that have a budget of their own.
func (l *linter) again(i int, reasons []candidate.Reason) string {
	more := l.set.written[i]
	more.Reasons = reasons
	return "if it should apply there too, add " + literal(more) + l.butWhich(append(slices.Clone(l.set.written), more))
}

// deciders returns the groups of budgets that decide together at some time in the coming year, and the budgets that are
// active at some time. Complete is false if these change too often.
func (l *linter) deciders() (groups []Indexes, active Indexes, complete bool) {
	seen := map[Indexes]bool{}
	upTo, _ := l.walk(l.set.reasons(), func(_ time.Time, now Indexes, a *alike) (enough bool) {
		active |= now
		if group := a.deciding(now); !seen[group] {
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
func (l *linter) walk(reasons []candidate.Reason, look func(now time.Time, active Indexes, a *alike) (enough bool)) (upTo time.Time, left []alike) {
	left = l.set.alike(reasons)
	var covering Indexes
	for i := range left {
		covering |= left[i].covering()
	}
	budgets, work := l.set.at(covering), 0
	for now, active := range changes(budgets, l.now) {
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
func (s *set) binds(i int, groups []Indexes, deleted Indexes) bool {
	if s.specific {
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
		if g.Has(i) && !s.outdone(i, g&^deleted) {
			return true
		}
	}
	return false
}

// outdone reports whether the other budgets among some allow at most what budget i allows, for every number of nodes.
func (s *set) outdone(i int, among Indexes) bool {
	var own limit
	for j := range s.pool {
		if s.pool[j].index == i {
			own = s.pool[j].limit.plain()
		}
	}
	others := tightest{count: math.MaxInt, percent: math.MaxInt}
	for j := range s.pool {
		if b := &s.pool[j]; b.index != i && among.Has(b.index) {
			others.add(b.limit.plain())
		}
	}
	return others.atMost(own)
}

// plain returns the limit, with 0 % as a count of 0.
func (l limit) plain() limit {
	if l.n == 0 {
		return limit{}
	}
	return l
}

// tightest is the smallest count and the smallest percentage of some limits, or math.MaxInt if there is none.
type tightest struct{ count, percent int }

func (t *tightest) add(l limit) {
	if l.percent {
		t.percent = min(t.percent, l.n)
	} else {
		t.count = min(t.count, l.n)
	}
}

// atMost reports whether the least of the limits is at most a plain one, for every number of nodes but 0.
func (t tightest) atMost(l limit) bool {
	switch {
	case t.count == 0:
		return true
	case !l.percent:
		return t.count <= l.n // for many nodes, a percentage exceeds any count
	case t.percent <= l.n:
		return true
	}
	// Two percentages of n nodes differ at the latest for n = 100. At the first n where they differ, l has its least
	// value among all such n.
	n := 1
	for t.percent <= 100 && (limit{t.percent, true}).of(n) == l.of(n) {
		n++
	}
	return t.count <= l.of(n)
}
