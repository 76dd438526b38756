package schedule

import "time"

// mostSpans limits the search for the end of a union's span: how many spans of its parts are read, in one direction,
// before the union counts as unchanging.
const mostSpans = 20_000

// unionState is Window.State for the union of parts.
func unionState(parts []Window, now time.Time) (open bool, span Span) {
	open, span = unionAround(parts, now)
	return open, Span{unionStart(parts, open, span.Start, now), unionEnd(parts, open, span.End, now)}
}

// unionUntil is Window.Until for a union.
func (w *window) unionUntil(now time.Time) (open bool, until time.Time) {
	if l := w.lasting.Load(); l != nil && !now.Before(l.from) && !now.After(l.to) {
		return true, time.Time{}
	}
	open, span := unionAround(w.parts, now)
	until = unionEnd(w.parts, open, span.End, now)
	if open && until.IsZero() && !span.End.IsZero() && leaves(w.parts) == len(w.parts) {
		w.lasts(span.End, now)
	}
	return open, until
}

// lasting is a time throughout which a union counts as always open: a search from any time in it is in vain.
type lasting struct{ from, to time.Time }

// lastsFor is how many spans after a search in vain begin a lasting.
const lastsFor = 64

// lasts remembers that a search from now, with the first bound, was in vain, if the union also stays open for lastsFor
// spans after those that were searched. Spans of open parts lead from a later time to a later bound, never to an
// earlier one. So what a search reads that begins by the bound number lastsFor lies before the last bound.
func (w *window) lasts(bound, now time.Time) {
	spans, most := sweep{parts: w.parts}, mostSpans/len(w.parts)+lastsFor+1
	l := lasting{from: now}
	for i := range most {
		open, s := spans.around(bound)
		if !open || s.End.IsZero() {
			return
		}
		if i == lastsFor {
			l.to = bound
		}
		bound = s.End
	}
	w.lasting.Store(&l)
}

// unionStart goes back through the spans of the parts until the union changes.
func unionStart(parts []Window, open bool, start, now time.Time) time.Time {
	return follow(start, now, leaves(parts), func(start time.Time) (time.Time, bool) {
		before, s := unionAround(parts, start.Add(-1))
		return s.Start, before == open
	})
}

// unionEnd goes forward through the spans of the parts until the union changes.
func unionEnd(parts []Window, open bool, end, now time.Time) time.Time {
	w := sweep{parts: parts}
	return follow(end, now, leaves(parts), func(end time.Time) (time.Time, bool) {
		after, s := w.around(end)
		return s.End, after == open
	})
}

// A sweep is unionAround for later and later times. It reads a part that has no parts again only when its last span has
// ended: of many parts, few end at the same time.
type sweep struct {
	parts []Window
	last  []stretch
}

// A stretch is the last answer of a part. The zero stretch is none.
type stretch struct {
	open, known bool
	span        Span
}

func (w *sweep) around(at time.Time) (open bool, span Span) {
	if w.last == nil {
		w.last = make([]stretch, len(w.parts))
	}
	for i, part := range w.parts {
		s := &w.last[i]
		if !s.known || !s.span.End.IsZero() && !s.span.End.After(at) {
			s.open, s.span = part.around(at)
			s.known = part.w == nil || part.isLeaf()
		}
		open, span = joined(open, span, s.open, s.span)
	}
	return open, span
}

// leaves counts the windows without parts that a union consists of, at least 1.
func leaves(parts []Window) int {
	n := 0
	for _, part := range parts {
		if part.w != nil && !part.isLeaf() {
			n += leaves(part.w.parts)
		} else {
			n++
		}
	}
	return max(1, n)
}

// follow moves a bound from span to span until the union changes there. It returns the zero time if that is too far.
func follow(bound, now time.Time, parts int, further func(time.Time) (time.Time, bool)) time.Time {
	for range mostSpans / parts {
		if bound.IsZero() || bound.Sub(now).Abs() > reach*time.Second {
			break
		}
		next, same := further(bound)
		if !same {
			return bound
		}
		bound = next
	}
	return time.Time{}
}

// unionAround reports whether any part is open at a time, and a span around that time throughout which this holds; the
// span need not be maximal. If parts are open, it runs from the earliest start to the latest end of their spans. If
// none is, it is the time during which all parts are closed.
func unionAround(parts []Window, at time.Time) (open bool, span Span) {
	for _, part := range parts {
		partOpen, s := part.around(at)
		open, span = joined(open, span, partOpen, s)
	}
	return open, span
}

// joined adds what one more part says to what the parts before it do.
func joined(open bool, span Span, partOpen bool, part Span) (bool, Span) {
	switch {
	case partOpen && !open:
		return true, part
	case partOpen:
		return true, span.hull(part)
	case !open:
		return false, span.intersect(part)
	}
	return open, span
}
