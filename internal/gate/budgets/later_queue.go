package budgets

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A queue has the requests of a pool that come later, one for each node, by reason.
//
// Why not one list, sorted by time? Budgets ask how many of each reason have come by a time, and that is what a lane
// counts, however many requests there are. The list is kept only for the few whose place a request takes that comes
// before them: see yields.
type queue struct {
	base    limit.Usage // what is in use now: nodes in flight, and requests that go
	lanes   []lane
	nodes   map[*candidate.Node]nodeArrival
	doubts  []time.Time // the arguments of all calls of doubt
	unready int         // how many nodes that are not Ready go. In flight, they use less than before
	spare   int         // how many more may come before the firm ones without taking a place of theirs
	epoch   int         // how often requests were taken out
	aside   bool        // some request is taken out for a moment

	line    []queued // the firm ones, less nodes with several reasons, and those that go so early only if excused
	seen    int      // how many have been in line
	late    []queued // those of line that are taken out, because another comes before them
	yielded int      // how often that happened
}

// A queued request has a node with one reason.
type queued struct {
	*gate.Request
	gate.Arrival
	free  time.Time // when all but budgets let it go
	place int       // in line
}

// A lane is the arrivals for one reason.
type lane struct {
	reason candidate.Reason
	gate.Arrivals
}

// A nodeArrival is the arrival of a node with several reasons. It is counted once, for the reason for which it comes
// first, and taken out while it is asked for another: it must neither take two places nor stand in its own way.
type nodeArrival struct {
	gate.Arrival
	reason candidate.Reason
	doubts int // len(queue.doubts) when it was counted
}

func (q *queue) lane(reason candidate.Reason) *lane {
	for i := range q.lanes {
		if q.lanes[i].reason == reason {
			return &q.lanes[i]
		}
	}
	q.lanes = append(q.lanes, lane{reason: reason})
	return &q.lanes[len(q.lanes)-1]
}

// count returns how many requests have come by a time, at least or at most.
func (q *queue) count(by time.Time, most bool) (n int) {
	for i := range q.lanes {
		n += q.lanes[i].By(by, most)
	}
	return n
}

// usage returns what is in use at a time, at least or at most.
func (q *queue) usage(at time.Time, most bool) limit.Usage {
	u := q.base.Clone()
	for i := range q.lanes {
		if n := q.lanes[i].By(at, most); n > 0 {
			u.Add(q.lanes[i].reason, n)
		}
	}
	return u
}

// uncertain returns those that may have come by a time, by reason.
func (q *queue) uncertain(at time.Time) (u limit.Usage) {
	for i := range q.lanes {
		if n := q.lanes[i].LooseBy(at); n > 0 {
			u.Add(q.lanes[i].reason, n)
		}
	}
	return u
}

// last returns when the last firm request comes. Zero: there is none.
func (q *queue) last() (last time.Time) {
	for i := range q.lanes {
		last = until.Latest(last, q.lanes[i].LastFirm())
	}
	return last
}

// doubt says that from a time on, others may take the places of those that come later.
func (q *queue) doubt(from time.Time) {
	for i := range q.lanes {
		q.lanes[i].Doubt(from)
	}
	q.doubts = append(q.doubts, from)
	if q.last().IsZero() {
		q.spare = limit.Unlimited // else the firm ones that are left can still be overtaken
	}
	q.epoch++
	q.line = slices.DeleteFunc(q.line, func(one queued) bool { return one.At.After(from) })
}

// after returns how many firm ones come after a time.
func (q *queue) after(at time.Time) (n int) {
	for i := range q.lanes {
		n += q.lanes[i].FirmAfter(at)
	}
	return n
}

// nevers reports whether some request never comes only because of firm ones.
func (q *queue) nevers() bool {
	return slices.ContainsFunc(q.lanes, func(l lane) bool { return l.CrowdsOut() })
}

// put counts the node of a request for a reason.
func (q *queue) put(r *gate.Request, reason candidate.Reason, one gate.Arrival) {
	one = q.lane(reason).Put(one)
	if r.Several() {
		if q.nodes == nil {
			q.nodes = map[*candidate.Node]nodeArrival{}
		}
		q.nodes[r.Node] = nodeArrival{one, reason, len(q.doubts)}
	}
}

// take takes out the node of a request if it comes for another of its reasons.
func (q *queue) take(r *gate.Request) (one nodeArrival) {
	if !r.Several() { // asked of the request: reading each node here would miss the cache
		return one
	}
	one, found := q.nodes[r.Node]
	if !found {
		return one
	}
	for _, from := range q.doubts[one.doubts:] {
		one.Arrival = one.Doubted(from)
	}
	q.lane(one.reason).Take(one.Arrival)
	delete(q.nodes, r.Node)
	return one
}

// or returns when a node comes that may go for two reasons, whichever is first, and for which. The other reason is
// younger.
func (one nodeArrival) or(other nodeArrival) nodeArrival {
	switch {
	case one.State == gate.Absent:
		return other
	case other.State == gate.Absent:
		return one
	}
	least := one.Earliest
	if other.Earliest.Before(least) {
		least = other.Earliest
	}
	first, second, older := one, other, true
	if first.State != gate.Firm || second.State == gate.Firm && second.At.Before(first.At) {
		first, second, older = second, first, false
	}
	if first.State == gate.Firm && (second.State != gate.Loose ||
		first.At.Before(second.Earliest) || older && first.At.Equal(second.Earliest)) {
		first.Earliest = least
		return first
	}
	both := nodeArrival{Arrival: gate.Arrival{State: gate.Loose, Earliest: least}, reason: one.reason}
	if first.State == gate.CrowdedOut && second.State == gate.CrowdedOut {
		both.State = gate.CrowdedOut
	}
	if one.reason != other.reason {
		both.reason = "" // either
	}
	return both
}
