package schedule

import (
	"math"
	"time"
)

// mostHits is how many hits UntilAtLeast examines, which is more than sensible windows need.
const mostHits = 1000

// UntilAtLeast is [Window.Until] at bounded cost, for windows that any user may write, such as those of pods. It
// examines about a thousand hits at most. If exact is true, until is that of Until. Otherwise w stays as it is at least
// until then, which is later than now: ask again at that time.
func (w Window) UntilAtLeast(now time.Time) (open bool, until time.Time, exact bool) {
	steps := walk{left: mostHits}
	open, until, exact = w.upTo(now, &steps)
	for !exact && !until.IsZero() && until.Sub(now) <= reach*time.Second {
		if steps.left <= 0 {
			return open, until, false
		}
		after, next, _ := w.upTo(until, &steps)
		if after != open {
			return open, until, true
		}
		until = next
	}
	if exact {
		return open, until, true
	}
	return open, time.Time{}, true
}

// A walk goes from hit to hit, up to a limit.
type walk struct {
	left int   // how many hits may still be examined
	zone *zone // the zone of last
	last era   // the era that was looked up last
}

// era returns the era of a recurrence at a time. It remembers the last one, since most calls need the same.
func (w *walk) era(r *recurrence, at int64) era {
	if r.zone == nil {
		return r.era(at)
	}
	if w.zone != r.zone || at < w.last.start || w.last.end <= at {
		w.zone, w.last = r.zone, r.era(at)
	}
	return w.last
}

// nextHit returns the next hit of a recurrence, and counts it as a step.
func (w *walk) nextHit(r *recurrence, at int64) int64 {
	w.left--
	return r.nextHitIn(w.era(r, at), at)
}

// upTo reports whether w is open at a time, and until when it stays so at least; zero means for ever. If exact is true,
// w changes at until.
func (w Window) upTo(at time.Time, steps *walk) (open bool, until time.Time, exact bool) {
	switch {
	case w.w == nil:
		return true, time.Time{}, true
	case w.w.recurrence != nil:
		return w.w.recurrence.upTo(at, steps)
	case w.w.periodic != nil:
		return w.w.periodic.upTo(at, steps)
	case w.w.dates != nil:
		open, span := w.w.dates.state(at)
		return open, span.End, true
	case w.w.complement:
		open, until, exact = w.w.parts[0].upTo(at, steps)
		return !open, until, exact
	}
	return unionUpTo(w.w.parts, at, steps)
}

// unionUpTo is upTo for a union. A union stays open until the last of its open parts closes, and closed until its first
// part opens.
func unionUpTo(parts []Window, at time.Time, steps *walk) (open bool, until time.Time, exact bool) {
	for _, part := range parts {
		partOpen, end, _ := part.upTo(at, steps)
		switch {
		case partOpen && !open:
			open, until = true, end
		case partOpen:
			until = Span{End: until}.hull(Span{End: end}).End
		case !open:
			until = Span{End: until}.intersect(Span{End: end}).End
		}
	}
	return open, until, until.IsZero()
}

// upTo is Window.upTo for a recurrence.
func (r *recurrence) upTo(now time.Time, steps *walk) (open bool, until time.Time, exact bool) {
	at, shift := fold(now.Unix())
	steps.left--
	hit, ok := r.lastHitIn(steps.era(r, at), at, at-r.seconds-1)
	if !ok || !r.covers(hit, at, int64(now.Nanosecond())) {
		return false, time.Unix(steps.nextHit(r, at+1)+shift, 0).UTC(), true
	}
	last, exact := r.lastOfSpan(hit, steps)
	if last == math.MaxInt64 {
		return true, time.Time{}, true
	}
	return true, time.Unix(last+shift+r.seconds, r.nanos).UTC(), exact
}
