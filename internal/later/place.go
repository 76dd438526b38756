package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A place is something that requests compete for: what a pool's budgets allow, or what a PodDisruptionBudget does.
type place struct {
	leaves time.Time // when the first request that goes now no longer may, and leaves its place; zero: never
	comes  time.Time // when the first request that is blocked now may go, and comes to take a place; zero: never
	coming int       // how many such requests come
}

// leave notes that a request goes now, and leaves its place at a time; zero: never.
func (p *place) leave(at time.Time) { p.leaves = until.First(p.leaves, at) }

// come notes that a request is blocked now, and comes to take a place at a time.
func (p *place) come(at time.Time) {
	p.comes = until.First(p.comes, at)
	p.coming++
}

// A chance is the earliest time at which a blocked request may go.
type chance struct {
	at time.Time
	ok bool // false: time never lets the request go
}

// wait delays the chance to a time. The zero time is never, and takes the chance away.
func (c *chance) wait(at time.Time) {
	if at.IsZero() {
		c.ok = false
	} else {
		c.at = until.Latest(c.at, at)
	}
}

// chances are when a blocked request may go.
type chances struct {
	alone     chance    // if nothing happens but that time passes
	anyhow    chance    // if, besides, a request that goes now leaves its place unused
	started   chance    // if all requests that go now start, and so never leave their places
	free      chance    // when all gates but budgets and zones let it go
	leaves    time.Time // when the first request that goes now leaves a place in the pool
	elsewhere bool      // such a request may also be one of another pool
	never     bool      // the budgets never let it go, as far as is known
}

// reset makes them those of a request that nothing holds back.
func (c *chances) reset(leaves time.Time) {
	*c = chances{leaves: leaves}
	c.alone.ok, c.anyhow.ok, c.started.ok = true, true, true
}

// lift delays the chances until all blockers have lifted.
func (c *chances) lift(blockers []candidate.Blocker) {
	for i := range blockers {
		c.wait(blockers[i].Until)
	}
}

// wait delays the chances to a time, whoever goes.
func (c *chances) wait(at time.Time) {
	c.alone.wait(at)
	c.anyhow.wait(at)
	c.started.wait(at)
}

// waitForPlace delays the chances until there is a place: until a time, or until a request leaves its place. If early, there may be one
// sooner, once the requests that go now have started: a node that is not Ready may use less in flight, and the turn of a domain may end.
func (c *chances) waitForPlace(at time.Time, early bool) {
	c.alone.wait(at)
	c.anyhow.wait(until.First(at, c.leaves))
	if !early {
		c.started.wait(at)
	}
}

// inPool returns when the request may take a place in its own pool.
func (c *chances) inPool() chance {
	if c.elsewhere {
		return c.anyhow
	}
	return c.alone
}
