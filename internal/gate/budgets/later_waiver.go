package budgets

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// excusedBeside returns from when on a request may go because it is overdue, beside the nodes of u. Zero means never.
func (b *clock) excusedBeside(r *gate.Request, u limit.Usage) (from time.Time) {
	deadline := r.Deadline()
	if deadline.IsZero() || b.now.IsZero() {
		return from
	}
	if q := b.outlook(r); r.Uncounted() || q.Overdue.Remaining(u.TotalFor(r.Reason())) > 0 {
		from = until.Latest(b.now, deadline)
	}
	return from
}

// excusedBesideAll is excusedBeside beside all that come.
func (b *clock) excusedBesideAll(r *gate.Request) time.Time {
	return b.excusedBeside(r, b.of(r).soon)
}

// excusedBesideGoing is excusedBeside beside the requests that go.
func (b *clock) excusedBesideGoing(r *gate.Request) time.Time {
	return b.excusedBeside(r, b.gate.usage(b.scope(r)))
}

// liftsExcused returns the blocker of an overdue request that waits for others, with the time when it may go as if it
// were not overdue.
func (b *clock) liftsExcused(r *gate.Request, refusal candidate.Blocker, c *gate.Chances) []candidate.Blocker {
	p, q := b.of(r), b.outlook(r)
	started := b.now
	if p.paced {
		started = q.startBesideGoing(&p.pace, limit.AllIndexes)
	}
	c.WaitForPlace(b.unexcusedBeside(r, b.gate.usage(b.scope(r)), &q.roomBesideGoing, started), p.unready > 0)
	from, known := b.goesFrom(r, b.now)
	c.Learn(from, known)
	refusal.Until = from
	return []candidate.Blocker{refusal}
}

// unexcusedBeside returns when one more request may go beside the nodes of u as if it were not overdue, if paces let it
// start at a time. Zero is never.
func (b *clock) unexcusedBeside(r *gate.Request, u limit.Usage, o *roomAnswer, starts time.Time) time.Time {
	q := b.outlook(r)
	from := q.now
	if q.Allowance.Remaining(q.Pool.Limits().InUse(q.now, q.Pool.Nodes, q.Reason, u)) <= 0 {
		from = q.roomBeside(u, o)
	}
	end, held := b.heldBack(r)
	if from.IsZero() || starts.IsZero() || held && end.IsZero() {
		return time.Time{}
	}
	return until.Latest(until.Latest(from, starts), end)
}

// orDue returns the first of an answer and the time when the request goes because it is overdue.
func (b *clock) orDue(r *gate.Request, from, at time.Time, known bool) (time.Time, bool) {
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
func (b *clock) due(r *gate.Request, from time.Time) (at time.Time, known bool) {
	p, q := b.of(r), b.outlook(r)
	if r.Deadline().IsZero() || b.now.IsZero() {
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

// heldBack reports whether other gates hold back an excused request from which it is excused, and until when. Zero is
// never.
func (b *clock) heldBack(r *gate.Request) (end time.Time, held bool) {
	if !r.Kind.Excused {
		return end, false
	}
	return b.others.Holds(r)
}

// LiftsEarlier returns the blockers of another gate from which a request is excused once it is overdue. It no longer
// waits for them then, if few nodes are in flight.
func (b *clock) LiftsEarlier(r *gate.Request, said []candidate.Blocker, c *gate.Chances) []candidate.Blocker {
	end, _ := candidate.LiftsAt(said)
	c.ByTime.Wait(until.First(end, b.excusedBesideGoing(r)))
	soonest := until.First(end, b.excusedBeside(r, limit.Usage{}))
	c.Earliest.Wait(soonest)
	c.AllStarted.Wait(soonest)
	due, known := b.due(r, b.now)
	if !known && (end.IsZero() || due.Before(end)) {
		said = slices.Clone(said)
		for i := range said {
			said[i].Until = time.Time{}
		}
		return said
	}
	return gate.By(due, said)
}
