package gate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Waiver excuses requests from some gates. An overdue node no longer waits for windows, paces and back-offs, which
// are what the gates budgets and back-off say. It may go when they let it go, and also when the waiver does. Each gate
// of budgets is the waiver of its own layer, and that of pools covers the gate back-off, too. Package line says so, and
// its loop asks the waiver of a gate where that gate holds back an excused request ([Kind.Excused]).
//
// What else a deadline changes is no waiver, and stays where it is: the place in line, the turn of a zone, and the pods
// of nodes with a grace period, which may hold back a node that drains.
type Waiver interface {
	// Waives reports whether an excused request may go although gates hold it back that the waiver covers.
	Waives(r *Request) bool
	// Refuse returns what holds it back in their stead, if it may not.
	Refuse(r *Request) []candidate.Blocker
}

// A WaiverClock says how time changes what a waiver says.
type WaiverClock interface {
	// LiftsEarlier returns the blockers of a steady gate that the waiver covers, with the times when they lift, or the
	// waiver excuses the request. It delays the request's chances accordingly.
	LiftsEarlier(r *Request, said []candidate.Blocker, c *Chances) []candidate.Blocker
}

// EndUnless returns when what lets a request go ends, or zero (never) if the request is excused by then.
func EndUnless(end, excused time.Time) time.Time {
	if !excused.IsZero() && !excused.After(end) {
		return time.Time{}
	}
	return end
}

// By returns blockers that lift by a time at the latest. Zero is never.
func By(at time.Time, blockers []candidate.Blocker) []candidate.Blocker {
	if at.IsZero() {
		return blockers
	}
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i].Until = until.First(blockers[i].Until, at)
	}
	return blockers
}

// Reached reports whether an event has happened by a time. The zero event never happens.
func Reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }
