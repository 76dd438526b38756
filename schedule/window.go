package schedule

import (
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// A Window is a window of time that recurs, or that is open on single dates. It is one pointer wide, cheap to copy and
// safe for concurrent use.
//
// The zero Window is always open. Windows made by different calls may compare unequal even if they are open at the same
// times.
type Window struct{ w *window }

// A window is a recurrence, a periodic window, dates, a union of parts, or the complement of one part.
type window struct {
	recurrence *recurrence
	periodic   *periodic
	dates      *dates
	text       string // of the recurrence or the dates, as Window.String shows it
	parts      []Window
	complement bool
	lasting    atomic.Pointer[lasting] // of a union: what a search in vain has found; it changes no answer
}

var never = Window{&window{}} // the union of nothing

// isLeaf reports whether w has no parts. It must not be the zero Window.
func (w Window) isLeaf() bool {
	return w.w.recurrence != nil || w.w.periodic != nil || w.w.dates != nil
}

// isUnion reports whether w is the union of its parts. It must not be the zero Window.
func (w Window) isUnion() bool { return !w.isLeaf() && !w.w.complement }

// Union returns a window that is open while any of the given windows is open. Union() is never open.
func Union(windows ...Window) Window {
	var parts []Window
	for _, w := range windows {
		add := []Window{w}
		switch {
		case w.w == nil:
			return Window{}
		case w.isUnion():
			add = w.w.parts
		}
		for _, part := range add {
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	switch len(parts) {
	case 0:
		return never
	case 1:
		return parts[0]
	}
	return Window{&window{parts: parts}}
}

// Outside returns a window that is open while w is closed, and closed while w is open.
func (w Window) Outside() Window {
	switch {
	case w.w == nil:
		return never
	case w == never:
		return Window{}
	case w.w.complement:
		return w.w.parts[0]
	}
	return Window{&window{parts: []Window{w}, complement: true}}
}

// InWindow reports whether w is open at now. It allocates nothing.
func InWindow(w Window, now time.Time) bool {
	at, _ := fold(now.Unix())
	return w.contains(at, int64(now.Nanosecond()))
}

func (w Window) contains(at, nanos int64) bool {
	switch {
	case w.w == nil:
		return true
	case w.w.recurrence != nil:
		return w.w.recurrence.contains(at, nanos)
	case w.w.periodic != nil:
		return w.w.periodic.contains(at, nanos)
	case w.w.dates != nil:
		return w.w.dates.contains(at, nanos)
	case w.w.complement:
		return !w.w.parts[0].contains(at, nanos)
	}
	for _, part := range w.w.parts {
		if part.contains(at, nanos) {
			return true
		}
	}
	return false
}

// State reports whether w is open at now, and the longest span around now throughout which it stays so. Bounds are in
// UTC. A zero bound means that w never changes in that direction.
//
// The search is bounded. A bound other than zero is exact. A window counts as never changing once it has stayed the
// same for 40 years, if it is a union or if only clock changes in its zone could ever close it. A union also counts as
// never changing once 20,000 spans of its parts have been searched.
func (w Window) State(now time.Time) (open bool, span Span) {
	switch {
	case w.w == nil:
		return true, Span{}
	case w.w.recurrence != nil:
		return w.w.recurrence.span(now)
	case w.w.periodic != nil:
		return w.w.periodic.span(now)
	case w.w.dates != nil:
		return w.w.dates.state(now)
	case w.w.complement:
		open, span = w.w.parts[0].State(now)
		return !open, span
	}
	return unionState(w.w.parts, now)
}

// Until reports whether w is open at now, and until when it stays so: the End of [Window.State]'s span, at half the
// cost.
func (w Window) Until(now time.Time) (open bool, until time.Time) {
	switch {
	case w.w == nil || w.isLeaf():
		open, span := w.State(now)
		return open, span.End
	case w.w.complement:
		open, until = w.w.parts[0].Until(now)
		return !open, until
	}
	return w.w.unionUntil(now)
}

// around is State, except that the span of a union need not be maximal. Otherwise the cost of unions in unions would
// multiply.
func (w Window) around(at time.Time) (open bool, span Span) {
	switch {
	case w.w == nil || w.isLeaf():
		return w.State(at)
	case w.w.complement:
		open, span = w.w.parts[0].around(at)
		return !open, span
	}
	return unionAround(w.w.parts, at)
}

// Spans yields the longest spans in which w is open between from and to, in order, clipped to these times. It yields
// nothing if from is not before to.
func (w Window) Spans(from, to time.Time) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for at := from; at.Before(to); {
			open, span := w.State(at)
			if open && !yield(span.intersect(Span{from, to})) || span.End.IsZero() || !span.End.After(at) {
				return // the last one; times wrap around in the year 292277026596
			}
			at = span.End
		}
	}
}

// span is Window.State for a recurrence.
func (r *recurrence) span(now time.Time) (open bool, span Span) {
	at, shift := fold(now.Unix())
	open, before, after := r.state(at, int64(now.Nanosecond()))
	opens := func(hit int64) time.Time { return time.Unix(hit+shift, 0).UTC() }
	closes := func(hit int64) time.Time { return time.Unix(hit+shift+r.seconds, r.nanos).UTC() }
	if !open {
		return false, Span{closes(before), opens(after)}
	}
	if before != math.MinInt64 {
		span.Start = opens(before)
	}
	if after != math.MaxInt64 {
		span.End = closes(after)
	}
	return true, span
}

// fold moves instants that are more than a billion years away closer, so that searches cannot overflow. It moves them
// by whole cycles of the calendar, after which expressions and the rules of time zones repeat. Adding shift moves them
// back.
func fold(at int64) (folded, shift int64) {
	const limit = 1 << 55
	if -limit < at && at < limit {
		return at, 0
	}
	folded = at % cycleSeconds
	if at < 0 {
		folded -= limit / cycleSeconds * cycleSeconds
	} else {
		folded += limit / cycleSeconds * cycleSeconds
	}
	return folded, at - folded
}
