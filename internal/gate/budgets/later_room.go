package budgets

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// Names that end in From are questions about one request: when may it, at a time or later? Each of these answers has
// two parts: the earliest time at which budgets let a request go if only those come before it that are certain to
// (zero: never), and whether they let it go then even if all come that could. If not, the time is unknown, and zero.
// Where a pace never lets it start, that is unknown, too.

// Look prepares answers for a request.
func (c *clock) Look(r *gate.Request) {
	if c.gate.kind(r) == nil {
		return
	}
	c.countInUse(c.scope(r))
	c.of(r).own = c.setAside(r)
}

func (c *clock) countInUse(p *gate.Pool) { c.pools[p.Index].base = c.gate.usage(p) }

// goesFrom returns when budgets let a request go, at a time or later.
func (c *clock) goesFrom(r *gate.Request, from time.Time) (at time.Time, known bool) {
	ordinary, known := c.goesUnexcused(r, from)
	if known && !ordinary.IsZero() {
		known = c.fits(r, ordinary, true) && c.surelyStarts(r, limit.AllIndexes, ordinary)
	}
	return c.orDue(r, from, ordinary, known)
}

// goesUnexcused returns when budgets let a request go as if it were not overdue, if only those come before it that are
// certain to.
func (c *clock) goesUnexcused(r *gate.Request, from time.Time) (at time.Time, known bool) {
	if end, held := c.heldBack(r); held {
		if end.IsZero() {
			return end, false
		}
		from = until.Latest(from, end)
	}
	for range mostPaceChanges {
		room, known := c.roomFrom(r, from)
		if room.IsZero() {
			return time.Time{}, known
		}
		start, known := c.startFrom(r, limit.AllIndexes, room)
		if start.IsZero() || start.Equal(room) {
			return start, known
		}
		from = start
	}
	return time.Time{}, false
}

// roomOrDueFrom returns when there is room for a request, at a time or later, whatever paces say.
func (c *clock) roomOrDueFrom(r *gate.Request, from time.Time) (at time.Time, known bool) {
	at, known = c.roomFrom(r, from)
	if known && !at.IsZero() {
		known = c.fits(r, at, true)
	}
	return c.orDue(r, from, at, known)
}

// startOrDueFrom returns when some of the paces let a request start, at a time or later, whatever other budgets say.
func (c *clock) startOrDueFrom(r *gate.Request, which limit.Indexes, from time.Time) (at time.Time, known bool) {
	at, known = c.startFrom(r, which, from)
	known = known && c.surelyStarts(r, which, at)
	return c.orDue(r, from, at, known)
}

// total returns how many nodes are in use at a time, whatever their reasons.
func (q *outlook) total(p *pool, at time.Time, most bool) int {
	n := p.base.TotalFor(q.Reason) + p.count(at, most)
	if !most && !candidate.Unhealthy.Covers(q.Reason) {
		n -= p.unready
	}
	return n
}

// inUse returns how much of the allowance of a time is used up then.
func (q *outlook) inUse(p *pool, at time.Time, most bool) int {
	switch {
	case !q.Pool.Budgets.MostSpecific():
		return q.total(p, at, most)
	case p.unready > 0 && most:
		return limit.Unlimited
	}
	return q.Pool.Limits().InUse(at, q.Pool.Nodes, q.Reason, p.usage(at, most)) - p.unready
}

// allowance returns what is allowed at a time.
func (q *outlook) allowance(at time.Time) budget.Allowance {
	if at.Equal(q.now) {
		return q.Allowance
	}
	if !q.lastAllowance.at.Equal(at) {
		allowance, _ := budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
		q.lastAllowance = allowanceAnswer{at, allowance}
	}
	return q.lastAllowance.allowance
}

// fits reports whether there is room for a request at a time.
func (c *clock) fits(r *gate.Request, at time.Time, most bool) bool {
	q := c.outlook(r)
	return q.allowance(at).Remaining(q.inUse(c.of(r), at, most)) > 0
}

// roomFrom returns when there is room for a request, at a time or later, beside those that are certain to have come.
func (c *clock) roomFrom(r *gate.Request, at time.Time) (room time.Time, known bool) {
	p, q := c.of(r), c.outlook(r)
	for range mostPaceChanges {
		if c.fits(r, at, false) {
			return at, true
		}
		if at = q.fullUntil(p, at); at.IsZero() {
			return at, true
		}
	}
	return time.Time{}, false
}

// fullUntil returns until when there is no room, from a time on when there is none, beside those that have come by
// then.
func (q *outlook) fullUntil(p *pool, at time.Time) (room time.Time) {
	n, specific := max(0, q.total(p, at, false)), q.Pool.Budgets.MostSpecific()
	for _, o := range q.lastFull {
		if o.asked.Equal(at) && o.from <= n && n < o.to && (!specific || o.epoch == p.epoch && !p.aside) {
			return o.at
		}
	}
	o := fullAnswer{roomAnswer{from: n, to: n + 1}, at, p.epoch}
	if specific {
		_, o.at = q.Pool.Limits().Room(at, q.Pool.Nodes, q.Reason, p.usage(at, false))
	} else if _, o.at = q.Pool.Limits().AtMost(at, q.Pool.Nodes, q.Reason, n); o.at.IsZero() {
		o.to = limit.Unlimited
	} else {
		o.to = q.allowance(o.at).Nodes
	}
	if !p.aside {
		q.lastFull = append(q.lastFull[max(0, len(q.lastFull)+1-mostFilled):], o)
	}
	return o.at
}

// mostFilled is how many answers of fullUntil are kept.
const mostFilled = 8

// startFrom returns when some of the paces let a request start, at a time or later, beside those that are certain to
// have started. Budgets that soak are paces here.
func (c *clock) startFrom(r *gate.Request, which limit.Indexes, from time.Time) (start time.Time, known bool) {
	p, q := c.of(r), c.outlook(r)
	switch {
	case !p.paced:
		return from, true
	case p.foreseen >= mostForeseen:
		return start, false
	}
	at, s := from, q.lastStarts.of(which)
	if !p.aside && s.holds(p.epoch, from) {
		if s.at.IsZero() {
			return start, false
		}
		at = until.Latest(at, s.at)
	}
	start = p.all.NextStartOf(which, at, r.Reason())
	if !p.aside && !from.After(c.gate.now) {
		*s = startAnswer{which, true, from, start, p.epoch}
	}
	if p.unready > 0 && q.Pool.Limits().Soaks(which) != 0 && !start.Equal(from) {
		return time.Time{}, false // in flight, they may take fewer places
	}
	return start, !start.IsZero()
}

// surelyStarts reports whether some of the paces let a request start at a time even if all have started by then that
// could.
func (c *clock) surelyStarts(r *gate.Request, which limit.Indexes, at time.Time) bool {
	p := c.of(r)
	if !p.paced {
		return true
	}
	others := p.uncertain(at)
	if others.Total() == 0 {
		return true
	}
	return p.all.Pacing(at, r.Reason()).Of(which).MayStart(others).Nodes > 0
}
