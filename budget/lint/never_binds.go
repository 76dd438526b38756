package lint

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var ruleNeverBinds = Rule{
	Code:    CodeNeverBinds,
	Means:   "Other budgets are always tighter, whatever the number of nodes, so this one never decides.",
	Example: `nodes: "20%" next to nodes: "10%", both always active.`,
	Do: "Delete it, or give it the schedule or the reasons that it is for. The most restrictive active " +
		"budget wins.",
}

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
	upTo, _ := l.walk(l.limits.reasons(), func(_ time.Time, now budget.Indexes, alike []candidate.Reason) (stop bool) {
		active |= now
		if group := l.limits.Deciding(now, alike[0]); !seen[group] {
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

// yielding says what to do about a budget that never decides. If it has a window, people mean that to allow more: then
// the others need the remaining hours.
func (l *linter) yielding(i int, rivals budget.Indexes) remedy {
	deleting, handing := l.deleting(i), l.handing(i, rivals)
	for j := range rivals.All() {
		deleting.obvious = deleting.obvious || l.list[i].String() == l.list[j].String() // it is written twice
	}
	return remedy{lead: "the tightest budget wins: ", ways: append(handing, deleting),
		otherwise: "give the others reasons that leave out what this one is for"}
}

// neverBindingPaces finds paces that never hold a node back, because another one is always tighter: it lets no more
// nodes start within a longer period.
func (l *linter) neverBindingPaces() {
	for i := range l.limits.paces {
		for j := range l.limits.paces {
			if a, b := l.limits.paces[i], l.limits.paces[j]; i != j && l.outpaced(a, b) &&
				!(i < j && l.outpaced(b, a)) {
				l.addFix(Finding{Code: CodeNeverBinds, Severity: SeverityWarning,
					Budgets: only(a.Index) | only(b.Index), Subject: only(a.Index),
					Message: fmt.Sprintf("%s, and never holds a node back: %s, and always tighter", l.name(a.Index),
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

// outpaced reports whether a pace never holds back a node that another pace lets start.
func (l *linter) outpaced(a, b *budget.Limit) bool {
	covered := len(a.Reasons) > 0 || len(b.Reasons) == 0
	for _, r := range a.Reasons {
		covered = covered && b.Covers(r)
	}
	fewer := a.Percent == b.Percent && b.N <= a.N
	return covered && fewer && b.Per >= a.Per && (b.Constant() || a.Window == b.Window) && !l.limits.MostSpecific()
}
