package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A pace is what counts for the paces of a pool, as time passes: budgets that limit how many nodes start within some time.
type pace struct {
	held     bool           // the pool has paces
	starts   []budget.Start // first those in the memory, and of requests that go; then those of requests that come, as far as foreseen
	going    int            // how many of starts are of the first kind
	foreseen int            // how many requests that come were considered
	starting budget.Usage   // requests that go, and those that come
}

// mostForeseen is how many starts of a pool are foreseen. For requests behind them it is not known when they may start.
const mostForeseen = 500

// mostPaceChanges is how often paces may become active or inactive before a request counts as never held back by them.
const mostPaceChanges = 100

func newPace(row *gate.Row, p *gate.Pool) pace {
	starts := row.Budgets.Starts(p)
	return pace{held: p.Budgets.LongestPace() > 0 && !p.Ambiguous, starts: slices.Clip(starts), going: len(starts)}
}

// begins counts a request that starts now.
func (p *pace) begins(r *gate.Request, now time.Time) {
	if !p.held || r.Uncounted() {
		return
	}
	p.starting.Add(r.Reason(), 1)
	p.starts = slices.Insert(p.starts, p.going, budget.Start{Node: r.Name, Reason: r.Reason(), At: now})
	p.going++
}

// comesToStart counts a request that may start later.
func (b *budgets) comesToStart(r *gate.Request, c *chances) {
	p := &b.pools[r.Pool.Index].pace
	if !p.held || r.Uncounted() {
		return
	}
	start := c.settled
	if start.IsZero() {
		start = b.mayStartFrom(r, c.inPool().at)
	}
	p.starting.Add(r.Reason(), 1)
	if !start.IsZero() {
		p.starts = append(p.starts, budget.Start{Node: r.Name, Reason: r.Reason(), At: start})
	}
	p.foreseen++
}

// startsFrom returns when paces let one more request start, at a time or later, after all that come before it. Zero is never, or when
// is unknown.
func (b *budgets) startsFrom(r *gate.Request, at time.Time) time.Time {
	p := &b.pools[r.Pool.Index].pace
	if p.foreseen >= mostForeseen {
		return time.Time{}
	}
	q := &b.quotas[r.Kind.Index]
	start := r.Pool.Budgets.NextStart(until.Latest(until.Latest(b.row.Now, q.startsBy), at), r.Pool.Nodes, r.Kind.Reason, p.starts)
	if !at.After(b.row.Now) {
		q.startsBy = start // no later request of the kind may start before: starts are only added
	}
	return start
}

// mayStartFrom returns when one more request may start, at a time or later, after all that come before it: paces let it, and there
// is room, or it is overdue. Zero means never, or that the time is unknown.
func (b *budgets) mayStartFrom(r *gate.Request, at time.Time) time.Time {
	overdue := b.overdueBesideAll(r)
	if !overdue.IsZero() {
		overdue = until.Latest(at, overdue)
	}
	q, from := &b.quotas[r.Kind.Index], at
	if !q.starts.from.After(at) {
		from = until.Latest(at, q.starts.at)
	}
	for range mostPaceChanges {
		start := b.startsFrom(r, from)
		if start.IsZero() || !overdue.IsZero() && !overdue.After(start) {
			return overdue
		}
		room, opens := q.Pool.Budgets.Room(start, q.Pool.Nodes, q.Reason, b.pools[r.Pool.Index].soon)
		if room {
			if start.After(q.starts.at) {
				q.starts = started{at, start}
			}
			return start
		}
		if from = opens; from.IsZero() {
			return overdue
		}
	}
	return overdue
}

// paced returns the blocker of a request that paces hold back, with the time when they no longer do.
func (b *budgets) paced(r *gate.Request, refusal candidate.Blocker, c *chances) candidate.Blocker {
	p, q := &b.pools[r.Pool.Index].pace, &b.quotas[r.Kind.Index]
	if q.startsAt.IsZero() || q.startsBeside != p.going {
		q.startsBeside = p.going
		q.startsAt = r.Pool.Budgets.NextStart(b.row.Now, r.Pool.Nodes, r.Kind.Reason, p.starts[:p.going])
	}
	c.waitForPlace(until.First(q.startsAt, b.overdueBesideThose(r)))
	refusal.Until = until.First(b.startsFrom(r, b.row.Now), b.overdueBesideAll(r))
	return refusal
}

// paceEnds returns when a pace becomes active that no longer lets a request start that goes now, beside others that start.
func (b *budgets) paceEnds(r *gate.Request, beside budget.Usage) (never time.Time) {
	if !b.pools[r.Pool.Index].held || r.Uncounted() {
		return never
	}
	set, at := r.Pool.Budgets, b.row.Now
	for range mostPaceChanges {
		at = set.PaceChange(at)
		if at.IsZero() || set.Pacing(at, r.Pool.Nodes, r.Kind.Reason, b.row.Budgets.Starts(r.Pool)).MayStart(beside).Nodes <= 0 {
			return at
		}
	}
	return never
}

// mayStart reports whether paces let a request start beside all that come.
func (b *budgets) mayStart(r *gate.Request) bool {
	return b.quotas[r.Kind.Index].Pacing.MayStart(b.pools[r.Pool.Index].starting).Nodes > 0
}

// pacedAfter returns what paces say of a request at a later time.
func (b *budgets) pacedAfter(r *gate.Request, at time.Time) []candidate.Blocker {
	if !b.pools[r.Pool.Index].held {
		return nil
	}
	start := b.mayStartFrom(r, at)
	if start.Equal(at) {
		return nil
	}
	return []candidate.Blocker{{
		Gate: candidate.GateBudget, Code: candidate.CodePaced, Until: start, Later: true,
		Message: "after that, as many nodes have started as may",
	}}
}

// nextPacing returns when time alone may first change how many nodes of a pool may start.
func (b *budgets) nextPacing(p *gate.Pool) time.Time {
	pace := &b.pools[p.Index].pace
	if !pace.held {
		return time.Time{}
	}
	return p.Budgets.NextPacing(b.row.Now, pace.starts[:pace.going])
}
