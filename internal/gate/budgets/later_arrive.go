package budgets

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// setAside takes the node of a request out of the queue, so that it does not stand in its own way.
func (c *clock) setAside(r *gate.Request) (own nodeArrival) {
	p := c.of(r)
	if own = p.take(r); own.State != gate.Absent {
		p.aside = true
		p.forget(func(s budget.Start) bool { return s.Node == r.Node.Name })
	}
	return own
}

// Arrive puts the node of a request into the queue.
func (c *clock) Arrive(r *gate.Request, one gate.Arrival, chances *gate.Chances) (doubt time.Time) {
	if c.gate.kind(r) == nil {
		return doubt
	}
	if r.Goes {
		return c.startsNow(r)
	}
	return c.arriveLater(r, c.of(r).own, one, chances)
}

// arriveLater puts the node of a request into the queue, where it was for another reason before. It returns a time from
// which on it may take places of others that come later. Zero: there is none.
func (c *clock) arriveLater(
	r *gate.Request, own nodeArrival, one gate.Arrival, chances *gate.Chances,
) (doubt time.Time) {
	p := c.of(r)
	p.aside = false
	if r.Uncounted() {
		return doubt
	}
	if one.State == gate.Firm && !r.Node.Ready() {
		one = gate.Arrival{State: gate.Loose, Earliest: one.Earliest} // once it is in flight, it uses less
	}
	all := own.or(nodeArrival{Arrival: one, reason: r.Reason()})
	if all.State == gate.Absent {
		return doubt
	}
	if own.State != gate.Absent && !own.Equal(all.Arrival) {
		p.epoch++
	}
	asked := own.State != gate.Absent && own.Equal(all.Arrival)
	if first, comes := all.First(); comes && !asked && p.last().After(first) {
		if own.State != gate.Absent || !c.yields(r, first) {
			doubt = first
			c.Doubt(c.scope(r).Scope(), first)
		}
	}
	p.put(r, all.reason, all.Arrival)
	if all.State == gate.Firm {
		p.startsLater(r.Node, all.reason, all.At)
		p.spare = min(p.spare, c.spare(r, all.At))
		if !r.Several() && !chances.IfExcused {
			p.line = append(p.line, queued{r, all.Arrival, chances.FreeElsewhere, p.seen})
			p.seen++
		}
	}
	c.requeue(c.scope(r))
	return doubt
}

// spare returns how many more nodes could be in use without a request being in their way that comes at a time.
func (c *clock) spare(r *gate.Request, at time.Time) int {
	q := c.outlook(r)
	if c.scope(r).Budgets.MostSpecific() {
		return 0
	}
	return max(0, q.allowance(at).Remaining(q.inUse(c.of(r), at, true)))
}

// Doubt says that from a time on, others may take the places of those of a pool that come later.
func (c *clock) Doubt(scope gate.Scope, from time.Time) {
	if c.gate.fleet.Scopes[scope].Layer != c.gate.layer {
		return
	}
	pool := &c.pools[scope]
	pool.queue.doubt(from)
	pool.forget(func(s budget.Start) bool { return s.At.After(from) })
}

// Ties reports with whom the requests of a scope of another layer compete for the places of this one. Those of a group
// compete with each other; those of a pool, also with those of other pools of its group.
func (c *clock) Ties(scope gate.Scope) (tie gate.Tie) {
	if c.gate.fleet.Scopes[scope].Layer == c.gate.layer {
		return gate.Untied
	}
	place := tied{c.gate.layer, scope}
	tie, known := c.ties[place]
	if !known {
		tie = c.gate.fleet.Scopes[scope].Ties(c.gate.layer)
		c.ties[place] = tie
	}
	return tie
}

// tied is a layer and a scope of another one.
type tied struct {
	layer int
	scope gate.Scope
}

// startsNow notes that a request goes now, before all that come. It returns a time as arrive does.
func (c *clock) startsNow(r *gate.Request) (doubt time.Time) {
	p := c.of(r)
	own := c.setAside(r)
	p.aside = false
	if c.scope(r).Budgets.MostSpecific() && r.Several() && !r.Uncounted() {
		p.lane("").PutUnnumbered(c.gate.now) // if it does not start now, it may use up other budgets later
	}
	if own.State != gate.Absent {
		p.epoch++
	}
	if r.Uncounted() || !p.last().After(c.gate.now) {
		return doubt
	}
	c.countInUse(c.scope(r))
	if own.State != gate.Absent || !c.yields(r, c.gate.now) {
		c.Doubt(c.scope(r).Scope(), c.gate.now)
		return c.gate.now
	}
	c.requeue(c.scope(r))
	return doubt
}
