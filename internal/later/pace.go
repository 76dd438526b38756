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

// comesToStart counts a node that starts later.
func (p *pace) comesToStart(n *candidate.Node, reason candidate.Reason, at time.Time) {
	if p.held {
		p.starts = append(p.starts, budget.Start{Node: n.Name, Reason: reason, At: at})
		p.foreseen++
	}
}

// forget takes out some of the starts of requests that come.
func (p *pace) forget(which func(budget.Start) bool) {
	if p.held && p.foreseen > 0 {
		kept := slices.DeleteFunc(p.starts[p.going:], which)
		p.starts = p.starts[:p.going+len(kept)]
	}
}

// paced returns the blocker of a request that paces hold back, with the time when they no longer do.
func (b *budgets) paced(r *gate.Request, refusal candidate.Blocker, c *chances) candidate.Blocker {
	p, q := &b.pools[r.Pool.Index].pace, &b.quotas[r.Kind.Index]
	if q.startsAt.IsZero() || q.startsBeside != p.going {
		q.startsBeside = p.going
		q.startsAt = r.Pool.Budgets.NextStart(b.row.Now, r.Pool.Nodes, r.Kind.Reason, p.starts[:p.going])
	}
	c.waitForPlace(until.First(q.startsAt, b.overdueBesideThose(r)))
	start, known := b.pacedUntil(r, b.row.Now)
	c.learn(start, known)
	refusal.Until = start
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

// pacedAfter returns what paces say of a request at a later time, when other budgets have room.
func (b *budgets) pacedAfter(r *gate.Request, at time.Time, c *chances) []candidate.Blocker {
	if !b.pools[r.Pool.Index].held {
		return nil
	}
	start, known := b.goesFrom(r, at)
	if start.Equal(at) && known {
		return nil
	}
	c.learn(start, known)
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
