package schedule

import (
	"math"
	"slices"
	"strings"
	"time"
)

// dates are spans that do not recur.
type dates struct {
	spans   []Span    // in UTC, in order, with some time between them
	seconds [][2]edge // the bounds of each
}

// An edge is an instant: seconds since 1970, and nanoseconds.
type edge struct{ seconds, nanos int64 }

func (e edge) after(seconds, nanos int64) bool {
	return e.seconds > seconds || e.seconds == seconds && e.nanos > nanos
}

// Dates returns a window that is open in some spans, and at no other time: a holiday, or a change freeze. Spans may come in any order,
// and overlap. A zero bound is unbounded, and a span that ends before it begins is empty: Dates() is never open. Times more than a
// billion years away are unbounded, too.
func Dates(spans ...Span) Window {
	var d dates
	for _, s := range slices.SortedFunc(slices.Values(spans), compareStarts) {
		s = s.utc()
		switch last := len(d.spans) - 1; {
		case !s.Start.IsZero() && !s.End.IsZero() && !s.Start.Before(s.End):
		case last >= 0 && (d.spans[last].End.IsZero() || !s.Start.After(d.spans[last].End)):
			d.spans[last] = d.spans[last].hull(s)
		default:
			d.spans = append(d.spans, s)
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

// far is a bound of times: those beyond it are folded, and stay beyond it. See fold.
const far = 1<<55 - 2*cycleSeconds

// utc returns the span in UTC, with bounds that are unbounded if they are farther away than any that can be told from others.
func (s Span) utc() Span {
	bound := func(t time.Time, beyond bool) time.Time {
		if t.IsZero() || beyond {
			return time.Time{}
		}
		return t.UTC()
	}
	if s.Start.Unix() >= far || !s.End.IsZero() && s.End.Unix() <= -far {
		at := time.Unix(0, 0).UTC()
		return Span{at, at} // it is never reached, or always over
	}
	return Span{bound(s.Start, s.Start.Unix() <= -far), bound(s.End, s.End.Unix() >= far)}
}

// compareStarts orders spans by their start: those that are unbounded come first.
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

// String returns "2026-12-23T00:00:00Z to 2027-01-03T00:00:00Z", and the same for each further span.
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

// fewDates is how many spans String tells.
const fewDates = 20
