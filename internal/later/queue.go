package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A queue has the requests of a pool that come later, one for each node, by reason.
type queue struct {
	base    limit.Usage // what is in use now: nodes in flight, and requests that go
	lanes   []lane
	nodes   map[*candidate.Node]counted
	doubts  []time.Time // the arguments of all calls of doubt
	unready int         // how many nodes that are not Ready go. In flight, they use less than before
	spare   int         // how many more may come before the firm ones without taking a place of theirs
	epoch   int         // how often requests were taken out
	apart   bool        // some request is taken out for a moment

	line    []queued // the firm ones, but for nodes with several reasons
	seen    int      // how many have been in line
	late    []queued // those of line that are taken out, because another comes before them
	yielded int      // how often that happened
}

// A queued request has a node with one reason.
type queued struct {
	*gate.Request
	arrival
	free  time.Time // when all but budgets let it go
	place int       // in line
}

// A lane is the arrivals for one reason.
type lane struct {
	reason candidate.Reason
	arrivals
}

// A counted node is the arrival of a node with several reasons.
type counted struct {
	arrival
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
		n += q.lanes[i].by(by, most)
	}
	return n
}

// usage returns what is in use at a time, at least or at most.
func (q *queue) usage(at time.Time, most bool) limit.Usage {
	u := q.base.Clone()
	for i := range q.lanes {
		if n := q.lanes[i].by(at, most); n > 0 {
			u.Add(q.lanes[i].reason, n)
		}
	}
	return u
}

// uncertain returns those that may have come by a time, by reason.
func (q *queue) uncertain(at time.Time) (u limit.Usage) {
	for i := range q.lanes {
		if n := q.lanes[i].loose.by(at); n > 0 {
			u.Add(q.lanes[i].reason, n)
		}
	}
	return u
}

// last returns when the last firm request comes. Zero: there is none.
func (q *queue) last() (last time.Time) {
	for i := range q.lanes {
		last = until.Latest(last, q.lanes[i].firm.last())
	}
	return last
}

// doubt says that from a time on, others may take the places of those that come later.
func (q *queue) doubt(from time.Time) {
	for i := range q.lanes {
		q.lanes[i].doubt(from)
	}
	q.doubts = append(q.doubts, from)
	q.spare = budget.Unlimited
	q.epoch++
	q.line = slices.DeleteFunc(q.line, func(one queued) bool { return one.at.After(from) })
}

// after returns how many firm ones come after a time.
func (q *queue) after(at time.Time) (n int) {
	for i := range q.lanes {
		f := q.lanes[i].firm
		n += f.by(f.last()) - f.by(at)
	}
	return n
}

// nevers reports whether some request never comes only because of firm ones.
func (q *queue) nevers() bool {
	return slices.ContainsFunc(q.lanes, func(l lane) bool {
		return slices.ContainsFunc(l.held, func(h held) bool { return h.state == never })
	})
}

// put counts the node of a request for a reason.
func (q *queue) put(r *gate.Request, reason candidate.Reason, one arrival) {
	one = q.lane(reason).put(one)
	if r.Several() {
		if q.nodes == nil {
			q.nodes = map[*candidate.Node]counted{}
		}
		q.nodes[r.Node] = counted{one, reason, len(q.doubts)}
	}
}

// take takes out the node of a request if it comes for another of its reasons.
func (q *queue) take(r *gate.Request) (one counted) {
	if !r.Several() { // asked of the request: reading each node here would miss the cache
		return one
	}
	one, found := q.nodes[r.Node]
	if !found {
		return one
	}
	for _, from := range q.doubts[one.doubts:] {
		one.arrival = one.doubted(from)
	}
	q.lane(one.reason).take(one.arrival)
	delete(q.nodes, r.Node)
	return one
}

// or returns when a node comes that may go for two reasons, whichever is first, and for which. The other reason is younger.
func (one counted) or(other counted) counted {
	switch {
	case one.state == none:
		return other
	case other.state == none:
		return one
	}
	least := one.least
	if other.least.Before(least) {
		least = other.least
	}
	first, second, older := one, other, true
	if first.state != firm || second.state == firm && second.at.Before(first.at) {
		first, second, older = second, first, false
	}
	if first.state == firm && (second.state != loose || first.at.Before(second.least) || older && first.at.Equal(second.least)) {
		first.least = least
		return first
	}
	both := counted{arrival: arrival{state: loose, least: least}, reason: one.reason}
	if first.state == never && second.state == never {
		both.state = never
	}
	if one.reason != other.reason {
		both.reason = "" // either
	}
	return both
}
