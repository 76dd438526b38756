package disruptkit

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/topology"
)

// Open counts the nodes of each domain, and decides whose turn it is. The gate opens last, because a turn depends on
// what all other gates say of nodes whatever else goes: on what holds back nodes and their pods, and on budgets that
// never let a node go.
func (g *zoneGate) Open() {
	g.endAtDeadlines()
	if g.count > 0 {
		g.locate()
		g.choose(func(z *zoning) bool { return !z.Orders() })
		g.eachSharing(func(order, z *zoning) { order.limitAs(z, g.now) })
		g.chooseOrders() // last: if another budget lets nothing go in a domain, no other domain waits for it
		for i := range g.pools {
			g.warnUnlabelled(&g.pools[i])
		}
	}
	g.byKind = make([][]*zoning, len(g.fleet.Kinds))
	for _, k := range g.fleet.Kinds {
		if k.Pool.Grouped() {
			continue
		}
		for _, z := range g.all(k.Pool) {
			if z.limitsReason(k.Reason) {
				g.byKind[k.Index] = append(g.byKind[k.Index], z)
			}
		}
	}
}

// chooseOrders decides whose turn it is in each zoning that orders domains: groups first, and pools last. Where it is
// the turn of a domain in a group, no turn within the group waits for nodes of another domain. So overlapping groups
// never wait for each other: each follows those before it.
func (g *zoneGate) chooseOrders() {
	layers := make([]bool, g.fleet.Layers)
	for i := range g.pools {
		if p := &g.pools[i]; p.order != nil {
			layers[p.Layer] = true
			if len(p.order.sharing) < 2 && g.fleet.Layers > 1 {
				p.order.limitAlone(g.now)
			}
		}
	}
	for i := range layers {
		layer := (i + 1) % len(layers)
		if layers[layer] {
			g.choose(func(z *zoning) bool { return z.Orders() && z.in.Layer == layer })
			g.eachSharing(func(order, z *zoning) {
				if order.in.Layer == layer {
					z.follow()
				}
			})
		}
	}
}

// eachSharing calls a function with each zoning that shares the turns of another one, and with that one.
func (g *zoneGate) eachSharing(do func(order, z *zoning)) {
	for i := range g.pools {
		if order := g.pools[i].order; order != nil {
			for _, z := range order.sharing[1:] {
				do(order, z)
			}
		}
	}
}

// locate finds the domains of all nodes, and counts the nodes in them.
func (g *zoneGate) locate() {
	places := make([]int, g.fleet.Layers)
	for i := range g.pools {
		p := &g.pools[i]
		places[p.Layer] = max(places[p.Layer], len(p.zonings))
		for _, z := range p.zonings {
			z.census = topology.NewCensus(z.scope, z.options, g.now)
		}
	}
	for layer := range places {
		for place := range places[layer] {
			zonings := g.at(layer, place)
			g.locateIn(zonings)
			if g.blockUnlabelled(zonings) {
				g.locateIn(zonings)
			}
		}
	}
}

// locateIn finds the domains of all nodes in one zoning for each pool, or nil.
func (g *zoneGate) locateIn(zonings []*zoning) {
	names := make([]string, 256) // for a few nodes at a time, so that they stay in the cache
	at := located{make([]int32, len(g.fleet.Nodes)), make([]bool, len(g.fleet.Nodes))}
	for _, z := range zonings {
		if z != nil {
			z.located = at // the zonings of all pools share it: each node is in one pool
		}
	}
	for from := 0; from < len(g.fleet.Nodes); from += len(names) {
		g.locateSome(from, zonings, names, at)
	}
}

// located says where the nodes are, by position.
type located struct {
	domains []int32 // the number of the node's domain in the census; below 0: the budget ignores the node
	waits   []bool  // the roll may wait for the node
}

