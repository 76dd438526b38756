package steward

import "time"

// A Rest is that of a node whose release Karpenter has not used, perhaps since its pods fit nowhere else: others are disrupted first. The zero Rest is
// none.
type Rest struct {
	Since time.Time
	Times int // in a row
	// Of is when the last of these releases was to end. Each counts once, however often the steward tries to take it back.
	Of time.Time
}

const (
	firstRest = 30 * time.Second
	lastRest  = time.Hour // longer than a roll waits for a node that cannot start, by default
)

// again returns the next rest, which is twice as long, after a release that was to end at a time.
func (r Rest) again(now, of time.Time) Rest {
	if r.Times > 0 && r.Of.Equal(of) {
		return r
	}
	return Rest{Since: now, Times: r.Times + 1, Of: of}
}

// until returns when a rest is over.
func (r Rest) until() time.Time {
	if r.Times == 0 {
		return time.Time{}
	}
	wait := firstRest
	for range r.Times - 1 {
		wait = min(2*wait, lastRest)
	}
	return r.Since.Add(wait)
}
