package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleTakesThePlace = Rule{
	Code: CodeTakesThePlace,
	Means: "A freeze does not apply to a reason that has a budget of its own, because the most specific budgets " +
		"decide.",
	Example: `With per-method controls, nodes: "0" for all and nodes: "1" for Drifted.`,
	Do:      "Write the freeze for that reason, too.",
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
	var without [budget.MostIndexes]budget.Indexes
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
			overruled := active &^ l.limits.Deciding(active, r)
			allowance := l.limits.AllowedWhile(active, l.nodes, r)
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

// again says to write a budget once more, for reasons that have a budget of their own.
func (l *linter) again(i int, reasons []candidate.Reason) remedy {
	more := l.list[i]
	more.Reasons = reasons
	return remedy{ways: []way{{does: "if it should apply there too, add " + l.literals(more), edits: l.adding(more)}},
		otherwise: "if it should apply there too, write a budget for that"}
}
