package schedule

import "time"

// A recurrence is an expression in a time zone, with the time that it is open after each hit. Instants are Unix
// seconds. The package comment says what hits where clocks change.
type recurrence struct {
	expression
	zone    *zone // nil is UTC
	length  time.Duration
	gapless bool // it would always be open if clocks never changed
}

func newRecurrence(e expression, zone *zone, length time.Duration) *recurrence {
	return &recurrence{e, zone, length, e.gapless(int64(length / time.Second))}
}

// far is more than a billion years. Beyond it, recurrences count as closed.
const far = 1 << 55

func (r *recurrence) era(at int64) era {
	if r.zone == nil {
		return era{start: dawn, end: dusk}
	}
	return r.zone.era(at)
}

// apart is more than any two offsets of a zone differ by.
const apart = 2 * daySeconds

// lastHit returns the last hit at or before at.
func (r *recurrence) lastHit(at int64) int64 {
	for {
		e := r.era(at)
		wall := r.prev(at + e.offset)
		hit := wall - e.offset
		switch {
		case hit >= e.start:
			return hit
		case wall >= e.start+min(e.offset, r.era(e.start-1).offset): // in the gap
			return e.start
		}
		at = e.start - 1
	}
}

// nextHit returns the first hit at or after at.
func (r *recurrence) nextHit(at int64) int64 {
	for {
		e := r.era(at)
		wall := at + e.offset
		if at == e.start {
			wall = at + min(e.offset, r.era(at-1).offset) // matches in the gap hit now
		}
		hit := r.next(wall) - e.offset
		if hit < e.end {
			return max(hit, at)
		}
		at = max(e.end, r.next(e.end+e.offset-apart)-e.offset-apart) // no clock of the zone shows a match before that
	}
}

func (r *recurrence) opens(hit int64) time.Time  { return time.Unix(hit, 0).UTC() }
func (r *recurrence) closes(hit int64) time.Time { return time.Unix(hit, 0).UTC().Add(r.length) }

func (r *recurrence) contains(now time.Time) bool {
	at := now.Unix()
	return -far <= at && at <= far && now.Before(r.closes(r.lastHit(at)))
}

// around is leaf.around. The span of an open recurrence is that of all hits of the era if it is gapless, of all hits of
// the day if these join, and otherwise that of the last hit.
func (r *recurrence) around(now time.Time) (open bool, span Span) {
	at := now.Unix()
	if at < -far || far < at {
		return false, Span{}
	}
	hit := r.lastHit(at)
	if !now.Before(r.closes(hit)) {
		return false, Span{r.closes(hit), r.opens(r.nextHit(at + 1))}
	}
	e := r.era(hit)
	start, end := hit, hit+1
	switch midnight := floorDiv(hit+e.offset, daySeconds)*daySeconds - e.offset; {
	case r.gapless:
		start, end = e.start, e.end
	case r.widest <= int64(r.length/time.Second):
		start, end = max(e.start, midnight), min(e.end, midnight+daySeconds)
	}
	first := r.next(start+e.offset) - e.offset
	last := r.prev(end-1+e.offset) - e.offset
	if first > hit { // hit is at the end of a gap
		first, last = hit, hit
	}
	span = Span{r.opens(first), r.closes(last)}
	if start == dawn {
		span.Start = time.Time{}
	}
	if end == dusk {
		span.End = time.Time{}
	}
	return true, span
}
