package budget

import (
	"fmt"
	"iter"
	"slices"
	"time"

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
	met := l.meetings()
	for i := range l.set.scoped {
		b := &l.set.scoped[i]
		switch {
		case !l.set.written[b.index].Sequential:
		case !l.orders(b):
			l.add(Finding{Code: FindingNoEffect, Severity: SeverityWarning, Budgets: only(b.index),
				Message: l.name(b.index) + ", and limits nothing: sequential budgets are for drift",
				Advice:  "leave sequential out, or name Drifted"})
		default:
			if !slices.ContainsFunc(ordering, func(first *compiled) bool { return l.second(first, b, met) }) {
				ordering = append(ordering, b)
			}
		}
	}
}

// second reports whether two sequential budgets are active together in the coming year, and adds a finding then.
func (l *linter) second(first, b *compiled, met map[[2]int]time.Time) bool {
	at, found := met[[2]int{first.index, b.index}]
	if !found {
		return false
	}
	both := schedule.Union(first.window.Outside(), b.window.Outside()).Outside()
	_, span := both.State(at)
	l.add(Finding{Code: FindingSeveralSequential, Severity: SeverityWarning, Budgets: only(first.index) | only(b.index), Span: span,
		Message: fmt.Sprintf("%s and %s are active together %s, and only the first orders the pool",
			l.name(first.index), l.name(b.index), l.span(span)),
		Advice: "write one sequential budget for all of their reasons"})
	return true
}

// meetings returns when budgets that order the pool are first active together, for each two of them by their positions. One
// walk finds all of them.
func (l *linter) meetings() map[[2]int]time.Time {
	met := map[[2]int]time.Time{}
	var seen [mostBudgets]Indexes
	for span, active := range l.spans(l.ordering()) {
		for i := range active.All() {
			for j := range (active &^ seen[i]).All() {
				met[[2]int{i, j}] = span.Start
			}
			seen[i] |= active
		}
	}
	return met
}

// ordering returns the budgets that let domains take turns.
func (l *linter) ordering() (budgets []*compiled) {
	for i := range l.set.scoped {
		if b := &l.set.scoped[i]; l.orders(b) {
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// spans yields the spans in the coming year throughout which the same of some budgets are active, in order, and which those
// are; the first of them, if there are very many.
func (l *linter) spans(budgets []*compiled) iter.Seq2[schedule.Span, Indexes] {
	return func(yield func(schedule.Span, Indexes) bool) {
		span, those, work := schedule.Span{Start: l.now}, Indexes(0), 0
		for now, active := range changes(budgets, l.now) {
			span.End = until.First(now, l.end)
			work += len(budgets)
			if now.After(l.now) && !yield(span, those) || !now.Before(l.end) || work > mostWork {
				return
			}
			span, those = schedule.Span{Start: now}, active
		}
		span.End = l.end
		yield(span, those)
	}
}

// unordered finds times at which zones may roll all at once, since no sequential budget is active.
func (l *linter) unordered() {
	budgets := l.ordering()
	var ordering Indexes
	for _, b := range budgets {
		ordering.add(b.index)
	}
	if ordering == 0 || l.zero(candidate.Drifted) != 0 {
		return
	}
	timeline := l.timelines[candidate.Drifted]
	for span, active := range l.spans(budgets) {
		if active != 0 {
			continue
		}
		for len(timeline) > 0 && !timeline[0].End.After(span.Start) {
			timeline = timeline[1:]
		}
		for _, s := range timeline {
			if !s.Start.Before(span.End) {
				break
			}
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
