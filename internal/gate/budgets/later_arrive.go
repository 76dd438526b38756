package budgets

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// setAside takes the node of a request out of the queue, so that it does not stand in its own way.
func (b *clock) setAside(r *gate.Request) (own counted) {
	p := &b.pools[r.Pool.Index]
	if own = p.take(r); own.State != gate.Absent {
		p.aside = true
		p.forget(func(s budget.Start) bool { return s.Node == r.Node.Name })
	}
	return own
}

// Arrive puts the node of a request into the queue.
func (b *clock) Arrive(r *gate.Request, one gate.Arrival, c *gate.Chances) (doubt time.Time) {
	if r.Goes {
		return b.startsNow(r)
	}
	return b.arriveLater(r, b.pools[r.Pool.Index].own, one, c.OtherGates.At)
}

// arriveLater puts the node of a request into the queue, where it was for another reason before. It returns a time from
// which on it may take places of others that come later. Zero: there is none. Free is when all but budgets and zones
// let the request go.
func (b *clock) arriveLater(r *gate.Request, own counted, one gate.Arrival, free time.Time) (doubt time.Time) {
	p := &b.pools[r.Pool.Index]
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
			b.Doubt(r.Pool.Scope(), first)
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
	b.requeue(r.Pool)
	return doubt
}

// spare returns how many more nodes could be in use without a request being in their way that comes at a time.
func (b *clock) spare(r *gate.Request, at time.Time) int {
	q := &b.quotas[r.Kind.Index]
	if r.Pool.Budgets.MostSpecific() {
		return 0
	}
	return max(0, q.allowance(at).Remaining(q.inUse(&b.pools[r.Pool.Index], at, true)))
}

// Doubt says that from a time on, others may take the places of those of a pool that come later.
func (b *clock) Doubt(s gate.Scope, from time.Time) {
	pool := &b.pools[s]
	pool.queue.doubt(from)
	pool.forget(func(s budget.Start) bool { return s.At.After(from) })
}

// Ties reports that requests compete for the places of their own pool alone.
func (b *clock) Ties(gate.Scope) gate.Tie { return gate.Untied }

// startsNow notes that a request goes now, before all that come. It returns a time as arrive does.
func (b *clock) startsNow(r *gate.Request) (doubt time.Time) {
	p := &b.pools[r.Pool.Index]
	own := b.setAside(r)
	p.aside = false
	if r.Pool.Budgets.MostSpecific() && r.Several() && !r.Uncounted() {
		p.lane("").PutUnnumbered(b.now) // if it does not start now, it may use up other budgets later
	}
	if own.State != gate.Absent {
		p.epoch++
	}
	if r.Uncounted() || !p.last().After(b.now) {
		return doubt
	}
	b.countInUse(r.Pool)
	if own.State != gate.Absent || !b.yields(r, b.now) {
		b.Doubt(r.Pool.Scope(), b.now)
		return b.now
	}
	b.requeue(r.Pool)
	return doubt
}
