package budget

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// effective returns the timeline of a reason, with 0 where budgets for single zones let no node of any zone go.
func (l *linter) effective(r candidate.Reason) []Segment {
	if _, known := l.frozen[r]; !known {
		l.frozen[r] = l.set.freeze(l.timelines[r], r)
	}
	return l.frozen[r]
}

// freeze returns a timeline with 0 where budgets for single zones let no node of any zone go.
func (s *set) freeze(timeline []Segment, r candidate.Reason) (frozen []Segment) {
	if len(timeline) == 0 || !slices.ContainsFunc(s.scoped, func(b compiled) bool { return b.limit.n == 0 }) {
		return timeline
	}
	end := timeline[len(timeline)-1].End
	zones := s.zones(timeline[0].Start, end)
	if known := zones[len(zones)-1].End; known.Before(end) {
		zones = append(zones, Segment{Span: schedule.Span{Start: known, End: end}}) // after that, no zone is known to be closed
	}
	for span, both := range together(timeline, zones) {
		allowance := both[0]
		if by := s.freezing(both[1].Binding, r); by != 0 {
			if allowance.Nodes > 0 {
				allowance = Allowance{}
			}
			allowance.Binding |= by
		}
		frozen = extend(frozen, Segment{Span: span, Allowance: allowance})
	}
	return frozen
}

// zones returns the active budgets for single zones, in Binding, from one time to another or up to very many changes.
func (s *set) zones(from, to time.Time) (timeline []Segment) {
	var budgets []*compiled
	for i := range s.scoped {
		budgets = append(budgets, &s.scoped[i])
	}
	for now, active := range changes(budgets, from) {
		if last := len(timeline) - 1; last >= 0 {
			timeline[last].End = until.First(now, to)
		}
		if !now.Before(to) || (len(timeline)+1)*len(budgets) > mostWork && len(timeline) > 0 {
			break
		}
		timeline = append(timeline, Segment{Span: schedule.Span{Start: now, End: to}, Allowance: Allowance{Binding: active}})
	}
	return timeline
}

// freezing returns the active budgets for single zones that let no node go for a reason. The first sequential budget
// orders the pool: its limit also applies to the reasons of later ones on the same key, and their limits do not apply
// to its reasons.
func (s *set) freezing(active Indexes, r candidate.Reason) (which Indexes) {
	var order *compiled
	for i := range s.scoped {
		b := &s.scoped[i]
		if !active.Has(b.index) || !s.limits(b, r) && !s.orders(b) {
			continue
		}
		written, own := &s.written[b.index], true
		switch {
		case !written.Sequential:
		case order == nil:
			order = b
		case s.written[order.index].TopologyKey == written.TopologyKey:
			own = !order.covers(r)
			if order.limit.n == 0 && s.limits(b, r) {
				which.add(order.index)
			}
		}
		if own && b.limit.n == 0 && s.limits(b, r) {
			which.add(b.index)
		}
	}
	return which
}

// together yields the spans throughout which two timelines of the same time both stay the same.
func together(a, b []Segment) iter.Seq2[schedule.Span, [2]Allowance] {
	return func(yield func(schedule.Span, [2]Allowance) bool) {
		for len(a) > 0 && len(b) > 0 {
			span := schedule.Span{Start: until.Latest(a[0].Start, b[0].Start), End: until.First(a[0].End, b[0].End)}
			if !yield(span, [2]Allowance{a[0].Allowance, b[0].Allowance}) {
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
func extend(timeline []Segment, s Segment) []Segment {
	if last := len(timeline) - 1; last >= 0 && timeline[last].Allowance == s.Allowance {
		timeline[last].End = s.End
		return timeline
	}
	return append(timeline, s)
}

// openFor returns for how long nodes may go.
func openFor(timeline []Segment) (sum time.Duration) {
	for _, s := range timeline {
		if s.Nodes > 0 {
			sum += length(s.Span)
		}
	}
	return sum
}

func hasUnlimited(timeline []Segment) bool {
	return slices.ContainsFunc(timeline, func(s Segment) bool { return s.Nodes == Unlimited })
}
