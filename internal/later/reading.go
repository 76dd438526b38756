// Package later says until when an answer holds: when the blockers of a node lift, and how long a node that may go now
// still may.
//
// It reads the gates of package line a second time, along the same line, after they have decided. It changes no
// decision: the same nodes go without it. Each gate has a [gate.Clock], which knows what time changes about that gate.
// What happens between gates is here.
//
// When a blocked node comes depends on those before it in line, and may change what is known of them: one that comes
// earlier takes the place of one that is ahead of it, but comes later. So arrivals are counted twice: those that are
// certain (firm), and those that may come, from the earliest time on (loose). A time is told only if both lead to it.
// Otherwise it is unknown.
package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/arena"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/line"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Reading is a second reading of the gates.
type Reading struct {
	row      *line.Row
	gates    []stage
	counting []*stage              // those of gates that count
	places   []gate.Place          // by scope
	chances  gate.Chances          // of the blocked request that is being read
	said     [][]candidate.Blocker // of that request, by gate
	lists    arena.Arena[candidate.Blocker]
	change   time.Time // the earliest time given to Consider
}

// A stage is a gate with its clock.
type stage struct {
	line.Stage
	gate.Clock
	counts gate.CountingClock // nil: the gate counts nothing
	queue  gate.Queue         // nil: the clock does not count when requests come
}

// Read begins a reading of gates that have decided.
func Read(row *line.Row) *Reading {
	row.Reopen()
	all := row.Gates()
	l := &Reading{
		row: row, gates: make([]stage, len(all)), said: make([][]candidate.Blocker, len(all)),
		places: make([]gate.Place, len(row.Scopes)),
	}
	for i, g := range all {
		s := &l.gates[i]
		s.Stage, s.Clock = g, g.Steady
		if g.Counting == nil {
			continue
		}
		s.counts = g.Counting.Later(others{l, i})
		s.Clock = s.counts
		s.queue, _ = s.counts.(gate.Queue)
		l.counting = append(l.counting, s)
	}
	return l
}

// Next reads the next request of the line. For one that goes it returns until when it may (zero: for good). For another
// it returns its blockers, each with the time when it lifts.
func (l *Reading) Next(r *gate.Request) (blockers []candidate.Blocker, end time.Time) {
	l.row.Judge(r, l.said)
	l.Consider(r.Deadline())
	switch {
	case r.Goes:
		end = l.goes(r)
	case r.Kind == nil: // the request never goes, so it competes with no other
		blockers = l.join(l.said)
	default:
		blockers = l.waits(r, l.said)
	}
	for i := range blockers {
		l.Consider(blockers[i].Until)
	}
	return blockers, end
}

// goes lets a request go, as Decide did, and returns until when it may.
func (l *Reading) goes(r *gate.Request) (end time.Time) {
	for i := range l.gates {
		end = until.First(end, l.gates[i].Ends(r))
	}
	end = until.First(end, l.loses(r))
	l.row.Go(r)
	for _, scope := range r.Scopes() {
		l.places[scope].Leave(end)
	}
	for _, s := range l.counting {
		s.counts.Goes(r, end)
	}
	l.arrive(r, gate.Arrival{State: gate.Firm, At: l.row.Now, Earliest: l.row.Now})
	return end
}

// loses returns when a request that goes may first lose a place to blocked requests that come: in its pool, or in a
// group of that.
func (l *Reading) loses(r *gate.Request) (first time.Time) {
	for _, s := range l.counting {
		comes := l.comes(r, s.Layer)
		if comes.IsZero() {
			continue
		}
		end, room := s.counts.Room(r)
		switch {
		case !room:
			first = until.First(first, comes)
		case !end.IsZero():
			first = until.First(first, until.Latest(comes, end))
		}
	}
	return first
}

// comes returns when the first blocked request comes to take a place that a request needs in a layer. Zero is never.
func (l *Reading) comes(r *gate.Request, layer int) (first time.Time) {
	if layer != line.AllLayers {
		if scope := r.Pool.Within[layer]; scope != nil {
			first = l.places[scope.Index].Comes
		}
		return first
	}
	for _, scope := range r.Scopes() {
		first = until.First(first, l.places[scope].Comes)
	}
	return first
}

// waits returns what holds back a blocked request, and notes when the request may come.
func (l *Reading) waits(r *gate.Request, said [][]candidate.Blocker) []candidate.Blocker {
	foreseen := l.foreseen(said)
	l.chances.Reset(l.leaves(r))
	for _, s := range l.counting {
		if s.queue != nil {
			s.queue.Look(r)
		}
	}
	for i := range l.gates {
		if len(said[i]) > 0 {
			said[i] = l.lifts(&l.gates[i], r, said[i])
			l.chances.Told(said[i])
		}
	}
	blockers := l.join(said)
	all, one := l.foresee(r, blockers)
	l.arrive(r, one)
	if foreseen {
		blockers = all
	}
	if !l.chances.Earliest.OK { // it never comes
		return blockers
	}
	if c := l.chances.InPool(); c.OK {
		for _, scope := range r.Scopes() {
			l.places[scope].Come(c.At)
		}
	}
	for _, s := range l.counting {
		s.counts.Comes(r, &l.chances)
	}
	return blockers
}

