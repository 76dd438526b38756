package steward

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A zone whose releases Karpenter does not use is idle, however often its nodes are released: its patience runs from the first of these
// releases on, until a node of it is taken. Decisions alone cannot know that, since to them a released node is in flight.

// afterOthers is the place of nodes that have not rested, but are of such a zone: after all others that have not, and before those that have.
var afterOthers = time.Time{}.Add(1)

// scopes returns where the memories are that a node's decisions read: that of its pool, and those of the pool's groups.
func (p *planner) scopes(n *candidate.Node) []string {
	keys := []string{n.Pool}
	for _, g := range p.Input.Groups {
		if slices.Contains(g.Pools, n.Pool) {
			keys = append(keys, g.Key())
		}
	}
	return keys
}

// inZone reports whether a node is in the zone of a roll.
func inZone(n *candidate.Node, r topology.Roll) bool {
	return r.Key != "" && n.Labels[r.Key] == r.Domain
}

// findUnused finds the rolls whose zone is idle, and has nodes whose last release was not used.
func (p *planner) findUnused() (unused map[string]bool) {
	unused, taken := map[string]bool{}, map[string]bool{}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		for _, key := range p.scopes(n) {
			if r := p.stored[key].Roll; inZone(n, r) {
				taken[key] = taken[key] || n.InFlight()
				unused[key] = unused[key] || p.Rests[n.Name].Times > 0 && len(n.Conditions) > 0 && !r.IdleSince.IsZero()
			}
		}
	}
	maps.DeleteFunc(unused, func(key string, is bool) bool { return !is || taken[key] })
	return unused
}

// order returns functions that order nodes, and that exclude some. Nodes that have rested are in the order in which
// their rests began. A zone whose patience is over is released no more where another one could have its turn, once its releases have ended.
func (p *planner) order() (turn func(*candidate.Node) time.Time, ends func(*candidate.Node) bool) {
	unused := p.findUnused()
	of := func(keys map[string]bool) func(*candidate.Node) bool {
		return func(n *candidate.Node) bool {
			return len(keys) > 0 && slices.ContainsFunc(p.scopes(n), func(key string) bool { return keys[key] && inZone(n, p.stored[key].Roll) })
		}
	}
	turn = func(n *candidate.Node) time.Time {
		if at := p.rest(n.Name).Since; !at.IsZero() || !of(unused)(n) {
			return at
		}
		return afterOthers
	}
	return turn, of(p.givesWay(unused, of(unused)))
}

// givesWay returns the rolls whose next zone has its turn if none of their nodes is released.
func (p *planner) givesWay(unused map[string]bool, isOf func(*candidate.Node) bool) map[string]bool {
	others := map[string]bool{}
	if len(unused) == 0 {
		return others
	}
	out, byName := map[string]bool{}, map[string]*candidate.Node{}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		out[n.Name], byName[n.Name] = isOf(n), n
	}
	c := choose(p.recording, p.inFlight(func(name string) bool { return !out[name] }), func(n *candidate.Node) bool {
		return !out[n.Name] && !p.rest(n.Name).until().After(p.now) && p.releasable(n)
	})
	for _, chosen := range c.nodes {
		for _, key := range p.scopes(byName[chosen.name]) {
			others[key] = others[key] || unused[key]
		}
	}
	return others
}

// idle lets the zones of rolls be idle in which nodes are released, and none is taken.
func (p *planner) idle(memory map[string]disruptkit.Memory, released func(node string) bool) {
	taken, could := map[string]bool{}, map[string]bool{}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		for _, key := range p.scopes(n) {
			if inZone(n, memory[key].Roll) {
				taken[key] = taken[key] || n.InFlight()
				could[key] = could[key] || released(n.Name)
			}
		}
	}
	for key, m := range memory {
		if taken[key] || !could[key] {
			continue
		}
		since := p.now
		if was := p.stored[key].Roll; was.Key == m.Roll.Key && was.Domain == m.Roll.Domain {
			since = cmp.Or(was.IdleSince, since)
		}
		m.Roll.IdleSince = since
		memory[key] = m
	}
}
