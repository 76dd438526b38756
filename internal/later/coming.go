package later

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// Each of these answers has two parts: the earliest time at which budgets let a request go if only those come before it that are
// certain to (zero: never), and whether they let it go then even if all come that could. If not, the time is unknown, and zero.

// learn notes an answer of the budgets.
func (c *chances) learn(at time.Time, known bool) {
	if known && at.IsZero() {
		c.never = true
	}
}

// look prepares answers for a request.
func (b *budgets) look(r *gate.Request) { b.pools[r.Pool.Index].base = b.row.Budgets.Used(r.Pool) }

// goesFrom returns when budgets let a request go, at a time or later.
func (b *budgets) goesFrom(r *gate.Request, from time.Time) (at time.Time, known bool) {
	ordinary, known := b.ordinary(r, from)
	if known && !ordinary.IsZero() {
		known = b.fits(r, ordinary, true) && b.mayStartThen(r, ordinary)
	}
	return b.orDue(r, from, ordinary, known)
}

// ordinary returns when budgets let a request go as if it were not overdue, if only those come before it that are certain to.
func (b *budgets) ordinary(r *gate.Request, from time.Time) (at time.Time, known bool) {
	from = until.Latest(from, b.quotas[r.Kind.Index].Waits)
	for range mostPaceChanges {
		open, known := b.opensFrom(r, from)
		if open.IsZero() {
			return time.Time{}, known
		}
		start, known := b.startsFrom(r, open)
		if start.IsZero() || start.Equal(open) {
			return start, known
		}
		from = start
	}
	return time.Time{}, false
}

// fullUntil returns when there is room for a request, at a time or later, whatever paces say.
func (b *budgets) fullUntil(r *gate.Request, from time.Time) (at time.Time, known bool) {
	at, known = b.opensFrom(r, from)
	if known && !at.IsZero() {
		known = b.fits(r, at, true)
	}
	return b.orDue(r, from, at, known)
}

// pacedUntil returns when paces let a request start, at a time or later, whatever other budgets say.
func (b *budgets) pacedUntil(r *gate.Request, from time.Time) (at time.Time, known bool) {
	at, known = b.startsFrom(r, from)
	known = known && b.mayStartThen(r, at)
	return b.orDue(r, from, at, known)
}

// orDue returns the first of an answer and the time when the request goes because it is overdue.
func (b *budgets) orDue(r *gate.Request, from, at time.Time, known bool) (time.Time, bool) {
	due, dueKnown := b.due(r, from)
	if !due.IsZero() && (at.IsZero() && known || due.Before(at)) {
		at, known = due, dueKnown
	}
	if !known {
		at = time.Time{}
	}
	return at, known
}

// due returns when a request may go because it is overdue, at a time or later.
func (b *budgets) due(r *gate.Request, from time.Time) (at time.Time, known bool) {
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	if r.Deadline().IsZero() || b.row.Now.IsZero() {
		return at, true
	}
	at = until.Latest(from, r.Deadline())
	if r.Uncounted() || q.Overdue.Remaining(q.total(p, at, true)) > 0 {
		return at, true
	}
	if q.Overdue.Remaining(q.total(p, at, false)) > 0 {
		return at, false
	}
	return time.Time{}, true
}

// total returns how many nodes are in use at a time, whatever their reasons.
func (q *quota) total(p *pool, at time.Time, most bool) int {
	n := p.base.TotalFor(q.Reason) + p.count(at, most)
	if !most && !candidate.Unhealthy.Covers(q.Reason) {
		n -= p.unready
	}
	return n
}

// inUse returns how much of the allowance of a time is used up then.
func (q *quota) inUse(p *pool, at time.Time, most bool) int {
	switch {
	case !q.Pool.Budgets.MostSpecific():
		return q.total(p, at, most)
	case p.unready > 0 && most:
		return budget.Unlimited
	}
	return q.Pool.Limits().InUse(at, q.Pool.Nodes, q.Reason, p.usage(at, most)) - p.unready
}

// allowance returns what is allowed at a time.
func (q *quota) allowance(at time.Time) budget.Allowance {
	if at.Equal(q.now) {
		return q.Allowance
	}
	if !q.later.at.Equal(at) {
		allowance, _ := budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
		q.later = allowed{at, allowance}
	}
	return q.later.allowance
}

// fits reports whether there is room for a request at a time.
func (b *budgets) fits(r *gate.Request, at time.Time, most bool) bool {
	q := &b.quotas[r.Kind.Index]
	return q.allowance(at).Remaining(q.inUse(&b.pools[r.Pool.Index], at, most)) > 0
}

// opensFrom returns when there is room for a request, at a time or later, beside those that are certain to have come.
func (b *budgets) opensFrom(r *gate.Request, at time.Time) (opens time.Time, known bool) {
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	for range mostPaceChanges {
		if b.fits(r, at, false) {
			return at, true
		}
		if at = q.fullAt(p, at); at.IsZero() {
			return at, true
		}
	}
	return time.Time{}, false
}

