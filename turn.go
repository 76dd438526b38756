package disruptkit

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// selects counts the pool's nodes, and decides whose turn it is.
func (z *zoning) selects(requests []request) {
	p, scope := z.pool, z.scope
	domains := topology.Domains(z.nodes(requests), scope, p.Topology, p.now)
	scope.Sequential = z.orders() // a later one concerns the same reasons, and orders none
	z.turn = topology.SelectActiveZone(scope, domains, p.roll, p.Topology, p.now)
	if end := z.turn.GivesWay; !end.IsZero() && !z.changesBy(end) {
		z.next = topology.SelectActiveZone(scope, domains, z.turn.Kept, p.Topology, end)
	}
}

// changesBy reports whether a blocked node comes free up to a time, that time included, or pods hold back one more: that
// could change who is next.
func (z *zoning) changesBy(at time.Time) bool {
	return reached(until.First(z.turn.NextFree, z.closes), at)
}

// reached reports whether it has come to something at a time; zero is never.
func reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }

// nodes yields the pool's nodes, each with what holds it back for the reason for which that is least. One of several
// nodes of the same name is not counted, unless it is in flight.
func (z *zoning) nodes(requests []request) iter.Seq2[*candidate.Node, []candidate.Blocker] {
	return func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for _, m := range z.pool.members {
			n := m.node
			if m.duplicate && !n.Deleting {
				uncounted := *n
				uncounted.Initialized = false
				n = &uncounted
			}
			if !yield(n, z.least(requests[m.from:m.to])) {
				return
			}
		}
	}
}

// least returns what holds back a node for the reason for which that is least; of several, for the oldest.
func (z *zoning) least(requests []request) []candidate.Blocker {
	var least []candidate.Blocker
	var of *request
	for i := range requests {
		r := &requests[i]
		if !z.applies(r.condition.Reason) {
			continue
		}
		z.closes = until.First(z.closes, r.pods.Until)
		blockers := z.lasting(r)
		if of == nil || cmp.Or(lighter(blockers, least), r.compare(of)) < 0 {
			least, of = blockers, r
		}
	}
	return least
}

// lasting returns what holds back a node itself, and what of its pool's budgets may do so without an end: nobody is to
// wait for it then. (A domain where it is to go is idle, and gives way after the patience.)
func (z *zoning) lasting(r *request) []candidate.Blocker {
	blockers := r.blockers
	if !z.orders() {
		return blockers
	}
	if z.pool.quota(r.condition.Reason).never() {
		blockers = joined(blockers, []candidate.Blocker{{
			Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "budgets never let it go for " + quote.Text(string(r.condition.Reason)),
		}})
	}
	for _, other := range z.pool.zonings {
		if other == z || !other.heeds(r.condition.Reason) {
			continue
		}
		domain, concerned := other.domain(r.node)
		if !concerned || other.turn.Allows(domain, 0) {
			continue
		}
		b, _ := other.turn.Blocker(domain, 0)
		blockers = joined(blockers, []candidate.Blocker{b})
	}
	return blockers
}

// lighter compares what holds a node back: nothing, something that time lifts, the sooner the lighter, something else, or
// something for good.
func lighter(a, b []candidate.Blocker) int {
	atA, liftsA := candidate.Lift(a)
	atB, liftsB := candidate.Lift(b)
	return cmp.Or(weight(a, liftsA)-weight(b, liftsB), atA.Compare(atB))
}

func weight(blockers []candidate.Blocker, lifts bool) int {
	switch {
	case len(blockers) == 0:
		return 0
	case slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood }):
		return 3
	case lifts:
		return 1
	}
	return 2
}
