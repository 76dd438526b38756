package plan

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A diary records turns, and times in which budgets allow no node.
type diary struct {
	turns    []Turn
	current  map[ring]int // positions of turns that continue
	closings []Closing
	closed   map[kind]int // positions of closings that continue
}

// A ring identifies the domains of a pool that take turns.
type ring struct{ pool, key string }

// A kind is a pool and a reason.
type kind struct {
	pool   string
	reason candidate.Reason
}

func newDiary() diary { return diary{current: map[ring]int{}, closed: map[kind]int{}} }

// note records a decision. Cause names the budgets that bind.
func (y *diary) note(d disruptkit.Decision, cause func(pool string, a budget.Allowance) string) {
	for _, p := range d.Pools {
		if p.Reason != d.Reason {
			continue
		}
		k := kind{p.Pool, p.Reason}
		i, goesOn := y.closed[k]
		if goesOn {
			y.closings[i].To = d.Now
		}
		switch closed := p.Allowance.Nodes == 0; {
		case goesOn && !closed:
			delete(y.closed, k)
		case closed && !goesOn:
			y.closed[k] = len(y.closings)
			y.closings = append(y.closings, Closing{
				Pool: p.Pool, Reason: p.Reason, Cause: cause(p.Pool, p.Allowance), Budgets: p.Allowance.Binding,
				From: d.Now, To: d.Now,
			})
		}
		for _, t := range p.Topology {
			if t.Sequential {
				y.noteTurn(ring{p.Pool, t.Key}, t.Active, t.Chosen, d.Now)
			}
		}
	}
}

// noteTurn records which domain has the turn, if any.
func (y *diary) noteTurn(r ring, domain string, chosen bool, now time.Time) {
	i, goesOn := y.current[r]
	if goesOn {
		y.turns[i].To = now
		if chosen && y.turns[i].Domain == domain {
			return
		}
		delete(y.current, r)
	}
	if chosen {
		y.current[r] = len(y.turns)
		y.turns = append(y.turns, Turn{Pool: r.pool, Key: r.key, Domain: domain, From: now, To: now})
	}
}

// finish extends the last turn of a pool to the time when the pool finishes.
func (y *diary) finish(p Pool) {
	for r, i := range y.current {
		if r.pool == p.Name {
			y.turns[i].To = schedule.Last(y.turns[i].To, p.Finish)
		}
	}
}
