package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// AllowsFrom returns the first time at or after from at which the budgets of the layer allow one more request of its
// kind.
func (g *budgetGate) AllowsFrom(r *request, from time.Time) time.Time {
	if g.passes(r) {
		return from
	}
	return g.allowsFrom(&g.quotas[g.kind(r).Index], from)
}

// mostSteps is after how many changes of limits and paces, in turn, allowsFrom gives up.
const mostSteps = 1000

// allowsFrom is AllowsFrom for a kind of requests.
func (b *book) allowsFrom(q *quota, from time.Time) (never time.Time) {
	if b.now.IsZero() {
		return never
	}
	u, set := &b.used[q.Pool.Index], q.Pool.Budgets
	for range mostSteps {
		room, end := set.Room(from, q.Pool.Nodes, q.Reason, u.Usage)
		switch {
		case !room && end.IsZero():
			return never
		case !room:
			from = end
			continue
		case !u.paced:
			return from
		}
		next := b.after(u).NextStart(from, q.Reason)
		if next.IsZero() || next.Equal(from) {
			return next
		}
		from = next
	}
	return never
}

// after returns the pacer of a pool with the starts of the requests that are disrupted.
func (b *book) after(u *scopeUsage) *budget.Pacer {
	if u.starting.Total() == 0 {
		return u.pacer
	}
	if u.after == nil || u.afterAt != u.changes {
		u.after, u.afterAt = u.pacer.Clone(), u.changes
		for reason, n := range u.starting.All() {
			for range n {
				u.after.Start(reason, b.now)
			}
		}
		u.after.Occupy(u.taking)
	}
	return u.after
}

// Until returns when the budgets may no longer allow the request, which is counted.
func (g *budgetGate) Until(r *request) (end time.Time) {
	if g.passes(r) {
		return end
	}
	q := &g.quotas[g.kind(r).Index]
	u := &g.used[q.Pool.Index]
	shared := !g.joinsFlight(r) && !r.ForAny
	if shared && q.untilAt == 1+u.changes {
		return q.until
	}
	others := u.Usage.Clone()
	g.countIn(&others, r, -1)
	switch room, lasts := q.Pool.Budgets.Room(g.now, q.Pool.Nodes, q.Reason, others); {
	case room:
		end = lasts
	case q.Excused && q.Overdue.Remaining(others.TotalFor(q.Reason)) > 0: // for good: the waiver knows no time
	default: // it was allowed before others, which use up the limit now
		end = g.limitChanges(q)
	}
	if u.paced {
		end = schedule.First(end, u.pacer.PaceChange(g.now))
	}
	if shared {
		q.until, q.untilAt = end, 1+u.changes
	}
	return end
}

// NextChange returns when time alone may first change what budgets say.
func (g *budgetGate) NextChange() (next time.Time) {
	for _, p := range g.fleet.Scopes {
		if u := &g.used[p.Index]; p.Layer == g.layer && u.paced {
			next = schedule.First(next, g.after(u).NextChange(g.now))
		}
	}
	for _, k := range g.fleet.Kinds {
		if p := k.Pool; p.Layer == g.layer && !p.Ambiguous {
			next = schedule.First(next, g.limitChanges(&g.quotas[k.Index]))
		}
	}
	return next
}

// limitChanges returns when time alone may next change how many nodes the budgets allow, or which nodes in flight use
// that up.
func (b *book) limitChanges(q *quota) time.Time {
	p := q.Pool
	change := p.Budgets.Until(b.now, p.Nodes, q.Reason)
	if b.used[p.Index].Total() > 0 {
		change = schedule.First(change, p.Budgets.Regroups(b.now, q.Reason))
	}
	return change
}
