package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// orders reports whether a budget with a topology key makes domains take turns. It assumes that this is for drift
// alone, the default of topology.Options.
func orders(b *limit.Budget) bool {
	return b.Sequential && (b.Covers(candidate.Drifted) || b.Names(candidate.Drifted))
}

// sequential finds sequential budgets that order nothing: those for reasons other than drift, and all but the first of
// those that are active together.
func (l *linter) sequential() {
	var ordering []*limit.Budget
	met := l.meetings()
	for i := range l.limits.Scoped {
		b := &l.limits.Scoped[i]
		switch {
		case !b.Sequential:
		case !orders(b):
			l.add(finding{Code: CodeNoEffect, Severity: SeverityWarning, Budgets: limit.Only(b.Index),
				Message: l.name(b.Index) + ", and limits nothing: sequential budgets are for drift",
				Advice: fmt.Sprintf("%s, name Drifted, too, or leave sequential out of %s to limit each zone%s", l.deleting(b.Index), l.set.Place(b.Index),
					l.butWhich(l.change(b.Index, func(b *budget.Budget) { b.Sequential = false })))})
		default:
			if !slices.ContainsFunc(ordering, func(first *limit.Budget) bool { return l.second(first, b, met) }) {
				ordering = append(ordering, b)
			}
		}
	}
}

// second reports whether two sequential budgets are active together in the coming year, and if so adds a finding. It
// skips a freeze that comes first, which is intended.
func (l *linter) second(first, b *limit.Budget, met map[[2]int]time.Time) bool {
	at, found := met[[2]int{first.Index, b.Index}]
	if !found || first.Limit.N == 0 && coversAll(first, b) {
		return false
	}
	both := schedule.Union(first.Window.Outside(), b.Window.Outside()).Outside()
	_, span := both.State(at)
	l.add(finding{Code: CodeSeveralSequential, Severity: SeverityWarning, Budgets: limit.Only(first.Index) | limit.Only(b.Index), Span: span,
		Message: fmt.Sprintf("%s and %s are active together %s, and only the first orders the pool",
			l.name(first.Index), l.name(b.Index), l.span(span)),
		Advice: "write one sequential budget for all of their reasons"})
	return true
}

// meetings returns when pairs of budgets that order the pool are first active together, by their positions. One walk
// finds all of them.
func (l *linter) meetings() map[[2]int]time.Time {
	met := map[[2]int]time.Time{}
	var seen [limit.MostIndexes]limit.Indexes
	for _, s := range zones(l.limits, l.now, l.end) {
		active := s.Binding & l.ordering()
		for i := range active.All() {
			for j := range (active &^ seen[i]).All() {
				met[[2]int{i, j}] = s.Start
			}
			seen[i] |= active
		}
	}
	return met
}

// ordering returns the budgets that make domains take turns.
func (l *linter) ordering() (which limit.Indexes) {
	for i := range l.limits.Scoped {
		if b := &l.limits.Scoped[i]; orders(b) {
			which.Add(b.Index)
		}
	}
	return which
}

// coversAll reports whether a sequential budget covers all drift that other covers.
func coversAll(b, other *limit.Budget) bool {
	if b.Covers(candidate.Drifted) {
		return true
	}
	return !other.Covers(candidate.Drifted) && !slices.ContainsFunc(other.Reasons, func(r candidate.Reason) bool {
		return candidate.Drifted.Covers(r) && !b.Covers(r)
	})
}

// shutByZones finds reasons for which budgets for the pool and for single zones together never let a node go, although
// neither do so alone.
func (l *linter) shutByZones() {
	if l.cut {
		return
	}
	l.eachOfRepairApart(l.reasons, func(r candidate.Reason) (f finding, found bool) {
		timeline := l.effective(r)
		if openFor(timeline) > 0 || openFor(l.timelines[r]) == 0 || l.zero(r) != 0 {
			return f, false
		}
		f = finding{Code: CodeNeverDisruptable, Severity: SeverityWarning, Span: schedule.Span{Start: l.now, End: l.end}}
		for _, s := range timeline {
			f.Budgets |= s.Binding
		}
		f.Message = fmt.Sprintf("always blocked up to %s, in any zone: %s", l.time(l.end), l.names(f.Budgets))
		f.Advice = staysHere + ": write schedules and durations that leave some time"
		if isRepair(r) {
			f = l.stranding(f, r)
		}
		return f, true
	})
}

// unordered finds times at which all zones may roll at once because no sequential budget is active. A sequential budget
// of 0 is a freeze, and orders nothing.
func (l *linter) unordered() {
	var ordering []*limit.Budget
	var which limit.Indexes
	for i := range l.limits.Scoped {
		if b := &l.limits.Scoped[i]; orders(b) && b.Limit.N > 0 {
			ordering = append(ordering, b)
			which.Add(b.Index)
		}
	}
	if which == 0 || !slices.Contains(l.reasons, candidate.Drifted) {
		return
	}
	if span, found := l.inactive(which, l.effective(candidate.Drifted)); found {
		l.add(finding{Code: CodeUnorderedSpan, Severity: SeverityWarning, Budgets: which, Span: span, Reason: candidate.Drifted,
			Message: fmt.Sprintf("all zones may roll at once %s, since a sequential budget orders nothing while it is not active: %s",
				l.span(span), l.names(which)),
			Advice: l.turning(ordering, which)})
	}
}

// inactive returns the first span of a timeline in which more than one node may go (a single node is in a single zone)
// and none of the given budgets for single zones is active.
func (l *linter) inactive(which limit.Indexes, timeline []limit.Segment) (first schedule.Span, found bool) {
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
func (l *linter) turning(budgets []*limit.Budget, which limit.Indexes) string {
	drift := []candidate.Reason{candidate.Drifted}
	list := slices.Clone(l.list)
	first := budgets[0].Index
	list[first] = always(list[first])
	if !l.proves(list, drift, func(_ candidate.Reason, before, after []limit.Segment) bool { return tightens(before, after) }) {
		return "write a sequential budget that is always active, at the end of the list"
	}
	advice := l.untimed(first) + ", so that zones always take turns"
	var windows []schedule.Window
	for _, b := range budgets {
		windows = append(windows, b.Window)
	}
	freeze := l.weekly(candidate.Drifted, schedule.Union(windows...).Outside())
	if len(freeze) == 0 || !l.proves(append(list, freeze...), drift, func(_ candidate.Reason, before, after []limit.Segment) bool {
		return 4*l.openWhile(which, after) >= 3*l.openWhile(which, before) &&
			changesOnly(before, after, func(before, after int) bool { return after == before || after == 0 })
	}) {
		return advice
	}
	return advice + "; if nothing is to roll at other times, add a freeze, too: " + strings.ReplaceAll(l.written(freeze), reasonsHere, `"Drifted"`)
}

// openWhile returns for how long nodes may go while one of the given budgets for single zones is active.
func (l *linter) openWhile(which limit.Indexes, timeline []limit.Segment) (sum time.Duration) {
	for span, both := range together(timeline, zones(l.limits, l.now, l.end)) {
		if both[0].Nodes > 0 && both[1].Binding&which != 0 {
			sum += length(span)
		}
	}
	return sum
}
