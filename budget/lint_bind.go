package budget

import (
	"fmt"
	"math"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A role is what a budget does in the coming year.
type role struct {
	active  bool    // at some time
	decides bool    // for some reason, at some time
	binds   bool    // it makes a difference then, for some number of nodes
	rivals  Indexes // the budgets that make the difference where it decides
}

// idlers finds budgets that make no difference, however many nodes there are: wherever one would decide, others are at
// least as tight, or more specific.
func (l *linter) idlers() {
	roles, complete := l.roles()
	if !complete {
		return
	}
	for i := range l.set.pool {
		b := &l.set.pool[i]
		role := roles[b.index]
		f := Finding{Code: FindingNeverBinds, Severity: SeverityWarning, Budgets: only(b.index) | role.rivals}
		switch {
		case role.binds || !role.active:
			continue
		case role.decides:
			f.Message = fmt.Sprintf("%s, and makes no difference: %s, and never more", l.name(b.index), l.names(role.rivals))
			f.Advice = "the tightest budget wins, and none allows more than another: delete it, or write reasons into the others, " +
				"so that they are not for what it is for"
		default:
			f.Severity = SeverityInfo
			f.Message = l.name(b.index) + ", and makes no difference: for each reason, more specific budgets are active whenever it is"
			f.Advice = "delete it, or keep it for reasons to come"
		}
		l.add(f)
	}
}

// roles looks at what each budget does, unless that changes too often.
func (l *linter) roles() (roles [mostBudgets]role, complete bool) {
	reasons := slices.Concat(candidate.Methods(), l.set.methods, l.set.named())
	seen := map[Indexes]bool{}
	n := 0
	for now := range changes(l.set.covering(""), l.now) {
		if !now.Before(l.end) {
			break
		}
		if n += len(reasons); n > 10*lintChanges {
			return roles, false
		}
		for i := range l.set.pool {
			b := &l.set.pool[i]
			roles[b.index].active = roles[b.index].active || schedule.InWindow(b.window, now)
		}
		for _, r := range reasons {
			if decide := l.set.deciding(now, r); !seen[decide] {
				seen[decide] = true
				l.set.assign(&roles, decide)
			}
		}
	}
	return roles, true
}

// assign notes the roles of budgets that decide together.
func (s *set) assign(roles *[mostBudgets]role, decide Indexes) {
	binding := decide
	for i := mostBudgets - 1; i >= 0; i-- {
		if binding.Has(i) && s.outdone(i, binding) {
			binding &^= only(i) // it is none of those that outdo the next
		}
	}
	for i := range decide.All() {
		r := &roles[i]
		r.decides = true
		r.binds = r.binds || binding.Has(i)
		r.rivals |= binding
	}
}

// outdone reports whether the others of some budgets allow at most what one does, for every number of nodes.
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

// plain returns the limit, a count where it is 0 %.
func (l limit) plain() limit {
	if l.n == 0 {
		return limit{}
	}
	return l
}

// tightest is the smallest count and the smallest percentage of some limits, or math.MaxInt where there is none.
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
		return t.count <= l.n // a percentage exceeds any count
	case t.percent <= l.n:
		return true
	}
	// The percentages of n nodes differ by the time that n is 100. Where they first do, l is the least that it is where they do.
	n := 1
	for t.percent <= 100 && (limit{t.percent, true}).of(n) == l.of(n) {
		n++
	}
	return t.count <= l.of(n)
}
