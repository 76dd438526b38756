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

// Look prepares answers for a request.
func (b *clock) Look(r *gate.Request) {
	if b.gate.kind(r) == nil {
		return
	}
	b.countInUse(b.scope(r))
	b.of(r).own = b.setAside(r)
}

func (b *clock) countInUse(p *gate.Pool) { b.pools[p.Index].base = b.gate.usage(p) }

// goesFrom returns when budgets let a request go, at a time or later.
func (b *clock) goesFrom(r *gate.Request, from time.Time) (at time.Time, known bool) {
	ordinary, known := b.goesUnexcused(r, from)
	if known && !ordinary.IsZero() {
		known = b.fits(r, ordinary, true) && b.surelyStarts(r, limit.AllIndexes, ordinary)
	}
	return b.orDue(r, from, ordinary, known)
}

// goesUnexcused returns when budgets let a request go as if it were not overdue, if only those come before it that are
// certain to.
func (b *clock) goesUnexcused(r *gate.Request, from time.Time) (at time.Time, known bool) {
	if end, held := b.heldBack(r); held {
		if end.IsZero() {
			return end, false
		}
		from = until.Latest(from, end)
	}
	for range mostPaceChanges {
		room, known := b.roomFrom(r, from)
		if room.IsZero() {
			return time.Time{}, known
		}
		start, known := b.startFrom(r, limit.AllIndexes, room)
		if start.IsZero() || start.Equal(room) {
			return start, known
		}
		from = start
	}
	return time.Time{}, false
}

// roomOrDueFrom returns when there is room for a request, at a time or later, whatever paces say.
func (b *clock) roomOrDueFrom(r *gate.Request, from time.Time) (at time.Time, known bool) {
	at, known = b.roomFrom(r, from)
	if known && !at.IsZero() {
		known = b.fits(r, at, true)
	}
	return b.orDue(r, from, at, known)
}

// startOrDueFrom returns when some of the paces let a request start, at a time or later, whatever other budgets say.
func (b *clock) startOrDueFrom(r *gate.Request, which limit.Indexes, from time.Time) (at time.Time, known bool) {
	at, known = b.startFrom(r, which, from)
	known = known && b.surelyStarts(r, which, at)
	return b.orDue(r, from, at, known)
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
func (b *clock) fits(r *gate.Request, at time.Time, most bool) bool {
	q := b.outlook(r)
	return q.allowance(at).Remaining(q.inUse(b.of(r), at, most)) > 0
}

// roomFrom returns when there is room for a request, at a time or later, beside those that are certain to have come.
func (b *clock) roomFrom(r *gate.Request, at time.Time) (room time.Time, known bool) {
	p, q := b.of(r), b.outlook(r)
	for range mostPaceChanges {
		if b.fits(r, at, false) {
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
func (b *clock) startFrom(r *gate.Request, which limit.Indexes, from time.Time) (start time.Time, known bool) {
	p, q := b.of(r), b.outlook(r)
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
	if !p.aside && !from.After(b.now) {
		*s = startAnswer{which, true, from, start, p.epoch}
	}
	if p.unready > 0 && q.Pool.Limits().Soaks(which) != 0 && !start.Equal(from) {
		return time.Time{}, false // in flight, they may take fewer places
	}
	return start, !start.IsZero()
}

// surelyStarts reports whether some of the paces let a request start at a time even if all have started by then that
// could.
func (b *clock) surelyStarts(r *gate.Request, which limit.Indexes, at time.Time) bool {
	p := b.of(r)
	if !p.paced {
		return true
	}
	others := p.uncertain(at)
	if others.Total() == 0 {
		return true
	}
	return p.all.Pacing(at, r.Reason()).Of(which).MayStart(others).Nodes > 0
}
