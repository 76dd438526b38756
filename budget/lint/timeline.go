package lint

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// effective returns the timeline of a reason, with 0 where budgets for single zones block every node of every zone.
func (l *linter) effective(r candidate.Reason) []budget.Segment {
	if _, known := l.timelines[r]; !known { // only another list names it
		l.timelines[r] = l.forecast(r, lintChanges)
	}
	return l.timelines[r]
}

// forecast returns the timeline of a reason, up to a number of changes.
func (l *linter) forecast(r candidate.Reason, most int) (frozen []budget.Segment) {
	timeline := l.set.ForecastUpTo(l.now, l.end, l.nodes, r, most)
	if !slices.ContainsFunc(l.scoped, func(b *budget.Limit) bool { return b.N == 0 }) {
		return timeline
	}
	end := timeline[len(timeline)-1].End
	zones := l.zones(timeline[0].Start, end)
	if known := zones[len(zones)-1].End; known.Before(end) {
		// After that, no zone is known to be closed.
		zones = append(zones, budget.Segment{Span: schedule.Span{Start: known, End: end}})
	}
	for span, both := range together(timeline, zones) {
		allowance := both[0]
		if by := l.freezing(both[1].Binding, r); by != 0 {
			if allowance.Nodes > 0 {
				allowance = budget.Allowance{}
			}
			allowance.Binding |= by
		}
		frozen = extend(frozen, budget.Segment{Span: span, Allowance: allowance})
	}
	return frozen
}

// zones returns the active budgets for single zones, in Binding, from one time to another or up to very many changes.
func (l *linter) zones(from, to time.Time) (timeline []budget.Segment) {
	for now, active := range budget.Changes(l.scoped, from) {
		if last := len(timeline) - 1; last >= 0 {
			timeline[last].End = schedule.First(now, to)
		}
		if !now.Before(to) || (len(timeline)+1)*len(l.scoped) > mostWork && len(timeline) > 0 {
			break
		}
		timeline = append(timeline, budget.Segment{Span: schedule.Span{Start: now, End: to},
			Allowance: budget.Allowance{Binding: active}})
	}
	return timeline
}

// freezing returns the active budgets for single zones that block every node for a reason. The first sequential budget
// orders the pool: its limit also applies to the reasons of later ones on the same key, and their limits do not apply
// to its reasons.
func (l *linter) freezing(active budget.Indexes, r candidate.Reason) (which budget.Indexes) {
	var order *budget.Limit
	for _, b := range l.scoped {
		if !active.Has(b.Index) || !limits(b, r) && !orders(b) {
			continue
		}
		own := true
		switch {
		case !b.Sequential:
		case order == nil:
			order = b
		case order.Key == b.Key:
			own = !order.Covers(r)
			if order.N == 0 && limits(b, r) {
				which.Add(order.Index)
			}
		}
		if own && b.N == 0 && limits(b, r) {
			which.Add(b.Index)
		}
	}
	return which
}

// together yields the spans throughout which two timelines of the same time both stay the same.
func together(a, b []budget.Segment) iter.Seq2[schedule.Span, [2]budget.Allowance] {
	return func(yield func(schedule.Span, [2]budget.Allowance) bool) {
		for len(a) > 0 && len(b) > 0 {
			span := schedule.Span{Start: schedule.Last(a[0].Start, b[0].Start), End: schedule.First(a[0].End, b[0].End)}
			if !yield(span, [2]budget.Allowance{a[0].Allowance, b[0].Allowance}) {
				return
			}
			if a[0].End.Equal(span.End) {
				a = a[1:]
			}
			if b[0].End.Equal(span.End) {
				b = b[1:]
			}
		}
	}
}

// extend appends a segment to a timeline. It merges the segment with the last one if they are equal.
func extend(timeline []budget.Segment, s budget.Segment) []budget.Segment {
	if last := len(timeline) - 1; last >= 0 && timeline[last].Allowance == s.Allowance {
		timeline[last].End = s.End
		return timeline
	}
	return append(timeline, s)
}

// highest returns the higher limits of two timelines, and which budgets block where both do.
func highest(a, b []budget.Segment) (timeline []budget.Segment) {
	for span, both := range together(a, b) {
		s := budget.Segment{Span: span, Allowance: budget.Allowance{Nodes: max(both[0].Nodes, both[1].Nodes)}}
		if s.Nodes == 0 {
			s.Binding = both[0].Binding | both[1].Binding
		}
		timeline = extend(timeline, s)
	}
	return timeline
}

// openFor returns for how long nodes are allowed.
func openFor(timeline []budget.Segment) (sum time.Duration) {
	for _, s := range timeline {
		if s.Nodes > 0 {
			sum += length(s.Span)
		}
	}
	return sum
}

// most returns the highest limit of a timeline, and the budgets that set it.
func most(timeline []budget.Segment) (n int, by budget.Indexes) {
	for _, s := range timeline {
		switch {
		case s.Nodes > n:
			n, by = s.Nodes, s.Binding
		case s.Nodes == n:
			by |= s.Binding
		}
	}
	return n, by
}

// single returns the budgets that allow one node at most, if more are never allowed at once.
func single(timeline []budget.Segment) budget.Indexes {
	if n, by := most(timeline); n == 1 {
		return by
	}
	return 0
}

func hasUnlimited(timeline []budget.Segment) bool {
	n, _ := most(timeline)
	return n == budget.Unlimited
}

// orders reports whether a budget with a topology key makes domains take turns. It assumes that this is for drift
// alone, the default of topology.Options.
func orders(b *budget.Limit) bool {
	return b.Sequential && (b.Covers(candidate.Drifted) || b.Names(candidate.Drifted))
}
