package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// unlimitedSpan finds reasons that no budget limits at some time, and those that only paces limit (pace-alone): if
// nodes take long, many may be in flight at once.
func (l *linter) unlimitedSpan(r candidate.Reason) (f Finding, fix advisor) {
	var windows []schedule.Window // of the budgets that limit it, those for single zones included
	for _, b := range l.valid {
		if limits(b, r) && b.Per == 0 {
			windows = append(windows, b.Window)
			f.Budgets.Add(b.Index)
		}
	}
	open := schedule.Union(windows...).Outside()
	isOpen, span := open.State(l.now)
	if !isOpen && !span.End.IsZero() && span.End.Before(l.end) {
		isOpen, span = open.State(span.End)
	}
	paces := l.pacesOf(r)
	switch {
	case len(l.list) == 0 || !isOpen: // noBudgets finds an empty list
	case f.Budgets != 0:
		f.Span = span
		f.Message = fmt.Sprintf("unlimited %s, since budgets restrict only while they are active: %s", l.span(span),
			l.names(f.Budgets))
		return f, func(reasons []candidate.Reason) remedy { return l.closing(reasons, open) }
	case paces != 0:
		f.Code, f.Budgets = CodePaceAlone, paces
		f.Message = "limited only by a pace, which says how many nodes start, not how many are in flight at once: " +
			l.names(paces)
		return f, func(reasons []candidate.Reason) remedy {
			return remedy{lead: "nodes that take longer than that pile up: ", otherwise: "add a budget without per",
				ways: l.capping(reasons)}
		}
	default:
		f.Span, f.Message = span, "unlimited at all times, since no budget covers that"
		return f, l.widening
	}
	return f, nil
}

// pacesOf returns the paces that cover a reason.
func (l *linter) pacesOf(r candidate.Reason) budget.Indexes {
	return l.which(func(b *budget.Limit) bool { return b.Per > 0 && b.Covers(r) })
}

// widening returns how to limit reasons that no budget covers.
func (l *linter) widening(reasons []candidate.Reason) remedy {
	r := remedy{otherwise: "write a budget for it that is always active"}
	for _, b := range l.pool {
		if constant(b) && b.N > 0 && len(b.Reasons) > 0 && len(r.ways) == 0 {
			r.ways = append(r.ways, way{good: l.filled(reasons, budget.Unlimited),
				edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Reasons = nil })})
		}
	}
	r.ways = append(r.ways, l.capping(reasons)...)
	return r
}

// closing returns how to limit reasons at all times if budgets limit them at some times, or how to allow nothing at the
// other times.
func (l *linter) closing(reasons []candidate.Reason, open schedule.Window) remedy {
	r := remedy{ways: l.capping(reasons), // without a schedule
		otherwise: "write a budget for it without a schedule"}
	if freeze := l.weekly(open, reasons...); len(freeze) > 0 {
		r.ways = append(r.ways, way{so: ", to block all nodes then", edits: l.adding(freeze...),
			good: l.filled(reasons, 0)})
	}
	return r
}

// filled returns whether no reason of some is without a limit any more, and only times without one have another: so
// many nodes at most.
func (l *linter) filled(reasons []candidate.Reason, most int) func(after *linter) bool {
	return func(after *linter) bool {
		unlimited := func(r candidate.Reason) bool { return hasUnlimited(after.effective(r)) }
		otherwise := func(r candidate.Reason) bool {
			return !changesOnly(l.effective(r), after.effective(r), func(before, after int) bool {
				return after == before || before == budget.Unlimited && after <= most
			})
		}
		return !slices.ContainsFunc(reasons, unlimited) && !slices.ContainsFunc(l.consulted(after), otherwise)
	}
}

// capping returns budgets that limit reasons where nothing does: the first that leaves all other limits as they are
// counts. If the most specific decide, one without reasons may be needed, since it replaces none.
func (l *linter) capping(reasons []candidate.Reason) (ways []way) {
	for _, b := range []budget.Budget{
		{Nodes: "10%", Reasons: reasons}, {Nodes: "20%", Reasons: reasons}, {Nodes: "50%", Reasons: reasons},
		{Nodes: "10%"},
	} {
		ways = append(ways, way{edits: l.adding(b), good: l.filled(reasons, budget.Unlimited), instead: len(ways) > 0})
	}
	return ways
}

// noBudgets finds an empty list.
func (l *linter) noBudgets() {
	if len(l.list) == 0 {
		l.add(Finding{Message: "the list of budgets is empty, and limits nothing"}, func() remedy {
			ten := budget.Budget{Nodes: "10%"}
			return remedy{lead: "leave budgets out for Karpenter's default of 10%, or ",
				ways:      []way{{edits: l.adding(ten)}},
				otherwise: "write one"}
		})
	}
}
