package budgets

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A pace is what counts for the paces of a pool, as time passes: budgets that limit how many nodes start within some
// time.
type pace struct {
	paced    bool           // the pool has paces
	started  *limit.Pacer   // with the starts in the memory, and those of requests that go
	all      *limit.Pacer   // also with those of requests that come, as far as foreseen
	ahead    []budget.Start // those of requests that come
	foreseen int            // how many requests that come were considered
	starting limit.Usage    // requests that go, and those that come
}

// mostForeseen is how many starts of a pool are foreseen. For requests behind them it is not known when they may start.
const mostForeseen = 500

// mostPaceChanges is how often there may be room, but no start, or a start, but no room, before it is unknown when both
// are there.
const mostPaceChanges = 100

func (b *Book) newPace(p *gate.Pool) pace {
	if p.Ambiguous || !p.Limits().Waits() {
		return pace{}
	}
	started := b.Pacer(p)
	return pace{paced: true, started: started.Clone(), all: started.Clone()}
}

// begins counts a request that starts now.
func (p *pace) begins(r *gate.Request, now time.Time) {
	if !p.paced || r.Uncounted() {
		return
	}
	p.starting.Add(r.Reason(), 1)
	p.started.Start(r.Reason(), now)
	p.all.Start(r.Reason(), now)
}

// startsLater counts a node that starts later.
func (p *pace) startsLater(n *candidate.Node, reason candidate.Reason, at time.Time) {
	if p.paced {
		p.ahead = append(p.ahead, budget.Start{Node: n.Name, Reason: reason, At: at})
		p.all.Start(reason, at)
		p.foreseen++
	}
}

// forget takes out some of the starts of requests that come.
func (p *pace) forget(which func(budget.Start) bool) {
	p.ahead = slices.DeleteFunc(p.ahead, func(s budget.Start) bool {
		gone := which(s)
		if gone {
			p.all.Drop(s.Reason, s.At)
		}
		return gone
	})
}

// liftsPaced returns the blocker of a request that paces hold back, or budgets that soak, with the time when they no
// longer do.
func (c *clock) liftsPaced(r *gate.Request, refusal candidate.Blocker, chances *gate.Chances) candidate.Blocker {
	p, q := &c.of(r).pace, c.outlook(r)
	which := q.Pool.Limits().Soaks(limit.AllIndexes)
	if refusal.Code == candidate.CodePaced {
		which = ^which
	}
	chances.WaitForPlace(until.First(q.startBesideGoing(p, which), c.excusedBesideGoing(r)), c.of(r).unready > 0)
	refusal.Until, _ = c.startOrDueFrom(r, which, c.gate.now)
	return refusal
}

// startBesideGoing returns when some of the paces let one more node start beside the requests that go. Zero is never.
func (q *outlook) startBesideGoing(p *pace, which limit.Indexes) time.Time {
	s, at := q.besideGoing.of(which), q.now
	if s.holds(0, at) {
		if s.at.IsZero() {
			return s.at
		}
		at = s.at // it is never earlier once more go
	}
	*s = startAnswer{which: which, asked: true, from: q.now, at: p.started.NextStartOf(which, at, q.Reason)}
	return s.at
}

// paceEnds returns when a pace becomes active that no longer lets a request start that goes now, beside others that
// start.
func (c *clock) paceEnds(r *gate.Request, beside limit.Usage) time.Time {
	return c.gate.Pacer(c.scope(r)).Ends(c.gate.now, r.Reason(), beside)
}

// mayStart reports whether paces let a request start beside all that come.
func (c *clock) mayStart(r *gate.Request) bool {
	return c.outlook(r).Pacing.MayStart(c.of(r).starting).Nodes > 0
}

// foreseePace returns what paces say of a request at a later time, when other budgets have room.
func (c *clock) foreseePace(r *gate.Request, at time.Time, chances *gate.Chances) []candidate.Blocker {
	if !c.of(r).paced {
		return nil
	}
	start, known := c.goesFrom(r, at)
	if start.Equal(at) {
		return nil
	}
	chances.NoteBudgets(start, known)
	blocker := candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodePaced, Until: start, Later: true,
		Source: c.outlook(r).source(0), Message: c.scope(r).Of() + "after that, as many nodes have started as may",
	}
	if c.soaksAt(r, at) {
		blocker.Code = candidate.CodeSoaks
		blocker.Message = c.scope(r).Of() + "after that, as many places are taken or soak as may"
	}
	return []candidate.Blocker{blocker}
}

// soaksAt reports whether only budgets that soak hold back a request at a later time.
func (c *clock) soaksAt(r *gate.Request, at time.Time) bool {
	limits := c.scope(r).Limits()
	if limits.Soaks(limit.AllIndexes) == 0 {
		return false
	}
	binding := c.of(r).all.Pacing(at, r.Reason()).MayStart(limit.Usage{}).Binding
	return binding != 0 && limits.Soaks(binding) == binding
}

// nextPacing returns when time alone may first change how many nodes of a pool may start.
func (c *clock) nextPacing(p *gate.Pool) time.Time {
	pace := &c.pools[p.Index].pace
	if !pace.paced {
		return time.Time{}
	}
	return pace.started.NextChange(c.gate.now)
}
