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

// unionUntil is Window.Until for the union of parts.
func unionUntil(parts []Window, now time.Time) (open bool, until time.Time) {
	open, span := unionAround(parts, now)
	return open, unionEnd(parts, open, span.End, now)
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
	return follow(end, now, leaves(parts), func(end time.Time) (time.Time, bool) {
		after, s := unionAround(parts, end)
		return s.End, after == open
	})
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
		switch {
		case partOpen && !open:
			open, span = true, s
		case partOpen:
			span = span.hull(s)
		case !open:
			span = span.intersect(s)
		}
	}
	return open, span
}