// leaves returns when a request that goes now first leaves a place that a blocked one needs. Zero is never.
func (l *Reading) leaves(r *gate.Request) (first time.Time) {
	for _, scope := range r.Scopes() {
		first = until.First(first, l.places[scope].Leaves)
	}
	return first
}

// lifts returns the blockers of a gate, with the times when they lift.
func (l *Reading) lifts(s *stage, r *gate.Request, said []candidate.Blocker) []candidate.Blocker {
	switch {
	case s.counts != nil:
		return s.counts.Lifts(r, said, &l.chances)
	case s.Waiver != nil:
		return l.gates[s.WaiverAt].counts.(gate.WaiverClock).LiftsEarlier(r, said, &l.chances)
	}
	l.chances.Lift(said)
	return said
}

// mostForeseenLater is how many times the clocks are asked again about a blocked request, each time for the moment when
// all its known blockers have lifted.
const mostForeseenLater = 4

// foresee adds what will hold back a request once its blockers have lifted, and what will hold it back after those. It
// also returns when the request comes.
func (l *Reading) foresee(r *gate.Request, blockers []candidate.Blocker) ([]candidate.Blocker, gate.Arrival) {
	c := &l.chances
	least := gate.Arrival{State: gate.Loose, Earliest: until.Latest(c.AllStarted.At, l.row.Now)}
	if !c.AllStarted.OK {
		return blockers, gate.Arrival{}
	}
	for range mostForeseenLater {
		at, lifts := candidate.LiftsAt(blockers)
		switch {
		case c.BudgetsNever:
			least.State = gate.CrowdedOut
			return blockers, least
		case !lifts:
			return blockers, least
		}
		known := len(blockers)
		for i := range l.gates {
			if after := l.gates[i].Foresee(r, at, c); len(after) > 0 {
				blockers = l.lists.Keep(blockers, after)
			}
		}
		if len(blockers) == known {
			return blockers, gate.Arrival{State: gate.Firm, At: until.Latest(at, l.row.Now), Earliest: least.Earliest}
		}
	}
	blockers[len(blockers)-1].Until = time.Time{} // more may follow, so when it may go is unknown
	return blockers, least
}

// arrive notes when a request comes, the last gate first. Before the queue of budgets puts the request in, it asks
// whether requests compete at other gates (Tied), and those before budgets must not know of this request yet.
func (l *Reading) arrive(r *gate.Request, one gate.Arrival) {
	for _, s := range slices.Backward(l.counting) {
		if s.queue != nil {
			l.doubt(r, s.queue, s.queue.Arrive(r, one, &l.chances))
		}
	}
}

// doubt says, after a queue did so, that a request may take the places of others from a time on. Zero is never. The
// queue knows. What others know of the request's scopes is in doubt, too, and of all scopes once requests of several
// compete.
func (l *Reading) doubt(r *gate.Request, by gate.Queue, from time.Time) {
	if from.IsZero() {
		return
	}
	for _, scope := range r.Scopes() {
		across := l.across(scope)
		for _, s := range l.counting {
			switch {
			case s.queue == nil:
			case across:
				for other := range l.places {
					s.queue.Doubt(gate.Scope(other), from)
				}
			case s.queue != by:
				s.queue.Doubt(scope, from)
			}
		}
	}
}

// across reports whether requests of a scope compete with those of others.
func (l *Reading) across(scope gate.Scope) bool {
	return slices.ContainsFunc(l.counting, func(s *stage) bool {
		return s.queue != nil && s.queue.Ties(scope) == gate.AcrossScopes
	})
}

// foreseen reports whether it can be known what will hold back a request once its blockers have lifted. That is so if
// gates whose answers events may change say nothing, or only that the reason has not held for long enough, that the
// node is too young, that its fault is tolerated for some time, or a pause.
func (l *Reading) foreseen(said [][]candidate.Blocker) bool {
	for at, list := range said {
		if l.gates[at].Foreseen {
			continue
		}
		for i := range list {
			switch list[i].Code {
			case candidate.CodeDisruptAfter, candidate.CodeTooYoung, candidate.CodeTolerated, candidate.CodePaused:
			default:
				return false
			}
		}
	}
	return true
}

// join returns the blockers of all gates in one list. If only one gate has blockers, the list is that gate's own, not a
// copy.
func (l *Reading) join(said [][]candidate.Blocker) []candidate.Blocker {
	var only []candidate.Blocker
	for _, list := range said {
		switch {
		case len(list) == 0:
		case len(only) > 0:
			return l.lists.Keep(said...)
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

// NextChange returns the first time at which time alone may change the decision, once the whole line is read. Zero is
// never.
func (l *Reading) NextChange() time.Time {
	if l.row.Now.IsZero() {
		return time.Time{}
	}
	for i := range l.gates {
		l.Consider(l.gates[i].NextChange())
	}
	return l.change
}