// fullAt returns until when there is no room, from a time on when there is none, beside those that have come by then.
func (q *quota) fullAt(p *pool, at time.Time) (opens time.Time) {
	n, specific := max(0, q.total(p, at, false)), q.Pool.Budgets.MostSpecific()
	for _, o := range q.full {
		if o.asked.Equal(at) && o.from <= n && n < o.to && (!specific || o.epoch == p.epoch && !p.apart) {
			return o.at
		}
	}
	o := filled{opening{from: n, to: n + 1}, at, p.epoch}
	if specific {
		_, o.at = q.Pool.Limits().Room(at, q.Pool.Nodes, q.Reason, p.usage(at, false))
	} else if _, o.at = q.Pool.Limits().AtMost(at, q.Pool.Nodes, q.Reason, n); o.at.IsZero() {
		o.to = budget.Unlimited
	} else {
		o.to = q.allowance(o.at).Nodes
	}
	if !p.apart {
		q.full = append(q.full[max(0, len(q.full)+1-mostFilled):], o)
	}
	return o.at
}

// mostFilled is how many answers of fullAt are kept.
const mostFilled = 8

// startsFrom returns when paces let a request start, at a time or later, beside those that are certain to have started.
func (b *budgets) startsFrom(r *gate.Request, from time.Time) (start time.Time, known bool) {
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	switch {
	case !p.held:
		return from, true
	case p.foreseen >= mostForeseen:
		return start, false
	}
	at, s := from, &q.starts
	if !p.apart && s.epoch == p.epoch && !s.from.After(from) {
		at = until.Latest(at, s.at)
	}
	start = p.all.NextStart(at, r.Kind.Reason)
	if !p.apart && !from.After(b.row.Now) {
		*s = started{from, start, p.epoch}
	}
	return start, !start.IsZero()
}

// mayStartThen reports whether paces let a request start at a time even if all have started by then that could.
func (b *budgets) mayStartThen(r *gate.Request, at time.Time) bool {
	p := &b.pools[r.Pool.Index]
	if !p.held {
		return true
	}
	others := p.uncertain(at)
	if others.Total() == 0 {
		return true
	}
	return p.all.Pacing(at, r.Kind.Reason).MayStart(others).Nodes > 0
}

// apart takes the node of a request out of the queue, so that it does not stand in its own way.
func (b *budgets) apart(r *gate.Request) (own counted) {
	p := &b.pools[r.Pool.Index]
	if own = p.take(r); own.state != none {
		p.apart = true
		p.forget(func(s budget.Start) bool { return s.Node == r.Node.Name })
	}
	return own
}

// arrive puts the node of a request into the queue, where it was for another reason before. It returns a time from which on it may
// take places of others that come later. Zero: there is none. Free is when all but budgets and zones let the request go.
func (b *budgets) arrive(r *gate.Request, own counted, one arrival, free time.Time) (doubt time.Time) {
	p := &b.pools[r.Pool.Index]
	p.apart = false
	if r.Uncounted() {
		return doubt
	}
	if one.state == firm && !r.Node.Ready() {
		one = arrival{state: loose, least: one.least} // once it is in flight, it uses less
	}
	all := own.or(counted{arrival: one, reason: r.Reason()})
	if all.state == none {
		return doubt
	}
	if own.state != none && !own.equal(all.arrival) {
		p.epoch++
	}
	if first, comes := all.first(); comes && !(own.state != none && own.equal(all.arrival)) && p.last().After(first) {
		if own.state != none || !b.yields(r, first) {
			doubt = first
			b.doubt(r.Pool, first)
		}
	}
	p.put(r, all.reason, all.arrival)
	if all.state == firm {
		p.comesToStart(r.Node, all.reason, all.at)
		p.spare = min(p.spare, b.spare(r, all.at))
		if !r.Several() {
			p.line = append(p.line, queued{r, all.arrival, free, p.seen})
			p.seen++
		}
	}
	b.requeue(r.Pool)
	return doubt
}

// first returns when an arrival may come at the earliest, if it does.
func (one arrival) first() (at time.Time, comes bool) {
	if one.state == firm {
		return one.at, true
	}
	return one.least, one.state == loose
}

// spare returns how many more nodes could be in use without a request being in their way that comes at a time.
func (b *budgets) spare(r *gate.Request, at time.Time) int {
	q := &b.quotas[r.Kind.Index]
	if r.Pool.Budgets.MostSpecific() {
		return 0
	}
	return max(0, q.allowance(at).Remaining(q.inUse(&b.pools[r.Pool.Index], at, true)))
}

// doubt says that from a time on, others may take the places of those of a pool that come later.
func (b *budgets) doubt(p *gate.Pool, from time.Time) {
	pool := &b.pools[p.Index]
	pool.queue.doubt(from)
	pool.forget(func(s budget.Start) bool { return s.At.After(from) })
}

// starts notes that a request goes now, before all that come. It returns a time as arrive does.
func (b *budgets) starts(r *gate.Request) (doubt time.Time) {
	p := &b.pools[r.Pool.Index]
	own := b.apart(r)
	p.apart = false
	if r.Pool.Budgets.MostSpecific() && r.Several() && !r.Uncounted() {
		p.lane("").loose.add(b.row.Now, 1) // if it does not start now, it may use up other budgets later
	}
	if own.state != none {
		p.epoch++
	}
	if r.Uncounted() || !p.last().After(b.row.Now) {
		return doubt
	}
	b.look(r)
	if own.state != none || !b.yields(r, b.row.Now) {
		b.doubt(r.Pool, b.row.Now)
		return b.row.Now
	}
	b.requeue(r.Pool)
	return doubt
}
