package budget

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// orders reports whether a budget with a topology key lets domains take turns: for drift, unless a pool's topology.Options
// say otherwise.
func (l *linter) orders(b *compiled) bool {
	return l.set.written[b.index].Sequential && (b.covers(candidate.Drifted) || b.names(candidate.Drifted))
}

// sequential finds sequential budgets that order nothing: those for other reasons than drift, and all but the first of
// those that are active together.
func (l *linter) sequential() {
	var ordering []*compiled
	for i := range l.set.scoped {
		b := &l.set.scoped[i]
		switch {
		case !l.set.written[b.index].Sequential:
		case !l.orders(b):
			l.add(Finding{Code: FindingNoEffect, Severity: SeverityWarning, Budgets: only(b.index),
				Message: l.name(b.index) + ", and limits nothing: sequential budgets are for drift",
				Advice:  "leave sequential out, or name Drifted"})
		default:
			if !slices.ContainsFunc(ordering, func(first *compiled) bool { return l.second(first, b) }) {
				ordering = append(ordering, b)
			}
		}
	}
}

// second reports whether two sequential budgets are active together in the coming year, and adds a finding then.
func (l *linter) second(first, b *compiled) bool {
	both := schedule.Union(first.window.Outside(), b.window.Outside()).Outside()
	for span := range both.Spans(l.now, l.end) {
		_, span = both.State(span.Start)
		l.add(Finding{Code: FindingSeveralSequential, Severity: SeverityWarning, Budgets: only(first.index) | only(b.index), Span: span,
			Message: fmt.Sprintf("%s and %s are active together %s, and only the first orders the pool",
				l.name(first.index), l.name(b.index), l.span(span)),
			Advice: "write one sequential budget for all of their reasons"})
		return true
	}
	return false
}

// unordered finds times at which zones may roll all at once, since no sequential budget is active.
func (l *linter) unordered() {
	var ordering Indexes
	var windows []schedule.Window
	for i := range l.set.scoped {
		if b := &l.set.scoped[i]; l.orders(b) {
			ordering.add(b.index)
			windows = append(windows, b.window)
		}
	}
	if ordering == 0 || l.zero(candidate.Drifted) != 0 {
		return
	}
	for span := range schedule.Union(windows...).Outside().Spans(l.now, l.end) {
		for _, s := range l.timelines[candidate.Drifted] {
			both := schedule.Span{Start: until.Latest(s.Start, span.Start), End: until.First(s.End, span.End)}
			if s.Nodes < 2 || !both.Start.Before(both.End) {
				continue // one node is in one zone
			}
			l.add(Finding{Code: FindingUnorderedSpan, Severity: SeverityWarning, Budgets: ordering, Span: both, Reason: candidate.Drifted,
				Message: fmt.Sprintf("all zones may roll at once %s, since a sequential budget orders nothing while it is not active: %s",
					l.span(both), l.names(ordering)),
				Advice: `leave its schedule out, and add a freeze such as {"nodes": "0", "reasons": ["Drifted"]} with a schedule for the rest of the time`})
			return
		}
	}
}
