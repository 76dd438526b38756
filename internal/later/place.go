package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A place is what nodes take from each other: what a pool's budgets allow, or a PodDisruptionBudget.
type place struct {
	leaves time.Time // when the first of those that may go now no longer may
	comes  time.Time // when the first of those that cannot may
	coming int       // how many of those there are
}

// leave notes that one that may go now no longer may at a time, if ever.
func (p *place) leave(at time.Time) { p.leaves = until.First(p.leaves, at) }

// come notes that one that cannot go now may at a time.
func (p *place) come(at time.Time) {
	p.comes = until.First(p.comes, at)
	p.coming++
}

// A chance is when a request that is held back may go at the earliest, if it may.
type chance struct {
	at time.Time
	ok bool
}

// wait puts the chance off to a time; the zero time takes it away.
func (c *chance) wait(at time.Time) {
	c.at, c.ok = until.Latest(c.at, at), c.ok && !at.IsZero()
}

// Chances are when a request may go if nothing happens but that time passes (alone), and if somebody who goes now leaves a place
// as well (anyhow).
type chances struct {
	alone, anyhow chance
	leaves        time.Time // when the first who goes leaves a place in the pool
	elsewhere     bool      // a place may also come free in another pool
}

func newChances(leaves time.Time) chances {
	return chances{alone: chance{ok: true}, anyhow: chance{ok: true}, leaves: leaves}
}

// lift waits until all blockers have lifted.
func (c *chances) lift(blockers []candidate.Blocker) {
	for i := range blockers {
		c.alone.wait(blockers[i].Until)
		c.anyhow.wait(blockers[i].Until)
	}
}

// waitForPlace waits until time makes a place in the pool, or somebody leaves one.
func (c *chances) waitForPlace(at time.Time) {
	c.alone.wait(at)
	c.anyhow.wait(until.First(at, c.leaves))
}

// inPool returns when the request may take a place in its pool.
func (c *chances) inPool() chance {
	if c.elsewhere {
		return c.anyhow
	}
	return c.alone
}
