package schedule

import (
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A Window is a window of time that recurs, or that is open on single dates. It is cheap to copy and safe for
// concurrent use.
//
// The zero Window is always open. Windows made by different calls may compare unequal even if they are open at the same
// times.
type Window struct{ w *window }

// A window is a leaf, a union of parts, or the complement of one part.
type window struct {
	leaf       leaf
	text       string // of the leaf, as Window.String shows it
	parts      []Window
	complement bool
	leaves     int                  // how many leaves it is made of, at least 1
	lasting    atomic.Pointer[Span] // a cache: throughout this span, Until finds no change
}

// A leaf is a recurrence or dates.
type leaf interface {
	contains(now time.Time) bool
	// around reports whether it is open at a time, and a span around that time throughout which that is so, though not
	// always the longest. The span of a later time never ends earlier.
	around(at time.Time) (open bool, span Span)
}

var never = Window{&window{leaves: 1}} // the union of nothing

func newLeaf(l leaf, text string) Window { return Window{&window{leaf: l, text: text, leaves: 1}} }

// isUnion reports whether w is the union of its parts. It must not be the zero Window.
func (w Window) isUnion() bool { return w.w.leaf == nil && !w.w.complement }

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
	leaves := 0
	for _, part := range parts {
		leaves += part.w.leaves
	}
	return Window{&window{parts: parts, leaves: leaves}}
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
	return Window{&window{parts: []Window{w}, complement: true, leaves: w.w.leaves}}
}

// Parts returns what w is made of: w is open while any part is open, or, if outside, while the only one is closed. A
// window that was parsed has no parts, and neither has one that never changes.
func (w Window) Parts() (parts []Window, outside bool) {
	if w.w == nil {
		return nil, false
	}
	return slices.Clone(w.w.parts), w.w.complement
}

// InWindow reports whether w is open at now. It allocates nothing.
func InWindow(w Window, now time.Time) bool {
	switch {
	case w.w == nil:
		return true
	case w.w.leaf != nil:
		return w.w.leaf.contains(now)
	case w.w.complement:
		return !InWindow(w.w.parts[0], now)
	}
	for _, part := range w.w.parts {
		if InWindow(part, now) {
			return true
		}
	}
	return false
}

