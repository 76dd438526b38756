package schedule

import (
	"math"
	"slices"
	"strings"
	"time"
)

// dates are spans that do not recur.
type dates struct {
	spans   []Span    // in UTC, sorted, not touching
	seconds [][2]edge // the bounds of each
	events  [][]Event // those with a name that each is made of; nil if there are none
}

// An edge is an instant: seconds since 1970, and nanoseconds.
type edge struct{ seconds, nanos int64 }

func (e edge) after(seconds, nanos int64) bool {
	return e.seconds > seconds || e.seconds == seconds && e.nanos > nanos
}

// Dates returns a window that is open only during the given spans, such as a holiday or a change freeze. Spans may come
// in any order and may overlap. A zero bound is unbounded, and so is a bound more than a billion years away. A span
// that ends before it begins is empty. Dates() is never open.
func Dates(spans ...Span) Window {
	events := make([]Event, len(spans))
	for i, s := range slices.SortedFunc(slices.Values(spans), compareStarts) {
		events[i].Span = s
	}
	return datesOf(events)
}

// datesOf returns a window that is open in the spans of events, which are in the order of their starts.
func datesOf(events []Event) Window {
	var d dates
	for _, e := range events {
		s := e.utc()
		switch last := len(d.spans) - 1; {
		case !s.Start.IsZero() && !s.End.IsZero() && !s.Start.Before(s.End):
			continue
		case last >= 0 && (d.spans[last].End.IsZero() || !s.Start.After(d.spans[last].End)):
			d.spans[last] = d.spans[last].hull(s)
		default:
			d.spans = append(d.spans, s)
		}
		if e.Name != "" {
			d.events = append(d.events, make([][]Event, len(d.spans)-len(d.events))...)
			d.events[len(d.spans)-1] = append(d.events[len(d.spans)-1], e)
		}
	}
	switch {
	case len(d.spans) == 0:
		return never
	case d.spans[0] == Span{}:
		return Window{}
	}
	for _, s := range d.spans {
		bounds := [2]edge{{math.MinInt64, 0}, {math.MaxInt64, 0}}
		if !s.Start.IsZero() {
			bounds[0] = edge{s.Start.Unix(), int64(s.Start.Nanosecond())}
		}
		if !s.End.IsZero() {
			bounds[1] = edge{s.End.Unix(), int64(s.End.Nanosecond())}
		}
		d.seconds = append(d.seconds, bounds)
	}
	return Window{&window{dates: &d, text: d.String()}}
}

// far is the limit of Unix times that Dates tells apart. Times beyond it are folded, and stay beyond it; see fold.
const far = 1<<55 - 2*cycleSeconds

// utc returns the span in UTC. Bounds beyond far become unbounded.
func (s Span) utc() Span {
	bound := func(t time.Time, beyond bool) time.Time {
		if t.IsZero() || beyond {
			return time.Time{}
		}
		return t.UTC()
	}
	if s.Start.Unix() >= far || !s.End.IsZero() && s.End.Unix() <= -far {
		at := time.Unix(0, 0).UTC()
		return Span{at, at} // empty: never reached, or long past
	}
	return Span{bound(s.Start, s.Start.Unix() <= -far), bound(s.End, s.End.Unix() >= far)}
}

// compareStarts orders spans by their start. Spans without a start come first.
func compareStarts(a, b Span) int {
	switch {
	case a.Start.IsZero() == b.Start.IsZero():
		return a.Start.Compare(b.Start)
	case a.Start.IsZero():
		return -1
	}
	return 1
}

// after returns the position of the first span that ends after a time.
func (d *dates) after(seconds, nanos int64) int {
	low, high := 0, len(d.seconds)
	for low < high {
		if middle := (low + high) / 2; d.seconds[middle][1].after(seconds, nanos) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

func (d *dates) contains(seconds, nanos int64) bool {
	i := d.after(seconds, nanos)
	return i < len(d.seconds) && !d.seconds[i][0].after(seconds, nanos)
}

// state is Window.State.
func (d *dates) state(now time.Time) (open bool, span Span) {
	at, _ := fold(now.Unix())
	nanos := int64(now.Nanosecond())
	i := d.after(at, nanos)
	if i < len(d.spans) && !d.seconds[i][0].after(at, nanos) {
		return true, d.spans[i]
	}
	if i > 0 {
		span.Start = d.spans[i-1].End
	}
	if i < len(d.spans) {
		span.End = d.spans[i].Start
	}
	return false, span
}

// String returns "2026-12-23T00:00:00Z to 2027-01-03T00:00:00Z", with a comma before each further span.
func (d *dates) String() string {
	var texts []string
	for i, s := range d.spans {
		if i == fewDates {
			texts = append(texts, "…")
			break
		}
		switch {
		case s.Start.IsZero():
			texts = append(texts, "up to "+s.End.Format(time.RFC3339))
		case s.End.IsZero():
			texts = append(texts, "from "+s.Start.Format(time.RFC3339)+" on")
		default:
			texts = append(texts, s.Start.Format(time.RFC3339)+" to "+s.End.Format(time.RFC3339))
		}
	}
	return strings.Join(texts, ", ")
}

// fewDates is the number of spans that String shows.
const fewDates = 20