// locateSome locates the nodes from a position on, as many as names has room for.
func (g *zoneGate) locateSome(from int, zonings []*zoning, names []string, to located) {
	nodes := g.fleet.Nodes[from:min(from+len(names), len(g.fleet.Nodes))]
	for i, n := range memory.ReadAhead(nodes, func(n *candidate.Node) int { return len(n.Labels) }) {
		if at := g.fleet.Owners[from+i]; at >= 0 && zonings[at] != nil {
			names[i] = n.Labels[zonings[at].scope.Key]
		}
	}
	for i, name := range memory.ReadAhead(names[:len(nodes)], func(name *string) int { return memory.Touch(*name) }) {
		if at := g.fleet.Owners[from+i]; at >= 0 && zonings[at] != nil {
			c := zonings[at].census
			domain := c.Number(*name)
			to.domains[from+i] = int32(domain)
			to.waits[from+i] = c.Count(domain, g.unlessNamesake(&nodes[i]))
		}
	}
}

// unlessNamesake returns the node, or one that is not counted if others have its name and it is not in flight.
func (g *zoneGate) unlessNamesake(n *candidate.Node) *candidate.Node {
	if g.fleet.Namesakes == nil || n.Disrupting(candidate.Unhealthy) || !g.fleet.Namesakes[n.Name] {
		return n
	}
	uncounted := *n
	uncounted.Pool = ""
	return &uncounted
}

// choose tells the chosen zonings what holds back the nodes that wait, and decides whose turn it is in each.
func (g *zoneGate) choose(which func(*zoning) bool) {
	if !slices.ContainsFunc(g.pools, func(p zonedPool) bool { return slices.ContainsFunc(p.zonings, which) }) {
		return
	}
	rest := g.fleet.Requests
	for len(rest) > 0 {
		n, node := 1, rest[0].Position
		for n < len(rest) && rest[n].Position == node {
			n++
		}
		if p := rest[0].Pool; p != nil {
			for _, z := range g.all(p) {
				if z.waits[node] && which(z) {
					z.census.Wait(int(z.domains[node]), rest[0].Node, g.least(z, rest[:n]))
				}
			}
		}
		rest = rest[n:]
	}
	for i := range g.pools {
		p := &g.pools[i]
		for _, z := range p.zonings {
			if which(z) {
				z.choose(p.roll, g.now)
			}
		}
	}
}

// least returns what holds back a node for the one of its reasons that the least holds back. Of equal reasons, the
// oldest counts, and of those the last.
func (g *zoneGate) least(z *zoning, requests []request) []candidate.Blocker {
	var least []candidate.Blocker
	var of *request
	for i := range requests {
		r := &requests[i]
		if !z.Applies(r.Reason()) {
			continue
		}
		blockers := g.lasting(z, r)
		if of == nil || cmp.Or(lighter(blockers, least), older(r.Condition, of.Condition)) <= 0 {
			least, of = blockers, r
		}
	}
	return least
}

// lasting returns what holds back a request whatever else goes: the node itself, its pods, a pause of its domain, and
// budgets of its pool that let nothing go. A domain in which all nodes are held back like that is idle, and gives way
// after the patience.
func (g *zoneGate) lasting(z *zoning, r *request) []candidate.Blocker {
	blockers := r.Standing()
	if !z.Orders() {
		return blockers
	}
	blockers = joined(blockers, g.lasts(r))
	for _, other := range g.all(r.Pool) {
		if other == z && len(z.sharing) < 2 || !other.limitsReason(r.Reason()) {
			continue // its own limit is that of the whole domain
		}
		i := other.Domain(r)
		if i < 0 || other.room[i] > 0 {
			continue
		}
		b := other.Refusal(other.Turn, i, 0)
		if other.in != z.in && other.elsewhere(i) {
			b.Code = candidate.CodePaused // as a pause of the domain: no turn waits for it
		} else if other.in != z.in && b.Code == candidate.CodeWaitsForDomain && other.Turn.Domains[i].Remaining > 0 {
			continue // its own domain has the turn, and starts once others are gone
		}
		blockers = joined(blockers, []candidate.Blocker{b})
	}
	return blockers
}

// older compares two conditions of a node.
func older(a, b *candidate.Condition) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Reason, b.Reason))
}

// lighter compares two lists of blockers. The lightest is none; then one that time lifts, the sooner the lighter; then
// one that something else has to lift; then a pause, for which no roll waits; the heaviest holds for good.
func lighter(a, b []candidate.Blocker) int {
	atA, liftsA := candidate.LiftsAt(a)
	atB, liftsB := candidate.LiftsAt(b)
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
