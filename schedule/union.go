package schedule

import "time"

// mostSpans is how many spans of its parts are looked at, in one direction, before a union counts as unchanging.
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

// unionStart goes back from span to span of the parts until the answer changes.
func unionStart(parts []Window, open bool, start, now time.Time) time.Time {
	return follow(start, now, leaves(parts), func(start time.Time) (time.Time, bool) {
		before, s := unionAround(parts, start.Add(-1))
		return s.Start, before == open
	})
}

// unionEnd goes on from span to span of the parts until the answer changes.
func unionEnd(parts []Window, open bool, end, now time.Time) time.Time {
	return follow(end, now, leaves(parts), func(end time.Time) (time.Time, bool) {
		after, s := unionAround(parts, end)
		return s.End, after == open
	})
}

// leaves counts the parts without parts that are asked for a span of a union.
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

// follow moves a bound on until it stays, or is unbounded.
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

// unionAround reports whether any part is open at a time, and a span around it throughout which that is so. Where some
// parts are open, that holds at least as long as the one of them that began first, and that ends last; where none is,
// until one may open.
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
