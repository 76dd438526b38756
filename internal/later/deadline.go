package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// overdueFrom returns from when on a request may go because it is overdue, beside the nodes of u. Zero means never.
func (b *budgets) overdueFrom(r *gate.Request, u limit.Usage) (from time.Time) {
	deadline := r.Deadline()
	if deadline.IsZero() || b.row.Now.IsZero() {
		return from
	}
	if q := &b.quotas[r.Kind.Index]; r.Uncounted() || q.Overdue.Remaining(u.TotalFor(r.Kind.Reason)) > 0 {
		from = until.Latest(b.row.Now, deadline)
	}
	return from
}

// overdueBesideAll is overdueFrom beside all that come.
func (b *budgets) overdueBesideAll(r *gate.Request) time.Time {
	return b.overdueFrom(r, b.pools[r.Pool.Index].soon)
}

// overdueBesideThose is overdueFrom beside the requests that go.
func (b *budgets) overdueBesideThose(r *gate.Request) time.Time {
	return b.overdueFrom(r, b.row.Budgets.Used(r.Pool))
}

// tooMany returns the blocker of an overdue request that waits for others, with the time when it may go as if it were not overdue.
func (b *budgets) tooMany(r *gate.Request, refusal candidate.Blocker, c *chances) []candidate.Blocker {
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	started := b.row.Now
	if p.held {
		started = q.startsBesideThose(&p.pace)
	}
	c.waitForPlace(q.ordinaryFrom(b.row.Budgets.Used(r.Pool), &q.opensFor, started), p.unready > 0)
	from, known := b.goesFrom(r, b.row.Now)
	c.learn(from, known)
	refusal.Until = from
	return []candidate.Blocker{refusal}
}

// ordinaryFrom returns when one more request may go beside the nodes of u as if it were not overdue, if paces let it start at a time.
// Zero is never.
func (q *quota) ordinaryFrom(u limit.Usage, o *opening, starts time.Time) time.Time {
	from := q.now
	if q.Allowance.Remaining(q.Pool.Limits().InUse(q.now, q.Pool.Nodes, q.Reason, u)) <= 0 {
		from = q.roomFrom(u, o)
	}
	if from.IsZero() || starts.IsZero() {
		return time.Time{}
	}
	return until.Latest(until.Latest(from, starts), q.Waits)
}

// endUnless returns when what lets a request go ends, or zero (never) if the request is overdue by then.
func endUnless(end, overdue time.Time) time.Time {
	if !overdue.IsZero() && !overdue.After(end) {
		return time.Time{}
	}
	return end
}

// by returns blockers that lift by a time at the latest. Zero is never.
func by(at time.Time, blockers []candidate.Blocker) []candidate.Blocker {
	if at.IsZero() {
		return blockers
	}
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i].Until = until.First(blockers[i].Until, at)
	}
	return blockers
}

// backoff is the clock of the gate of pools whose replacements fail. A request that is overdue no longer waits for it, if there is
// room for it then.
type backoff struct {
	fixed
	budgets *budgets
}

func (b backoff) until(r *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker {
	end := said[0].Until
	c.alone.wait(until.First(end, b.budgets.overdueBesideThose(r)))
	soonest := until.First(end, b.budgets.overdueFrom(r, limit.Usage{}))
	c.anyhow.wait(soonest)
	c.started.wait(soonest)
	due, known := b.budgets.due(r, b.budgets.row.Now)
	if !known && due.Before(end) {
		said = slices.Clone(said)
		said[0].Until = time.Time{}
		return said
	}
	return by(due, said)
}
