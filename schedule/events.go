package schedule

import (
	"slices"
	"time"
)

// An Event is a span with a name, such as a holiday or a change freeze.
type Event struct {
	Name string
	Span
}

// Events returns a window that is open during any of the events. It is like [Dates] of their spans, but keeps their
// names; see [Window.Events].
func Events(events ...Event) Window {
	ordered := slices.Clone(events)
	slices.SortStableFunc(ordered, func(a, b Event) int { return compareStarts(a.Span, b.Span) })
	return datesOf(ordered)
}

// Events returns the events that overlap a span, in the order of their starts, with their original bounds. Only windows
// made by [Events], and unions of these, have events. A window that is open outside events has none.
func (w Window) Events(within Span) (events []Event) {
	switch {
	case w.w == nil || w.w.complement:
		return nil
	case w.w.dates != nil:
		return w.w.dates.eventsIn(within)
	}
	for _, part := range w.w.parts {
		events = append(events, part.Events(within)...)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return compareStarts(a.Span, b.Span) })
	return events
}

// eventsIn is Window.Events.
func (d *dates) eventsIn(within Span) (events []Event) {
	first := 0
	if !within.Start.IsZero() {
		at, _ := fold(within.Start.Unix())
		first = d.after(at, int64(within.Start.Nanosecond()))
	}
	for i := first; i < len(d.events); i++ {
		if !precedes(d.spans[i].Start, within.End) {
			break
		}
		for _, e := range d.events[i] {
			if e.overlaps(within) {
				events = append(events, e)
			}
		}
	}
	return events
}

// overlaps reports whether two spans have any time in common.
func (s Span) overlaps(other Span) bool {
	return precedes(s.Start, s.End) && precedes(other.Start, other.End) &&
		precedes(s.Start, other.End) && precedes(other.Start, s.End)
}

// precedes reports whether a start is before an end. A zero time is unbounded.
func precedes(start, end time.Time) bool { return start.IsZero() || end.IsZero() || start.Before(end) }
