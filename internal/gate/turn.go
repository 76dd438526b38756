package gate

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/topology"
)

// choose counts the nodes of each domain, and decides whose turn it is.
func (g *Zones) choose(row *Row) {
	g.byKind = make([][]*Zoning, len(row.Kinds))
	for _, p := range g.pools {
		for _, z := range p.zonings {
			if !z.Orders() {
				z.choose(row)
			}
		}
		if p.order != nil {
			p.order.choose(row) // last: where others let nothing go, no turn is waited for
		}
		g.findDomains(p, row)
	}
	for _, k := range row.Kinds {
		for _, z := range k.Pool.zonings {
			if z.limits(k.Reason) {
				g.byKind[k.Index] = append(g.byKind[k.Index], z)
			}
		}
	}
}

// findDomains notes in each request of a pool which domains its node is in.
func (g *Zones) findDomains(p *Pool, row *Row) {
	if len(p.zonings) > 0 && g.domains == nil {
		g.domains = make([]int32, 0, len(row.Requests)*len(p.zonings))
	}
	for _, m := range p.members {
		if m.from == m.to {
			continue
		}
		from := len(g.domains)
		for _, z := range p.zonings {
			g.domains = append(g.domains, int32(z.domain(m.node)))
		}
		for i := m.from; i < m.to; i++ {
			row.Requests[i].domains = g.domains[from:]
		}
	}
}

// domain returns the position of a node's domain, or -1 if the budget does not concern the node.
func (z *Zoning) domain(n *candidate.Node) int {
	name, concerned := z.pool.Topology.Domain(n, z.Scope.Key)
	if !concerned {
		return -1
	}
	i, _ := slices.BinarySearchFunc(z.Turn.Domains, name, func(d topology.Domain, name string) int { return cmp.Compare(d.Name, name) })
	return i
}

// choose decides whose turn it is for one budget.
func (z *Zoning) choose(row *Row) {
	p := z.pool
	domains := topology.Domains(z.nodes(row), z.Scope, p.Topology, row.Now)
	z.Turn = z.at(row.Now, domains, p.Roll)
	z.taken, z.room, z.refusal = make([]int, len(domains)), make([]int, len(domains)), make([]refusal, len(domains))
	for i := range domains {
		if z.Turn.Allows(domains[i].Name, 0) {
			z.room[i] = domains[i].Remaining
		}
	}
}

func (z *Zoning) at(now time.Time, domains []topology.Domain, roll topology.Roll) topology.Selection {
	scope := z.Scope
	scope.Sequential = z.Orders() // a later one concerns the same reasons, and orders none
	return topology.SelectActiveZone(scope, domains, roll, z.pool.Topology, now)
}

// At returns whose turn it is at a later time, if nothing happens until then.
func (z *Zoning) At(now time.Time) topology.Selection {
	return z.at(now, z.Turn.Domains, z.Turn.Kept)
}

// nodes yields the pool's nodes, each with what holds it back for the reason for which that is least. One of several
// nodes of the same name is not counted, unless it is in flight.
func (z *Zoning) nodes(row *Row) iter.Seq2[*candidate.Node, []candidate.Blocker] {
	return func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for _, m := range z.pool.members {
			n := m.node
			if m.duplicate && !n.Deleting {
				uncounted := *n
				uncounted.Initialized = false
				n = &uncounted
			}
			if !yield(n, z.least(row, m)) {
				return
			}
		}
	}
}

// least returns what holds back a node for the reason for which that is least; of several, for the oldest.
func (z *Zoning) least(row *Row, m member) []candidate.Blocker {
	var least []candidate.Blocker
	var of *Request
	for i := m.from; i < m.to; i++ {
		r := &row.Requests[i]
		if !z.applies(r.Condition.Reason) {
			continue
		}
		blockers := z.lasting(row, r)
		if of == nil || cmp.Or(lighter(blockers, least), r.Compare(of)) < 0 {
			least, of = blockers, r
		}
	}
	return least
}

// lasting returns what holds back a node itself, and what of its pool's budgets does so without an end: its domain is idle
// then, and gives way after the patience.
func (z *Zoning) lasting(row *Row, r *Request) []candidate.Blocker {
	blockers := r.Standing()
	if !z.Orders() {
		return blockers
	}
	if row.Budgets.neverAllows(r.Kind) {
		blockers = joined(blockers, []candidate.Blocker{{
			Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "budgets never let it go for " + quote.Text(string(r.Condition.Reason)),
		}})
	}
	for _, other := range z.pool.zonings {
		if other == z || !other.limits(r.Condition.Reason) {
			continue
		}
		if i := other.domain(r.Node); i >= 0 && other.room[i] == 0 {
			b, _ := other.Turn.Blocker(other.Turn.Domains[i].Name, 0)
			blockers = joined(blockers, []candidate.Blocker{b})
		}
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
