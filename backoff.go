package disruptkit

import "time"

// A Backoff makes a pool wait whose replacements fail: its drifted nodes stay until then, so that it does not take every turn of
// its autoscaler, and launches from other pools. It is part of the pool's Memory; the caller is who knows how replacements end:
//
//	m := memory["default"]
//	m.Backoff = m.Backoff.Fail(now, rand.Float64())
//	memory["default"] = m
//
// The zero Backoff waits for nothing. (Karpenter's per-NodePool drift back-off RFC.)
type Backoff struct {
	Level int       `json:"level"` // how many waits in a row have ended in a failure, 5 at the most
	Until time.Time `json:"until"` // when the wait ends
}

const (
	firstWait   = time.Minute
	longestWait = 10 * time.Minute
	lastLevel   = 5 // the first whose wait is the longest: 1m, 2m, 4m, 8m, 10m
)

// Fail returns the Backoff after a replacement that failed for good, or that could not be launched. Before Until that is the
// same one: several failures of one attempt count once. From then on the level rises, and the pool waits for 1m, 2m, 4m, 8m and then
// 10m at a time, or for as little as half of that: jitter, from 0 to 1, says how much of the other half, so that pools do not all try
// again at once. A jitter that is out of range is taken for the next that is not, and one that is not a number for 1; at a zero now
// nothing changes.
func (b Backoff) Fail(now time.Time, jitter float64) Backoff {
	if now.IsZero() || now.Before(b.Until) {
		return b
	}
	level := min(max(b.Level, 0), lastLevel-1) + 1
	half := min(firstWait<<(level-1), longestWait) / 2
	if !(jitter <= 1) {
		jitter = 1
	}
	return Backoff{level, now.Add(half + time.Duration(max(jitter, 0)*float64(half)))}
}

// Succeed returns the Backoff after a replacement that succeeded: none.
func (Backoff) Succeed() Backoff { return Backoff{} }

// seen returns the Backoff as it is taken at a time, whatever was stored. One that ends later than any wait was written by a clock
// that was wrong, and would hold the pool back for as long. A level that Fail never returns counts as the nearest that it does, and
// one of no level that is over is none.
func (b Backoff) seen(now time.Time) Backoff {
	b.Level = min(max(b.Level, 0), lastLevel)
	if b.Level == 0 && !now.Before(b.Until) {
		return Backoff{}
	}
	if latest := now.Add(longestWait); !now.IsZero() && b.Until.After(latest) {
		b.Until = latest
	}
	return b
}
