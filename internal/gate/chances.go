package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Chance is the earliest time at which a blocked request may go.
type Chance struct {
	At time.Time
	OK bool // false: time never lets the request go
}

// Wait delays the chance to a time. The zero time is never, and takes the chance away.
func (c *Chance) Wait(at time.Time) {
	if at.IsZero() {
		c.OK = false
	} else {
		c.At = until.Latest(c.At, at)
	}
}

// Chances are when a blocked request may go.
//
// Why not one time? A request that may go now need not start. Until it does, it keeps a place that it leaves when it
// may go no longer. So there are three: nobody starts and nobody leaves, somebody leaves early, or all have started.
// Whoever tells a time that holds in all of these cases needs each of them.
type Chances struct {
	// When the request may come to take the place of one that goes now, and has not started (InPool).
	ByTime   Chance // if nothing happens but that time passes
	Earliest Chance // if, besides, requests that go now leave their places when they may go no longer

	// When it may come into the queues at the earliest (Arrival.Earliest).
	AllStarted Chance // if all requests that go now start, and so never leave their places

	FreeElsewhere time.Time // when all gates let it go at which it waits for no place; zero: at once
	IfExcused     bool      // that is so early only if the waiver excuses the request, which others may prevent
	OtherPools    bool      // the place that it takes at the earliest may be left by a request of another pool
	BudgetsNever  bool      // it is known that budgets let it go at no time

	leaves   time.Time // when the first request that goes now leaves a place that this one needs; zero: never
	forPlace bool      // it waits for a place at the gate that was asked last
}

// Reset makes them those of a request that nothing holds back. The first request that goes now leaves a place in the
// pool at a time.
func (c *Chances) Reset(leaves time.Time) {
	*c = Chances{leaves: leaves}
	c.ByTime.OK, c.Earliest.OK, c.AllStarted.OK = true, true, true
}

// Lift delays the chances until all blockers have lifted.
func (c *Chances) Lift(blockers []candidate.Blocker) {
	for i := range blockers {
		c.wait(blockers[i].Until)
	}
}

// wait delays the chances to a time, whoever goes.
func (c *Chances) wait(at time.Time) {
	c.ByTime.Wait(at)
	c.Earliest.Wait(at)
	c.AllStarted.Wait(at)
}

// WaitForPlace delays the chances until there is a place: until a time, or until a request leaves its place. If early,
// there may be one sooner, once the requests that go now have started: a node that is not Ready may use less in flight,
// and the turn of a domain may end.
func (c *Chances) WaitForPlace(at time.Time, early bool) {
	c.forPlace = true
	c.ByTime.Wait(at)
	c.Earliest.Wait(until.First(at, c.leaves))
	if !early {
		c.AllStarted.Wait(at)
	}
}

// Told notes the blockers of a gate, with the times when they lift, once the gate has delayed the chances.
func (c *Chances) Told(blockers []candidate.Blocker) {
	if !c.forPlace {
		for i := range blockers {
			c.FreeElsewhere = until.Latest(c.FreeElsewhere, blockers[i].Until)
		}
	}
	c.forPlace = false
}

// NoteBudgets notes when budgets let the request go, zero for never, if that is known. It keeps only never, since the
// blockers have the time.
func (c *Chances) NoteBudgets(at time.Time, known bool) {
	c.BudgetsNever = c.BudgetsNever || known && at.IsZero()
}

// InPool returns when the request may take a place in its own pool.
func (c *Chances) InPool() Chance {
	if c.OtherPools {
		return c.Earliest
	}
	return c.ByTime
}
