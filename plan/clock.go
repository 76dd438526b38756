package plan

import (
	"slices"
	"time"
)

// A clock records how the time of a pool is spent.
type clock struct {
	at      time.Time
	waiting map[int]int // nodes that wait, except for ever, by key
	flying  map[int]int // nodes in flight, by key
	stuck   map[int]int // nodes that wait or drain for ever, as far as is known, by key
	spent   map[int]time.Duration
	pending map[int]time.Duration // spent since a node last ended; counts once another one ends
}

func newClock(at time.Time) *clock {
	return &clock{
		at: at, waiting: map[int]int{}, flying: map[int]int{}, stuck: map[int]int{},
		spent: map[int]time.Duration{}, pending: map[int]time.Duration{},
	}
}

// advance shares the time since the last call among the nodes that wait. If none waits, it shares it among those in
// flight, and last among those that wait for ever.
func (c *clock) advance(now time.Time) {
	d := now.Sub(c.at)
	if d <= 0 {
		return
	}
	c.at = now
	for _, by := range []map[int]int{c.waiting, c.flying, c.stuck} {
		if len(by) > 0 {
			share(c.pending, by, d)
			return
		}
	}
}

// share distributes d over keys in proportion to their counts. It rounds cumulative shares, so that the shares add up
// to d.
func share(to map[int]time.Duration, by map[int]int, d time.Duration) {
	total := 0
	keys := make([]int, 0, len(by))
	for key, n := range by {
		total += n
		keys = append(keys, key)
	}
	slices.Sort(keys)
	before, given := 0, time.Duration(0)
	all := time.Duration(total)
	for _, key := range keys {
		before += by[key]
		upTo := d/all*time.Duration(before) + d%all*time.Duration(before)/all // d*before/total without overflow
		to[key] += upTo - given
		given = upTo
	}
}

// commit moves pending time to spent time.
func (c *clock) commit() {
	for key, d := range c.pending {
		c.spent[key] += d
	}
	clear(c.pending)
}

// add adds n to the count of a key, and removes counts of 0. It ignores the key -1.
func add(by map[int]int, key, n int) {
	if key < 0 {
		return
	}
	if by[key] += n; by[key] == 0 {
		delete(by, key)
	}
}
