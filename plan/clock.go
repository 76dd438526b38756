package plan

import (
	"slices"
	"time"
)

// A clock is the account of a pool: where its time goes.
type clock struct {
	at      time.Time
	waiting map[int]int // by key, how many nodes wait, other than for ever
	flying  map[int]int // by key, how many are in flight
	stuck   map[int]int // by key, how many wait for ever, as far as is known
	spent   map[int]time.Duration
	pending map[int]time.Duration // since the last node ended; it counts once another does
}

func newClock(at time.Time) *clock {
	return &clock{
		at: at, waiting: map[int]int{}, flying: map[int]int{}, stuck: map[int]int{},
		spent: map[int]time.Duration{}, pending: map[int]time.Duration{},
	}
}

// advance shares the time up to now among what the nodes of the pool do.
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

// share shares a time by numbers. It adds up: each key gets what is left to it of the part of all keys up to it.
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
		upTo := d/all*time.Duration(before) + d%all*time.Duration(before)/all // d*before/total, without an overflow
		to[key] += upTo - given
		given = upTo
	}
}

// commit counts what is pending.
func (c *clock) commit() {
	for key, d := range c.pending {
		c.spent[key] += d
	}
	clear(c.pending)
}

// add changes a number, and leaves out 0. No key is -1.
func add(by map[int]int, key, n int) {
	if key < 0 {
		return
	}
	if by[key] += n; by[key] == 0 {
		delete(by, key)
	}
}