// around is leaf.around for any window. An open union is open from the earliest start to the latest end of the spans of
// its open parts. A closed one is closed for as long as all of its parts are.
func (w Window) around(at time.Time) (open bool, span Span) {
	switch {
	case w.w == nil:
		return true, Span{}
	case w.w.leaf != nil:
		return w.w.leaf.around(at)
	case w.w.complement:
		open, span = w.w.parts[0].around(at)
		return !open, span
	}
	for _, part := range w.w.parts {
		switch partOpen, s := part.around(at); {
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

const (
	// reach limits searches that might never end. In 40 years the calendar and the rules of a time zone repeat, except
	// for the leap year missing in 2100.
	reach = 40 * 366 * 24 * time.Hour

	mostSpans  = 20_000 // how many spans of leaves are read, in one direction
	mostAtOnce = 1_000  // the same for UntilAtLeast: more than sensible windows need
	lastsFor   = 64     // how many spans beyond mostSpans remember reads
)

// State reports whether w is open at now, and the longest span around now throughout which that is so. Bounds are in
// UTC. A zero bound means that w never changes in that direction.
//
// The search is bounded. A bound other than zero is exact. A window counts as never changing once it has stayed the
// same for 40 years, or once 20,000 spans of its parts have been searched.
func (w Window) State(now time.Time) (open bool, span Span) {
	open, span = w.around(now)
	var exact bool
	span.Start, exact = w.follow(span.Start, now, mostSpans, func(start time.Time) (bool, time.Time) {
		before, s := w.around(start.Add(-1))
		return before == open, s.Start
	})
	if !exact {
		span.Start = time.Time{}
	}
	_, span.End = w.Until(now)
	return open, span
}

// Until reports whether w is open at now, and when that ends: the End of [Window.State]'s span, at half the cost.
func (w Window) Until(now time.Time) (open bool, until time.Time) {
	if w.w == nil {
		return true, time.Time{}
	}
	if s := w.w.lasting.Load(); s != nil && s.Contains(now) {
		return InWindow(w, now), time.Time{}
	}
	open, until, exact := w.until(now, mostSpans)
	if !exact {
		until = time.Time{}
	}
	if until.IsZero() && w.w.leaf == nil {
		w.remember(now)
	}
	return open, until
}

// UntilAtLeast is [Window.Until] at bounded cost, for windows that any user may write, such as those of pods. It reads
// about a thousand spans at most. If exact is true, until is that of Until. Otherwise w does not change before until,
// which is later than now: call it again at that time.
func (w Window) UntilAtLeast(now time.Time) (open bool, until time.Time, exact bool) {
	return w.until(now, mostAtOnce)
}

// until is Until, but reads at most so many spans. If they are not enough, until is the end of the last one.
func (w Window) until(now time.Time, most int) (open bool, until time.Time, exact bool) {
	open, span := w.around(now)
	until, exact = w.follow(span.End, now, most, func(end time.Time) (bool, time.Time) {
		after, s := w.around(end)
		return after == open, s.End
	})
	return open, until, exact
}

// follow moves a bound from span to span until w changes there. It returns the zero time beyond the reach.
func (w Window) follow(
	bound, now time.Time, most int, further func(time.Time) (same bool, next time.Time),
) (end time.Time, exact bool) {
	for range w.steps(most) {
		if bound.IsZero() {
			return bound, true
		}
		same, next := further(bound)
		switch {
		case !same:
			return bound, true
		case bound.Sub(now).Abs() > reach:
			return time.Time{}, true
		}
		bound = next
	}
	return bound, bound.IsZero()
}

// steps returns how many calls of around read so many spans of leaves.
func (w Window) steps(spans int) int {
	if w.w == nil {
		return 1
	}
	return spans / w.w.leaves
}

// remember caches how long Until finds no change, after a search from now found none. It reads lastsFor spans further:
// a search that begins before the end of that span does not get further, as spans of later times never end earlier.
func (w Window) remember(now time.Time) {
	open, span := w.around(now)
	lasting := Span{Start: now}
	for i := range w.steps(mostSpans) + lastsFor + 1 {
		if i == lastsFor {
			lasting.End = span.End
		}
		if i > lastsFor && span.End.Sub(lasting.End) > reach {
			break
		}
		still, next := w.around(span.End)
		if span.End.IsZero() || still != open {
			return
		}
		span = next
	}
	w.w.lasting.Store(&lasting)
}

// Spans yields the longest spans in which w is open between from and to, in order, clipped to these times. It yields
// nothing if from is not before to.
func (w Window) Spans(from, to time.Time) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for at := from; at.Before(to); {
			open, end := w.Until(at)
			if open && !yield(Span{at, to}.intersect(Span{End: end})) || end.IsZero() || !end.After(at) {
				return
			}
			at = end
		}
	}
}

// String returns a description such as "0 17 * * mon-fri for 16h, UTC". The time inside one window and outside another
// reads "0 2 * * * for 4h, UTC and outside (0 0 24 12 * for 72h, UTC)".
func (w Window) String() string {
	switch {
	case w.w == nil:
		return "always"
	case w == never:
		return "never"
	case w.w.leaf != nil:
		return w.w.text
	case w.w.complement:
		return w.w.parts[0].outsideText()
	}
	return list(w.w.parts, " or ", Window.String)
}

// outsideText describes when w, which is not a complement, is closed. A union is closed when all of its parts are.
func (w Window) outsideText() string {
	if w.w.leaf != nil {
		return "outside (" + w.w.text + ")"
	}
	return list(w.w.parts, " and ", func(part Window) string {
		if not := part.Outside(); not.isUnion() {
			return "(" + not.String() + ")"
		}
		return part.Outside().String()
	})
}

func list(parts []Window, conjunction string, text func(Window) string) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = text(part)
	}
	return strings.Join(texts, conjunction)
}
