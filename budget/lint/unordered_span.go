package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleUnorderedSpan = Rule{
	Code:    CodeUnorderedSpan,
	Means:   "While no sequential budget is active, zones do not take turns: all may roll at once.",
	Example: "A sequential budget from 22:00 to 06:00 and none by day.",
	Do: `Leave the sequential budget without a schedule, and write the times as a budget of nodes: "0" for ` +
		"the pool.",
}

// unorderedSpan finds times at which all zones may roll at once because no sequential budget is active. A sequential
// budget of 0 is a freeze, and orders nothing.
func (l *linter) unorderedSpan() {
	var ordering []*budget.Limit
	var which budget.Indexes
	for _, b := range l.limits.scoped {
		if orders(b) && b.N > 0 {
			ordering = append(ordering, b)
			which.Add(b.Index)
		}
	}
	if which == 0 || !slices.Contains(l.reasons, candidate.Drifted) {
		return
	}
	if span, found := l.inactive(which, l.effective(candidate.Drifted)); found {
		l.addFix(Finding{Code: CodeUnorderedSpan, Severity: SeverityWarning, Budgets: which, Span: span,
			Reason: candidate.Drifted,
			Message: fmt.Sprintf("all zones may roll at once %s, since a sequential budget orders nothing while "+
				"it is not active: %s", l.span(span), l.names(which))},
			func() remedy { return l.turning(ordering, which) })
	}
}

// inactive returns the first span of a timeline in which more than one node may go (a single node is in a single zone)
// and none of the given budgets for single zones is active.
func (l *linter) inactive(which budget.Indexes, timeline []budget.Segment) (first schedule.Span, found bool) {
	for span, both := range together(timeline, zones(l.limits, l.now, l.end)) {
		inactive := both[0].Nodes > 1 && both[1].Binding&which == 0
		switch {
		case inactive && !found:
			first, found = span, true
		case inactive:
			first.End = span.End
		case found:
			return first, true
		}
	}
	return first, found
}

// turning says how to make zones take turns at all times. The freeze that it offers leaves most of the time in which
// the budgets are active open: a freeze that recurs weekly does not fit windows that recur monthly.
func (l *linter) turning(budgets []*budget.Limit, which budget.Indexes) remedy {
	r := remedy{otherwise: "write a sequential budget that is always active, at the end of the list"}
	untimed := l.untimed(budgets[0].Index)
	untimed.does += ", so that zones always take turns"
	r.ways = append(r.ways, untimed)
	var windows []schedule.Window
	for _, b := range budgets {
		windows = append(windows, b.Window)
	}
	if freeze := l.weekly(schedule.Union(windows...).Outside(), candidate.Drifted); len(freeze) > 0 {
		r.ways = append(r.ways, way{
			does:  untimed.does + ", and add a freeze for other times: " + l.literals(freeze...),
			edits: slices.Concat(untimed.edits, l.adding(freeze...)),
			good: func(after *linter) bool {
				before, then := l.effective(candidate.Drifted), after.effective(candidate.Drifted)
				return 4*l.openWhile(which, then) >= 3*l.openWhile(which, before) &&
					changesOnly(before, then, func(before, after int) bool { return after == before || after == 0 })
			}})
	}
	return r
}

// openWhile returns for how long nodes may go while one of the given budgets for single zones is active.
func (l *linter) openWhile(which budget.Indexes, timeline []budget.Segment) (sum time.Duration) {
	for span, both := range together(timeline, zones(l.limits, l.now, l.end)) {
		if both[0].Nodes > 0 && both[1].Binding&which != 0 {
			sum += length(span)
		}
	}
	return sum
}
