package budgets

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

var _ gate.WaiverClock = (*clock)(nil) // package later asks the clock of each gate.Waiver

// excusedBeside returns from when on a request may go because it is overdue, beside the nodes of u. Zero means never.
func (c *clock) excusedBeside(r *gate.Request, u limit.Usage) (from time.Time) {
	deadline := r.Deadline()
	if deadline.IsZero() || c.gate.now.IsZero() {
		return from
	}
	if q := c.outlook(r); r.Uncounted() || q.Overdue.Remaining(u.TotalFor(r.Reason())) > 0 {
		from = until.Latest(c.gate.now, deadline)
	}
	return from
}

// excusedBesideAll is excusedBeside beside all that come.
func (c *clock) excusedBesideAll(r *gate.Request) time.Time {
	return c.excusedBeside(r, c.of(r).soon)
}

// excusedBesideGoing is excusedBeside beside the requests that go.
func (c *clock) excusedBesideGoing(r *gate.Request) time.Time {
	return c.excusedBeside(r, c.gate.usage(c.scope(r)))
}

// liftsExcused returns the blocker of an overdue request that waits for others, with the time when it may go as if it
// were not overdue.
func (c *clock) liftsExcused(r *gate.Request, refusal candidate.Blocker, chances *gate.Chances) []candidate.Blocker {
	p, q := c.of(r), c.outlook(r)
	started := c.gate.now
	if p.paced {
		started = q.startBesideGoing(&p.pace, limit.AllIndexes)
	}
	chances.WaitForPlace(c.unexcusedBeside(r, c.gate.usage(c.scope(r)), &q.roomBesideGoing, started), p.unready > 0)
	from, known := c.goesFrom(r, c.gate.now)
	chances.NoteBudgets(from, known)
	refusal.Until = from
	return []candidate.Blocker{refusal}
}

// unexcusedBeside returns when one more request may go beside the nodes of u as if it were not overdue, if paces let it
// start at a time. Zero is never.
func (c *clock) unexcusedBeside(r *gate.Request, u limit.Usage, o *roomAnswer, starts time.Time) time.Time {
	q := c.outlook(r)
	from := q.now
	if q.Allowance.Remaining(q.Pool.Limits().InUse(q.now, q.Pool.Nodes, q.Reason, u)) <= 0 {
		from = q.roomBeside(u, o)
	}
	end, held := c.heldBack(r)
	if from.IsZero() || starts.IsZero() || held && end.IsZero() {
		return time.Time{}
	}
	return until.Latest(until.Latest(from, starts), end)
}

// orDue returns the first of an answer and the time when the request goes because it is overdue.
func (c *clock) orDue(r *gate.Request, from, at time.Time, known bool) (time.Time, bool) {
	due, dueKnown := c.due(r, from)
	if !due.IsZero() && (at.IsZero() && known || due.Before(at)) {
		at, known = due, dueKnown
	}
	if !known {
		at = time.Time{}
	}
	return at, known
}

// due returns when a request may go because it is overdue, at a time or later.
func (c *clock) due(r *gate.Request, from time.Time) (at time.Time, known bool) {
	p, q := c.of(r), c.outlook(r)
	if r.Deadline().IsZero() || c.gate.now.IsZero() {
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
func (c *clock) heldBack(r *gate.Request) (end time.Time, held bool) {
	if !r.Kind.Excused {
		return end, false
	}
	return c.others.Holds(r)
}

// LiftsEarlier returns the blockers of another gate from which a request is excused once it is overdue. It no longer
// waits for them then, if few nodes are in flight.
func (c *clock) LiftsEarlier(r *gate.Request, said []candidate.Blocker, chances *gate.Chances) []candidate.Blocker {
	end, _ := candidate.LiftsAt(said)
	chances.ByTime.Wait(until.First(end, c.excusedBesideGoing(r)))
	soonest := until.First(end, c.excusedBeside(r, limit.Usage{}))
	chances.Earliest.Wait(soonest)
	chances.AllStarted.Wait(soonest)
	due, known := c.due(r, c.gate.now)
	if !known && (end.IsZero() || due.Before(end)) {
		said = slices.Clone(said)
		for i := range said {
			said[i].Until = time.Time{}
		}
		return said
	}
	chances.IfExcused = chances.IfExcused || !due.IsZero() && (end.IsZero() || due.Before(end))
	return gate.By(due, said)
}
