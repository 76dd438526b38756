package disruptkit

import "time"

// A place is what candidates take from each other, and what has happened to it so far in a decision: what a pool's budgets
// or a PDB allow.
type place struct {
	leaves  time.Time // when the first of those that may go now may no longer, and somebody else can
	comes   time.Time // when the first that cannot go now may, and take somebody's place
	coming  int       // how many of those there are
	waiting int       // how many of them time alone will let go
}

// A chance is when a candidate that is held back may go at the earliest, if it may.
type chance struct {
	at time.Time
	ok bool
}

func (c *chance) wait(until time.Time) {
	c.at, c.ok = latest(c.at, until), c.ok && !until.IsZero()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
