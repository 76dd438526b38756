package budgets

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// setAside takes the node of a request out of the queue, so that it does not stand in its own way.
func (b *clock) setAside(r *gate.Request) (own counted) {
	p := b.of(r)
	if own = p.take(r); own.State != gate.Absent {
		p.aside = true
		p.forget(func(s budget.Start) bool { return s.Node == r.Node.Name })
	}
	return own
}

// Arrive puts the node of a request into the queue.
func (b *clock) Arrive(r *gate.Request, one gate.Arrival, c *gate.Chances) (doubt time.Time) {
	if b.gate.kind(r) == nil {
		return doubt
	}
	if r.Goes {
		return b.startsNow(r)
	}
	return b.arriveLater(r, b.of(r).own, one, c.OtherGates.At)
}

// arriveLater puts the node of a request into the queue, where it was for another reason before. It returns a time from
// which on it may take places of others that come later. Zero: there is none. Free is when all but budgets and zones
// let the request go.
func (b *clock) arriveLater(r *gate.Request, own counted, one gate.Arrival, free time.Time) (doubt time.Time) {
	p := b.of(r)
	p.aside = false
	if r.Uncounted() {
		return doubt
	}
	if one.State == gate.Firm && !r.Node.Ready() {
		one = gate.Arrival{State: gate.Loose, Earliest: one.Earliest} // once it is in flight, it uses less
	}
	all := own.or(counted{Arrival: one, reason: r.Reason()})
	if all.State == gate.Absent {
		return doubt
	}
	if own.State != gate.Absent && !own.Equal(all.Arrival) {
		p.epoch++
	}
	asked := own.State != gate.Absent && own.Equal(all.Arrival)
	if first, comes := all.First(); comes && !asked && p.last().After(first) {
		if own.State != gate.Absent || !b.yields(r, first) {
			doubt = first
			b.Doubt(b.scope(r).Scope(), first)
		}
	}
	p.put(r, all.reason, all.Arrival)
	if all.State == gate.Firm {
		p.startsLater(r.Node, all.reason, all.At)
		p.spare = min(p.spare, b.spare(r, all.At))
		if !r.Several() {
			p.line = append(p.line, queued{r, all.Arrival, free, p.seen})
			p.seen++
		}
	}
	b.requeue(b.scope(r))
	return doubt
}

// spare returns how many more nodes could be in use without a request being in their way that comes at a time.
func (b *clock) spare(r *gate.Request, at time.Time) int {
	q := b.outlook(r)
	if b.scope(r).Budgets.MostSpecific() {
		return 0
	}
	return max(0, q.allowance(at).Remaining(q.inUse(b.of(r), at, true)))
}

// Doubt says that from a time on, others may take the places of those of a pool that come later.
func (b *clock) Doubt(s gate.Scope, from time.Time) {
	if b.fleet.Scopes[s].Layer != b.gate.layer {
		return
	}
	pool := &b.pools[s]
	pool.queue.doubt(from)
	pool.forget(func(s budget.Start) bool { return s.At.After(from) })
}

// Ties reports with whom the requests of a scope of another layer compete for the places of this one. Those of a group
// compete with each other; those of a pool, also with those of other pools of its group.
func (b *clock) Ties(s gate.Scope) (tie gate.Tie) {
	if b.fleet.Scopes[s].Layer == b.gate.layer {
		return gate.Untied
	}
	place := tied{b.gate.layer, s}
	tie, known := b.ties[place]
	if !known {
		tie = b.fleet.Scopes[s].Ties(b.gate.layer)
		b.ties[place] = tie
	}
	return tie
}

// tied is a layer and a scope of another one.
type tied struct {
	layer int
	scope gate.Scope
}

// startsNow notes that a request goes now, before all that come. It returns a time as arrive does.
func (b *clock) startsNow(r *gate.Request) (doubt time.Time) {
	p := b.of(r)
	own := b.setAside(r)
	p.aside = false
	if b.scope(r).Budgets.MostSpecific() && r.Several() && !r.Uncounted() {
		p.lane("").PutUnnumbered(b.now) // if it does not start now, it may use up other budgets later
	}
	if own.State != gate.Absent {
		p.epoch++
	}
	if r.Uncounted() || !p.last().After(b.now) {
		return doubt
	}
	b.countInUse(b.scope(r))
	if own.State != gate.Absent || !b.yields(r, b.now) {
		b.Doubt(b.scope(r).Scope(), b.now)
		return b.now
	}
	b.requeue(b.scope(r))
	return doubt
}
