package schedule

import "time"

// mostSpans is how many spans of its parts make a union count as open for ever.
const mostSpans = 10_000

// unionState is Window.State for the union of parts. Where none is open, the span is what their closed spans share.
// Where some are, their spans overlap, and others may begin where these end.
func unionState(parts []Window, now time.Time) (open bool, span Span) {
	var closed Span
	for _, part := range parts {
		partOpen, s := part.State(now)
		switch {
		case !partOpen:
			closed = closed.intersect(s)
		case !open:
			open, span = true, s
		default:
			span = span.hull(s)
		}
	}
	if !open {
		return false, closed
	}
	return true, Span{
		follow(span.Start, now, func(start time.Time) time.Time {
			return openAround(parts, start, start.Add(-1)).Start
		}),
		follow(span.End, now, func(end time.Time) time.Time {
			return openAround(parts, end, end).End
		}),
	}
}

// openAround returns the hull of a bound and of the spans of the parts that are open at the given time.
func openAround(parts []Window, bound, at time.Time) Span {
	hull := Span{bound, bound}
	for _, part := range parts {
		if open, s := part.State(at); open {
			hull = hull.hull(s)
		}
	}
	return hull
}

// follow moves a bound on until it stays, or is unbounded.
func follow(bound, now time.Time, further func(time.Time) time.Time) time.Time {
	for range mostSpans {
		if bound.IsZero() || bound.Sub(now).Abs() > reach*time.Second {
			break
		}
		next := further(bound)
		if next.Equal(bound) {
			return bound
		}
		bound = next
	}
	return time.Time{}
}
