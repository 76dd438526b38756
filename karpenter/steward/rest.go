package steward

import "time"

// A Rest is that of a node whose release Karpenter has not used, perhaps since its pods fit nowhere else: others go first. The zero Rest is
// none.
type Rest struct {
	Since time.Time
	Times int // in a row
}

const (
	firstRest = 30 * time.Second
	lastRest  = time.Hour // longer than a roll waits for a node that cannot start, by default
)

// again returns the next rest, which is twice as long.
func (r Rest) again(now time.Time) Rest { return Rest{Since: now, Times: r.Times + 1} }

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
