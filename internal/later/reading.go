// Package later says until when: when what holds a node back lifts, and up to when what may go now may go.
//
// It reads the gates of package gate a second time, along the same line, after they have decided. It changes no answer: without
// it, the same nodes go. Each gate has a [clock] here, of one shape for all:
//
//	may go now:  n1 n2 n3 ──▶ a place comes free when the first of them no longer may go (leaves)
//	cannot now:  n4 n5    ──▶ a place is taken when the first of them may go (comes)
//
// Whether a node that may go now still may at a later time depends on who comes until then. What holds a node back lifts for
// certain only where nobody else takes the place.
package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/arena"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A clock is what time does to what a gate says.
type clock interface {
	// until returns what the gate says of a request, with the times until which it does, and puts off the request's chances.
	until(r *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker
	// end returns up to when the gate lets a request go that it lets go now, if nobody comes. Zero is for good.
	end(r *gate.Request) time.Time
	// room reports whether there is room for a request beside all that come, and up to when. Zero is for good.
	room(r *gate.Request) (end time.Time, room bool)
	// after returns what holds a request back at a later time.
	after(r *gate.Request, at time.Time) []candidate.Blocker
	// goes notes that a request goes, up to an end; comes that one may go later, if it may.
	goes(r *gate.Request, end time.Time)
	comes(r *gate.Request, c *chances)
	// next returns when time alone may first change the gate's own numbers, once the line is read.
	next() time.Time
}

// A Reading is a second reading of the gates.
type Reading struct {
	row     *gate.Row
	clocks  [5]clock
	places  []place // by pool: what its nodes take from each other
	chances chances // of the request that is read
	lists   arena.Arena[candidate.Blocker]
	change  time.Time // the first of those that were considered
}

// Read begins a reading of gates that have decided.
func Read(row *gate.Row) *Reading {
	row.Reopen()
	l := &Reading{row: row, places: make([]place, len(row.Pools))}
	l.clocks = [...]clock{
		gate.AtNode: fixed{}, gate.AtPods: newPods(row), gate.AtSignals: newSignals(row), gate.AtBudgets: newBudgets(row), gate.AtZones: newZones(row),
	}
	return l
}

// Next reads the next of the line: what holds it back, and until when; or, if it goes, up to when it may.
func (l *Reading) Next(r *gate.Request) (blockers []candidate.Blocker, end time.Time) {
	said := l.row.Judge(r)
	switch {
	case r.Goes:
		end = l.goes(r)
		l.Consider(end)
	case r.Kind == nil: // it does not stand in line with others
		blockers = l.join(&said)
	default:
		blockers = l.waits(r, &said)
	}
	for i := range blockers {
		l.Consider(blockers[i].Until)
	}
	return blockers, end
}

// goes lets a request go, as Decide did, and returns up to when it may.
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
	return end
}

// loses returns when those that come may take the place of a request in its pool.
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

// waits returns what holds back a request, and notes when it may come.
func (l *Reading) waits(r *gate.Request, said *gate.Blockers) []candidate.Blocker {
	place := &l.places[r.Pool.Index]
	foreseen := foreseen(said)
	l.chances = newChances(place.leaves)
	for i, clock := range l.clocks {
		if len(said[i]) > 0 {
			said[i] = clock.until(r, said[i], &l.chances)
		}
	}
	blockers := l.join(said)
	if at, lifts := candidate.Lift(blockers); foreseen && lifts {
		for _, clock := range l.clocks {
			if after := clock.after(r, at); len(after) > 0 {
				blockers = l.lists.Keep(blockers, after)
			}
		}
	}
	if c := l.chances.inPool(); c.ok {
		place.come(c.at)
	}
	for _, clock := range l.clocks {
		clock.comes(r, &l.chances)
	}
	return blockers
}

// foreseen reports whether it is known what holds back a request once its blockers have lifted: the gates before the budgets
// say nothing, or only that the reason has not held for long enough.
func foreseen(said *gate.Blockers) bool {
	for _, at := range []int{gate.AtNode, gate.AtPods, gate.AtSignals} {
		for i := range said[at] {
			if said[at][i].Code != candidate.CodeDisruptAfter {
				return false
			}
		}
	}
	return true
}

// join returns what all gates say in one list: a gate's own list, where no other says anything.
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

// Consider takes a time into account for NextChange, if it is to come.
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
