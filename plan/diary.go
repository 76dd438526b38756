package plan

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A diary keeps when it was whose turn, and when budgets let no node go.
type diary struct {
	turns    []Turn
	current  map[ring]int // the turns that go on, by position
	closings []Closing
	closed   map[kind]int // the closings that go on, by position
}

// A ring is the domains of a pool that take turns.
type ring struct{ pool, key string }

// A kind is a pool and a reason.
type kind struct {
	pool   string
	reason candidate.Reason
}

func newDiary() diary { return diary{current: map[ring]int{}, closed: map[kind]int{}} }

// note notes what a decision says. Causes tells budgets.
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
			y.closings = append(y.closings, Closing{Pool: p.Pool, Reason: p.Reason, Cause: cause(p.Pool, p.Allowance), From: d.Now, To: d.Now})
		}
		for _, t := range p.Topology {
			if t.Sequential {
				y.noteTurn(ring{p.Pool, t.Key}, t.Active, t.Chosen, d.Now)
			}
		}
	}
}

// noteTurn notes whose turn it is, if it is anybody's.
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

// finish lets the last turn of a pool go on until the pool has finished.
func (y *diary) finish(p Pool) {
	for r, i := range y.current {
		if r.pool == p.Name {
			y.turns[i].To = until.Latest(y.turns[i].To, p.Finish)
		}
	}
}
