package gate

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/topology"
)

// choose counts the nodes of each domain, and decides whose turn it is.
func (g *Zones) choose(row *Row) {
	g.locate(row)
	g.count(row, func(z *Zoning) bool { return !z.Orders() })
	g.count(row, (*Zoning).Orders) // last: where others let nothing go, no turn is waited for
	g.byKind = make([][]*Zoning, len(row.Kinds))
	for _, k := range row.Kinds {
		for _, z := range k.Pool.zonings {
			if z.limits(k.Reason) {
				g.byKind[k.Index] = append(g.byKind[k.Index], z)
			}
		}
	}
}

// locate finds the domains of all nodes. It does nothing else, so that the processor fetches many labels from memory at once,
// instead of one after the other.
func (g *Zones) locate(row *Row) {
	var domains [][]int32 // by Zoning.place
	for _, p := range g.pools {
		for _, z := range p.zonings {
			if len(domains) == z.place {
				domains = append(domains, make([]int32, len(row.nodes)))
			}
			z.domains, z.census = domains[z.place], topology.NewCensus(z.Scope, p.Topology, row.Now)
		}
	}
	if len(domains) == 0 {
		return
	}
	for i := range row.nodes {
		if p := row.pool(i); p != nil {
			for _, z := range p.zonings {
				z.domains[i] = int32(z.census.Locate(&row.nodes[i]))
			}
		}
	}
}

// count counts the nodes for some of the zonings, and decides whose turn it is in each of those.
func (g *Zones) count(row *Row, which func(*Zoning) bool) {
	if !slices.ContainsFunc(g.pools, func(p *Pool) bool { return slices.ContainsFunc(p.zonings, which) }) {
		return
	}
	for i := range row.nodes {
		if p := row.pool(i); p != nil {
			for _, z := range p.zonings {
				if z.domains[i] >= 0 && which(z) {
					z.count(row, i)
				}
			}
		}
	}
	for _, p := range g.pools {
		for _, z := range p.zonings {
			if which(z) {
				z.choose(row.Now)
			}
		}
	}
}

// count counts a node. One of several nodes of the same name is not counted, unless it is in flight.
func (z *Zoning) count(row *Row, node int) {
	n := &row.nodes[node]
	if !n.Deleting && row.Namesakes[n.Name] {
		uncounted := *n
		uncounted.Initialized = false
		n = &uncounted
	}
	z.census.Count(int(z.domains[node]), n, z.least(row, node))
}

// choose decides whose turn it is.
func (z *Zoning) choose(now time.Time) {
	domains, positions := z.census.Domains()
	z.positions = positions
	z.Turn = z.at(now, domains, z.pool.Roll)
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

// least returns what holds back a node for the reason for which that is least; of several, for the oldest.
func (z *Zoning) least(row *Row, node int) []candidate.Blocker {
	var least []candidate.Blocker
	var of *Request
	for r := range row.of(node) {
		if !z.applies(r.Reason()) {
			continue
		}
		blockers := z.lasting(row, r)
		if of == nil || cmp.Or(lighter(blockers, least), older(r.Condition, of.Condition)) < 0 {
			least, of = blockers, r
		}
	}
	return least
}

// older compares two conditions of a node.
func older(a, b *candidate.Condition) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Reason, b.Reason))
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
			Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "budgets never let it go for " + quote.Text(string(r.Reason())),
		}})
	}
	for _, other := range z.pool.zonings {
		if other == z || !other.limits(r.Reason()) {
			continue
		}
		if i := r.Domain(other); i >= 0 && other.room[i] == 0 {
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
