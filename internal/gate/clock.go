package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Clock says how time changes the answers of a gate: until when a node that may go now may do so
// (candidate.Candidate.Until), and when what blocks another one lifts (candidate.Blocker.Until).
//
// Requests compete for places, such as what the budgets of a pool allow. Time frees a place, and takes one:
//
//	may go now:     n1 n2 n3 ──▶ a place comes free when the first of them may no longer go (Leave)
//	may not go now: n4 n5    ──▶ a place is taken when the first of them may go (Come)
//
// So a node that may go now keeps its place only until a blocked one comes that could take it. And the blockers of a
// node lift for certain only if no other node takes the place first.
type Clock interface {
	// Ends returns how long the gate lets a request go that goes now, if no blocked request comes. Zero is for good.
	Ends(r *Request) time.Time
	// Foresee returns what will hold back a request at a later time, when its blockers have lifted. If they can be
	// foreseen no further, one of them has no time.
	Foresee(r *Request, at time.Time, c *Chances) []candidate.Blocker
	// NextChange returns when time alone may first change the gate's own numbers. It is called after the whole line is
	// read.
	NextChange() time.Time
}

// A CountingClock says how time changes the answers of a gate that counts. It is asked two questions, and keeps a book
// for each, since the first one needs no times:
//
//	How long may a request go that goes now?  Goes, Comes  ──▶ Ends, Room       how many may come, whenever that is
//	When may a blocked request go?            Queue.Arrive ──▶ Lifts, Foresee   how many may have come by a time
//
// Each request that goes, or may come, is told to both. (Lifts of zones asks the first book, too: is there room for all
// that may come, once the turn passes to their domain?)
type CountingClock interface {
	Clock
	// Lifts returns the gate's blockers of a request, with the times when they lift, and delays the request's chances
	// accordingly. A time that others may change is not told: it is zero.
	Lifts(r *Request, said []candidate.Blocker, c *Chances) []candidate.Blocker
	// Room reports whether the gate would let a request go even after all that come, and until when. Zero is for good.
	Room(r *Request) (end time.Time, room bool)
	// Goes notes that a request goes now, and until when it may.
	Goes(r *Request, end time.Time)
	// Comes notes a blocked request, which comes when its chances say, if ever.
	Comes(r *Request, c *Chances)
}

// A Queue is a clock that counts when requests come. So it can tell more than that others may take a place.
type Queue interface {
	CountingClock
	// Look is called before a blocked request is asked about. It takes the request's node out of the queue, if that is
	// in it for another of its reasons, so that the node does not stand in its own way.
	Look(r *Request)
	// Arrive puts a request into the queue. One that goes comes now. Arrive returns a time from which on the request
	// may take the places of others that come later. Zero is never.
	Arrive(r *Request, one Arrival, c *Chances) (doubt time.Time)
	// Doubt says that from a time on, others may take the places of those of a scope that come later.
	Doubt(s Scope, from time.Time)
	// Ties reports whether requests compete at this gate for what those of a scope need: only with each other, or also
	// with requests of other scopes.
	Ties(s Scope) Tie
}

// A Tie is with whom the requests of a scope compete at a gate, besides for the places of their scope itself.
type Tie int

// The ties, each wider than the one before.
const (
	Untied Tie = iota
	WithinScope
	AcrossScopes
)

// Others is what the clock of a gate may ask about the other gates.
type Others interface {
	// Free reports whether all others let a request go at a time, as far as is known.
	Free(r *Request, at time.Time) bool
	// Tied reports whether requests of a scope compete at others.
	Tied(s Scope) bool
	// Holds reports whether others hold back an excused request from which the waiver excuses it, and until when. Zero
	// is never.
	Holds(r *Request) (end time.Time, holds bool)
}
