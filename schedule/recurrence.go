package schedule

import (
	"math"
	"time"
)

// A recurrence is an expression in a time zone, with the time that it stays open after each hit. Instants are Unix
// seconds: hits fall on whole seconds.
//
// Between two changes of the zone's offset, every match of the wall clock is a hit. Where a change skips wall-clock
// time, matches in the gap hit at its end. Where a change repeats wall-clock time, matches hit before and after it:
// twice.
type recurrence struct {
	expression
	zone    *zone // nil is UTC
	seconds int64 // how long it stays open, in whole seconds
	nanos   int64 // and the remaining nanoseconds
	gapless bool  // it would always be open if clocks never changed
}

// reach limits searches that might never end: a window that stays unchanged for this many seconds counts as unchanged
// for ever. In 40 years the calendar and the rules of a time zone repeat, except for the leap year missing in 2100.
const reach = 40 * 366 * daySeconds

// An era is a time throughout which the zone's offset is the same: start ≤ t < end. Neighbouring eras may have the same
// offset.
type era struct{ start, end, offset int64 }

func (r *recurrence) era(at int64) era {
	if r.zone == nil {
		return era{math.MinInt64, math.MaxInt64, 0}
	}
	return r.zone.era(at)
}

// eraIn returns the era of a zone that contains a time.
func eraIn(zone *time.Location, at int64) era {
	t := time.Unix(at, 0).In(zone)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	e := era{math.MinInt64, math.MaxInt64, int64(offset)}
	if !start.IsZero() {
		e.start = start.Unix()
	}
	if !end.IsZero() {
		e.end = end.Unix()
		if e.end <= at { // package time ends each year after 365 days if it follows a zone's rule
			e.end += daySeconds
		}
	}
	return e
}

func (r *recurrence) offset(at int64) int64 { return r.era(at).offset }

// lastHit returns the last hit at or before at. It reports false if it gives up, which it may do if there is no hit at
// or after since.
func (r *recurrence) lastHit(at, since int64) (int64, bool) { return r.lastHitIn(r.era(at), at, since) }

// lastHitIn is lastHit, given the era of at.
func (r *recurrence) lastHitIn(e era, at, since int64) (int64, bool) {
	for {
		wall, ok := r.prev(at+e.offset, since-2*daySeconds) // more than any offset and any gap
		if hit := wall - e.offset; ok && hit >= e.start {
			return hit, true
		}
		if ok && wall >= e.start+min(e.offset, r.offset(e.start-1)) { // in the gap
			return e.start, true
		}
		if e.start <= since {
			return 0, false
		}
		at = e.start - 1
		e = r.era(at)
	}
}

// nextHit returns the first hit at or after at.
func (r *recurrence) nextHit(at int64) int64 { return r.nextHitIn(r.era(at), at) }

// nextHitIn is nextHit, given the era of at.
func (r *recurrence) nextHitIn(e era, at int64) int64 {
	wall := at + e.offset
	if at == e.start {
		wall = at + min(e.offset, r.offset(at-1)) // matches in the gap hit now
	}
	for {
		if hit := max(r.next(wall)-e.offset, at); hit < e.end {
			return hit
		}
		before := e.offset
		at = e.end
		// No two offsets are further apart. The wall clock shows no match before far.
		const apart = 2 * daySeconds
		far := r.next(at+before-apart) - before - apart
		if far > at {
			at = far
		}
		e = r.era(at)
		wall = at + e.offset
		if at == e.start {
			wall = at + min(e.offset, before)
		}
	}
}

// contains reports whether the window is open.
func (r *recurrence) contains(at, nanos int64) bool {
	since := at - r.seconds - 1
	if r.zone == nil {
		hit, ok := r.prev(at, since)
		return ok && r.covers(hit, at, nanos)
	}
	hit, ok := r.lastHit(at, since)
	return ok && r.covers(hit, at, nanos)
}

func (r *recurrence) covers(hit, at, nanos int64) bool {
	elapsed := at - hit
	return elapsed < r.seconds || elapsed == r.seconds && nanos < r.nanos
}

// joins reports whether the span of a hit reaches the next hit.
func (r *recurrence) joins(hit, next int64) bool { return next-hit <= r.seconds }

// state reports whether the window is open, and which hits bound the current span: the first and the last hit of an
// open span, or the hits before and after a closed one. math.MinInt64 and math.MaxInt64 mean that it stays open for
// ever.
func (r *recurrence) state(at, nanos int64) (open bool, before, after int64) {
	hit, _ := r.lastHit(at, ever)
	if !r.covers(hit, at, nanos) {
		return false, hit, r.nextHit(at + 1)
	}
	last, _ := r.lastOfSpan(hit, &walk{left: math.MaxInt})
	if r.gapless {
		return true, r.firstAcrossEras(hit), last
	}
	return true, r.firstJoined(hit), last
}

// lastOfSpan returns the last hit of the span that hit belongs to, or math.MaxInt64 if the span has no end. If the walk
// ends early, it returns a hit on the way, and exact is false.
func (r *recurrence) lastOfSpan(hit int64, w *walk) (last int64, exact bool) {
	if r.gapless {
		return r.lastAcrossEras(hit, w)
	}
	return r.lastJoined(hit, w)
}

// firstJoined returns the first hit of the span that hit belongs to. If all matches of a day join, it steps from day to
// day.
func (r *recurrence) firstJoined(hit int64) int64 {
	for horizon := hit - 2*cycleSeconds; hit > horizon; {
		e := r.era(hit)
		midnight := floorDiv(hit+e.offset, daySeconds)*daySeconds - e.offset
		if first := midnight + r.first; r.widest <= r.seconds && e.start <= first && first < hit {
			hit = first
		}
		before, _ := r.lastHit(hit-1, ever)
		if !r.joins(before, hit) {
			return hit
		}
		hit = before
	}
	return math.MinInt64
}

// lastJoined is lastOfSpan for a recurrence that is not gapless.
func (r *recurrence) lastJoined(hit int64, w *walk) (last int64, exact bool) {
	for horizon := hit + 2*cycleSeconds; hit < horizon; {
		if w.left <= 0 {
			return hit, false
		}
		e := w.era(r, hit)
		day := floorDiv(hit+e.offset, daySeconds)
		midnight := day*daySeconds - e.offset
		last := midnight + r.last
		if r.widest <= r.seconds && midnight+r.first <= hit && hit < last && last < e.end && r.matchesDay(day) {
			hit = last
		}
		after := w.nextHit(r, hit+1)
		if !r.joins(hit, after) {
			return hit, true
		}
		hit = after
	}
	return math.MaxInt64, true
}

// firstAcrossEras is firstJoined for a gapless recurrence. Its spans can only end where the offset changes.
func (r *recurrence) firstAcrossEras(hit int64) int64 {
	for at := hit; at > hit-reach; {
		start := r.era(at).start
		if start == math.MinInt64 {
			break
		}
		before, _ := r.lastHit(start-1, ever)
		if after := r.nextHit(start); !r.joins(before, after) {
			return after
		}
		at = start - 1
	}
	return math.MinInt64
}

// lastAcrossEras is lastJoined for a gapless recurrence.
func (r *recurrence) lastAcrossEras(hit int64, w *walk) (last int64, exact bool) {
	for at := hit; at < hit+reach; {
		end := w.era(r, at).end
		if end == math.MaxInt64 {
			break
		}
		before, _ := r.lastHit(end-1, ever)
		if w.left <= 0 {
			return before, false
		}
		if !r.joins(before, w.nextHit(r, end)) {
			return before, true
		}
		at = end
	}
	return math.MaxInt64, true
}
