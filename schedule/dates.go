package schedule

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// dates are spans that do not recur.
type dates struct {
	spans  []Span  // in UTC, sorted, not touching
	events []Event // that have a name, in the order of their starts
}

// An Event is a span with a name, such as a holiday or a change freeze.
type Event struct {
	Name string
	Span
}

// Dates returns a window that is open only during the given spans, such as a holiday or a change freeze. Spans may be
// in any order and may overlap. A zero bound is unbounded. A span that ends before it begins is empty. Dates() is never
// open.
func Dates(spans ...Span) Window {
	events := make([]Event, len(spans))
	for i, s := range spans {
		events[i].Span = s
	}
	return Events(events...)
}

// Events returns a window that is open during any of the events. It is like [Dates] of their spans, but keeps their
// names; see [Window.Events].
func Events(events ...Event) Window {
	var d dates
	for _, e := range slices.SortedStableFunc(slices.Values(events), compareStarts) {
		s := Span{e.Start.UTC(), e.End.UTC()}
		switch last := len(d.spans) - 1; {
		case !precedes(s.Start, s.End):
			continue
		case last >= 0 && (d.spans[last].End.IsZero() || !s.Start.After(d.spans[last].End)):
			d.spans[last] = d.spans[last].hull(s)
		default:
			d.spans = append(d.spans, s)
		}
		if e.Name != "" {
			d.events = append(d.events, e)
		}
	}
	switch {
	case len(d.spans) == 0:
		return never
	case d.spans[0] == Span{}:
		return Window{}
	}
	return newLeaf(&d, d.String())
}

// compareStarts orders events by their start. Those without a start come first.
func compareStarts(a, b Event) int {
	switch {
	case a.Start.IsZero() == b.Start.IsZero():
		return a.Start.Compare(b.Start)
	case a.Start.IsZero():
		return -1
	}
	return 1
}

// precedes reports whether a start is before an end. A zero time is unbounded.
func precedes(start, end time.Time) bool { return start.IsZero() || end.IsZero() || start.Before(end) }

// Events returns the events that overlap a span, in the order of their starts, with their original bounds. Only windows
// made by [Events], and unions of these, have events. A window that is open outside events has none.
func (w Window) Events(within Span) (events []Event) {
	if w.w == nil || w.w.complement {
		return nil
	}
	if d, ok := w.w.leaf.(*dates); ok && precedes(within.Start, within.End) {
		for _, e := range d.events {
			if precedes(e.Start, within.End) && precedes(within.Start, e.End) {
				events = append(events, e)
			}
		}
	}
	for _, part := range w.w.parts {
		events = append(events, part.Events(within)...)
	}
	slices.SortStableFunc(events, compareStarts)
	return events
}

func (d *dates) contains(now time.Time) bool {
	open, _ := d.around(now)
	return open
}

func (d *dates) around(now time.Time) (open bool, span Span) {
	i := sort.Search(len(d.spans), func(i int) bool { return d.spans[i].End.IsZero() || now.Before(d.spans[i].End) })
	if i < len(d.spans) {
		if d.spans[i].Contains(now) {
			return true, d.spans[i]
		}
		span.End = d.spans[i].Start
	}
	if i > 0 {
		span.Start = d.spans[i-1].End
	}
	return false, span
}

// String returns "2026-12-23T00:00:00Z to 2027-01-03T00:00:00Z", with a comma before each further span.
func (d *dates) String() string {
	const fewDates = 20
	var texts []string
	for i, s := range d.spans {
		if i == fewDates {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, spanText(boundText(s.Start), boundText(s.End)))
	}
	return strings.Join(texts, ", ")
}

// boundText returns "" for no bound.
func boundText(bound time.Time) string {
	if bound.IsZero() {
		return ""
	}
	return bound.Format(time.RFC3339)
}

// spanText describes the time between two bounds. "" means no bound.
func spanText(from, to string) string {
	switch {
	case to == "":
		return "from " + from + " on"
	case from == "":
		return "up to " + to
	}
	return from + " to " + to
}
