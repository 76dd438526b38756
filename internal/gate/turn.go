package gate

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/prefetch"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/topology"
)

// chooseTurns counts the nodes of each domain, and decides whose turn it is. This is a step of opening the whole row, because a
// turn depends on several gates: on what holds back nodes and their pods, and on budgets that never let a node go.
func (row *Row) chooseTurns() {
	if row.Zones.count > 0 {
		row.locate()
		row.choose(func(z *Zoning) bool { return !z.Orders() })
		row.eachSharing(func(order, z *Zoning) { order.limitAs(z, row.Now) })
		row.choose((*Zoning).Orders) // last: if another budget lets nothing go in a domain, no other domain waits for it
		row.eachSharing(func(_, z *Zoning) { z.follow() })
	}
	row.Zones.byKind = make([][]*Zoning, len(row.Kinds))
	for _, k := range row.Kinds {
		for _, z := range row.Zones.All(k.Pool) {
			if z.limits(k.Reason) {
				row.Zones.byKind[k.Index] = append(row.Zones.byKind[k.Index], z)
			}
		}
	}
}

// eachSharing calls a function with each zoning that shares the turns of another one, and with that one.
func (row *Row) eachSharing(do func(order, z *Zoning)) {
	for i := range row.Zones.pools {
		if order := row.Zones.pools[i].order; order != nil {
			for _, z := range order.sharing[1:] {
				do(order, z)
			}
		}
	}
}

// locate finds the domains of all nodes.
func (row *Row) locate() {
	places := 0
	for i := range row.Zones.pools {
		zonings := row.Zones.pools[i].zonings
		places = max(places, len(zonings))
		for _, z := range zonings {
			z.census = topology.NewCensus(z.scope, z.options, row.Now)
		}
	}
	names := make([]string, 256) // for a few nodes at a time, so that they stay in the cache
	for place := range places {
		zonings := row.Zones.at(place)
		domains := make([]int32, len(row.nodes)) // shared by the zonings of all pools: each node is in one pool
		for _, z := range zonings {
			if z != nil {
				z.domains = domains
			}
		}
		for from := 0; from < len(row.nodes); from += len(names) {
			row.locateSome(from, zonings, names, domains)
		}
	}
}

// locateSome finds the domains of the nodes from a position on, as many as names has room for.
func (row *Row) locateSome(from int, zonings []*Zoning, names []string, domains []int32) {
	nodes := row.nodes[from:min(from+len(names), len(row.nodes))]
	for i, n := range prefetch.Each(nodes, func(n *candidate.Node) int { return len(n.Labels) }) {
		if at := row.owners[from+i]; at >= 0 && zonings[at] != nil {
			names[i] = n.Labels[zonings[at].scope.Key]
		}
	}
	for i, name := range prefetch.Each(names[:len(nodes)], func(name *string) int { return prefetch.Text(*name) }) {
		if at := row.owners[from+i]; at >= 0 && zonings[at] != nil {
			domains[from+i] = int32(zonings[at].census.Number(*name))
		}
	}
}

// zoningsOf returns the zonings of a node's pool.
func (row *Row) zoningsOf(node int) []*Zoning {
	if p := row.pool(node); p != nil {
		return row.Zones.All(p)
	}
	return nil
}

// choose counts the nodes of the chosen zonings, and decides whose turn it is in each.
func (row *Row) choose(which func(*Zoning) bool) {
	if !slices.ContainsFunc(row.Zones.pools, func(p zoned) bool { return slices.ContainsFunc(p.zonings, which) }) {
		return
	}
	rest := row.Requests
	for i := range row.nodes {
		n := 0
		for n < len(rest) && rest[n].at == int32(i) {
			n++
		}
		for _, z := range row.zoningsOf(i) {
			if z.domains[i] >= 0 && which(z) {
				row.count(z, i, rest[:n])
			}
		}
		rest = rest[n:]
	}
	for i := range row.Zones.pools {
		p := &row.Zones.pools[i]
		for _, z := range p.zonings {
			if which(z) {
				z.choose(p.roll, row.Now)
			}
		}
	}
}

// count counts a node with its requests. Unless it is in flight, a node whose name others have is not counted, as one of no pool is not.
func (row *Row) count(z *Zoning, node int, requests []Request) {
	n := &row.nodes[node]
	if !n.Disrupting(candidate.Unhealthy) && row.Namesakes[n.Name] {
		uncounted := *n
		uncounted.Pool = ""
		n = &uncounted
	}
	z.census.Count(int(z.domains[node]), n, row.least(z, requests))
}

// least returns what holds back a node for the one of its reasons that the least holds back. Of equal reasons, the oldest counts, and of
// those the last.
func (row *Row) least(z *Zoning, requests []Request) []candidate.Blocker {
	var least []candidate.Blocker
	var of *Request
	for i := range requests {
		r := &requests[i]
		if !z.Applies(r.Reason()) {
			continue
		}
		blockers := row.lasting(z, r)
		if of == nil || cmp.Or(lighter(blockers, least), older(r.Condition, of.Condition)) <= 0 {
			least, of = blockers, r
		}
	}
	return least
}

// lasting returns what holds back a request whatever else goes: the node itself, its pods, a pause of its domain, and budgets of its
// pool that let nothing go. A domain in which all nodes are held back like that is idle, and gives way after the patience.
func (row *Row) lasting(z *Zoning, r *Request) []candidate.Blocker {
	blockers := r.standing()
	if !z.Orders() {
		return blockers
	}
	if r.Kind != nil {
		blockers = joined(blockers, row.Signals.pauses.zoned(r))
	}
	if !r.uncounted && row.Budgets.neverAllows(r.Kind) {
		blockers = joined(blockers, []candidate.Blocker{{
			Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "budgets never let it go for " + quote.Text(string(r.Reason())),
		}})
	}
	for _, other := range row.Zones.All(r.Pool) {
		if other == z && len(z.sharing) < 2 || !other.limits(r.Reason()) { // its own limit is that of the whole domain
			continue
		}
		if i := other.Domain(r); i >= 0 && other.room[i] == 0 {
			b := other.Refusal(other.Turn, i, 0)
			blockers = joined(blockers, []candidate.Blocker{b})
		}
	}
	return blockers
}

// older compares two conditions of a node.
func older(a, b *candidate.Condition) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Reason, b.Reason))
}

// lighter compares two lists of blockers. The lightest is none; then one that time lifts, the sooner the lighter; then one that
// something else has to lift; then a pause, for which no roll waits; the heaviest holds for good.
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
		return 4
	case slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }):
		return 3
	case lifts:
		return 1
	}
	return 2
}
