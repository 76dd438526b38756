// Package later says until when an answer holds: when the blockers of a node lift, and how long a node that may go now still may.
//
// It reads the gates of package gate a second time, along the same line, after they have decided. It changes no decision: the same
// nodes go without it. Each gate has a [clock] here. All clocks have one shape.
//
// Requests of a pool compete for places: what its budgets allow. Time frees a place, and takes one:
//
//	may go now:     n1 n2 n3 ──▶ a place comes free when the first of them may no longer go (leaves)
//	may not go now: n4 n5    ──▶ a place is taken when the first of them may go (comes)
//
// So a node that may go now keeps its place only until a blocked one comes that could take it. And the blockers of a node lift for
// certain only if no other node takes the place first.
//
// When a blocked node comes depends on those before it in line, and may change what is known of them: one that comes earlier takes the
// place of one that is ahead of it, but comes later. So arrivals are counted twice: those that are certain (firm), and those that may
// come, from the earliest time on (loose). A time is told only if both lead to it. Otherwise it is unknown.
package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/arena"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A clock says how time changes the answers of a gate.
type clock interface {
	// until returns the gate's blockers of a request, with the times when they lift, and delays the request's chances accordingly.
	until(r *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker
	// end returns how long the gate lets a request go that goes now, if no blocked request comes. Zero is for good.
	end(r *gate.Request) time.Time
	// room reports whether the gate would let a request go even after all that come, and until when. Zero is for good.
	room(r *gate.Request) (end time.Time, room bool)
	// after returns what will hold back a request at a later time, when its blockers have lifted.
	// If they can be foreseen no further, one of them has no time.
	after(r *gate.Request, at time.Time, c *chances) []candidate.Blocker
	// goes notes that a request goes now, and until when it may.
	goes(r *gate.Request, end time.Time)
	// comes notes a blocked request, which comes when its chances say, if ever.
	comes(r *gate.Request, c *chances)
	// next returns when time alone may first change the gate's own numbers. It is called after the whole line is read.
	next() time.Time
}

// A Reading is a second reading of the gates.
type Reading struct {
	row     *gate.Row
	clocks  [gate.Count]clock
	budgets *budgets
	pods    *pods
	zones   *zones
	places  []place // by pool
	chances chances // of the blocked request that is being read
	lists   arena.Arena[candidate.Blocker]
	change  time.Time // the earliest time given to Consider
}

// Read begins a reading of gates that have decided.
func Read(row *gate.Row) *Reading {
	row.Reopen()
	l := &Reading{row: row, places: make([]place, len(row.Pools)), budgets: newBudgets(row), pods: newPods(row), zones: newZones(row)}
	l.clocks = [...]clock{
		gate.AtNode: fixed{}, gate.AtPods: l.pods, gate.AtSignals: newSignals(row), gate.AtBackoff: backoff{budgets: l.budgets},
		gate.AtBudgets: l.budgets, gate.AtZones: l.zones,
	}
	l.budgets.free, l.budgets.entangled = l.free, l.entangled
	return l
}

// Next reads the next request of the line. For one that goes it returns until when it may (zero: for good). For another it returns
// its blockers, each with the time when it lifts.
func (l *Reading) Next(r *gate.Request) (blockers []candidate.Blocker, end time.Time) {
	said := l.row.Judge(r)
	l.Consider(r.Deadline())
	switch {
	case r.Goes:
		end = l.goes(r)
	case r.Kind == nil: // the request never goes, so it competes with no other
		blockers = l.join(&said)
	default:
		blockers = l.waits(r, &said)
	}
	for i := range blockers {
		l.Consider(blockers[i].Until)
	}
	return blockers, end
}

// goes lets a request go, as Decide did, and returns until when it may.
func (l *Reading) goes(r *gate.Request) (end time.Time) {
	for _, c := range l.clocks {
		end = until.First(end, c.end(r))
	}
	place := &l.places[r.Pool.Index]
	end = until.First(end, l.loses(r, place))
	l.row.Go(r)
	place.leave(end)
	for _, c := range l.clocks {
		c.goes(r, end)
	}
	l.doubt(r, l.budgets.starts(r))
	l.doubt(r, l.pods.starts(r))
	return end
}

// loses returns when a request that goes may lose its place in the pool to blocked requests that come.
func (l *Reading) loses(r *gate.Request, place *place) time.Time {
	var end time.Time
	if place.comes.IsZero() {
		return end
	}
	for _, c := range l.clocks {
		up, room := c.room(r)
		if !room {
			return place.comes
		}
		end = until.First(end, up)
	}
	if end.IsZero() {
		return end
	}
	return until.Latest(place.comes, end)
}

// waits returns what holds back a blocked request, and notes when the request may come.
func (l *Reading) waits(r *gate.Request, said *gate.Blockers) []candidate.Blocker {
	place := &l.places[r.Pool.Index]
	foreseen := foreseen(said)
	l.chances.reset(place.leaves)
	l.budgets.look(r)
	own := l.budgets.apart(r)
	for i, clock := range l.clocks {
		if len(said[i]) > 0 {
			said[i] = clock.until(r, said[i], &l.chances)
		}
		if i < gate.AtBudgets {
			for j := range said[i] {
				l.chances.free.wait(said[i][j].Until)
			}
		}
	}
	blockers := l.join(said)
	all, one := l.foresee(r, blockers)
	l.doubt(r, l.budgets.arrive(r, own, one, l.chances.free.at))
	l.doubt(r, l.pods.arrive(r, one))
	l.zones.arrive(r, one)
	if foreseen {
		blockers = all
	}
	if !l.chances.anyhow.ok { // it never comes
		return blockers
	}
	if c := l.chances.inPool(); c.ok {
		place.come(c.at)
	}
	for _, clock := range l.clocks {
		clock.comes(r, &l.chances)
	}
	return blockers
}

// mostForeseenLater is how many times the clocks are asked again about a blocked request, each time for the moment when all its known
// blockers have lifted.
const mostForeseenLater = 4

// foresee adds what will hold back a request once its blockers have lifted, and what will hold it back after those. It also returns
// when the request comes.
func (l *Reading) foresee(r *gate.Request, blockers []candidate.Blocker) ([]candidate.Blocker, arrival) {
	c := &l.chances
	least := arrival{state: loose, least: until.Latest(c.started.at, l.row.Now)}
	if !c.started.ok {
		return blockers, arrival{}
	}
	for range mostForeseenLater {
		at, lifts := candidate.Lift(blockers)
		switch {
		case c.never:
			least.state = never
			return blockers, least
		case !lifts:
			return blockers, least
		}
		known := len(blockers)
		for _, clock := range l.clocks {
			if after := clock.after(r, at, c); len(after) > 0 {
				blockers = l.lists.Keep(blockers, after)
			}
		}
		if len(blockers) == known {
			return blockers, arrival{state: firm, at: until.Latest(at, l.row.Now), least: least.least}
		}
	}
	blockers[len(blockers)-1].Until = time.Time{} // more may follow, so when it may go is unknown
	return blockers, least
}

// free reports whether all gates but the budgets let a request go at a time, as far as is known.
func (l *Reading) free(r *gate.Request, at time.Time) bool {
	for i, clock := range l.clocks {
		if i != gate.AtBudgets && len(clock.after(r, at, &l.chances)) > 0 {
			return false
		}
	}
	return true
}

// entangled reports whether nodes of a pool compete for more than its budgets.
func (l *Reading) entangled(p *gate.Pool) bool {
	return l.pods.contended || len(l.row.Zones.All(p)) > 0
}

// doubt says that a request may take the places of others from a time on. Zero is never.
func (l *Reading) doubt(r *gate.Request, from time.Time) {
	if from.IsZero() {
		return
	}
	l.zones.doubt(r.Pool)
	if !l.pods.contended {
		return
	}
	l.pods.vague = true
	for _, p := range l.row.Pools {
		l.budgets.doubt(p, from)
		l.zones.doubt(p)
	}
}

// foreseen reports whether it can be known what will hold back a request once its blockers have lifted. That is so if the gates
// before the budgets say nothing, or only that the reason has not held for long enough, or a pause.
func foreseen(said *gate.Blockers) bool {
	for _, at := range []int{gate.AtNode, gate.AtPods, gate.AtSignals} {
		for i := range said[at] {
			switch said[at][i].Code {
			case candidate.CodeDisruptAfter, candidate.CodeTolerated, candidate.CodePaused:
			default:
				return false
			}
		}
	}
	return true
}

// join returns the blockers of all gates in one list. If only one gate has blockers, the list is that gate's own, not a copy.
func (l *Reading) join(said *gate.Blockers) []candidate.Blocker {
	var only []candidate.Blocker
	for _, list := range said {
		switch {
		case len(list) == 0:
		case len(only) > 0:
			return l.lists.Keep(said[:]...)
		default:
			only = list
		}
	}
	return only
}

// Consider takes a time into account for NextChange, if that time lies ahead.
func (l *Reading) Consider(at time.Time) {
	if at.After(l.row.Now) {
		l.change = until.First(l.change, at)
	}
}

// NextChange returns the first time at which time alone may change the decision, once the whole line is read. Zero is never.
func (l *Reading) NextChange() time.Time {
	if l.row.Now.IsZero() {
		return time.Time{}
	}
	for _, c := range l.clocks {
		l.Consider(c.next())
	}
	return l.change
}
