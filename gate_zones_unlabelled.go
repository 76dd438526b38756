package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// unlabelled is how many of the counted nodes of a zoning have no label of its topology key.
type unlabelled struct {
	nodes, of int
	all       bool // no node has it, and some should: the key is probably misspelt
}

// blockUnlabelled blocks all nodes in those zonings of which no counted node has the label, and leaves only these in
// the list. They have to be located again. It reports whether there are any.
func (g *zoneGate) blockUnlabelled(zonings []*zoning) (some bool) {
	for i, z := range zonings { // pools of a group share one
		if z != nil && !z.unlabelled.all {
			z.unlabelled.nodes, z.unlabelled.of = z.census.Unlabelled()
			z.unlabelled.all = !z.options.LabelOptional && z.unlabelled.of > 0 && z.unlabelled.nodes == z.unlabelled.of
			if z.unlabelled.all {
				z.options.Unlabelled = topology.Block
				z.census = topology.NewCensus(z.scope, z.options, g.now)
			}
		}
		if z == nil || !z.unlabelled.all {
			zonings[i] = nil
			continue
		}
		some = true
	}
	return some
}

// warnUnlabelled warns of nodes that lack the label of a budget, once for each budget.
func (g *zoneGate) warnUnlabelled(p *zonedPool) {
	for _, z := range p.zonings {
		u, key := z.unlabelled, z.scope.Key
		if u.nodes == 0 || z.options.LabelOptional {
			continue
		}
		w := candidate.Warning{
			Code: candidate.CodeNoLabel, Field: p.Budgets.Place(z.scope.Index) + ".topologyKey", Value: key,
		}
		if u.all {
			w.Message = fmt.Sprintf("no node has the label %.100q, and until one has, none is allowed: %s, or set "+
				"labelOptional if they really have no such label", key, g.labelToWrite(z))
		} else {
			w.Message = fmt.Sprintf("%d of %s have no label %.100q, and %s: label them, or set labelOptional if they "+
				"really have no such label", u.nodes, wording.Count(u.of, "node"), key,
				treatment(z.options.Unlabelled))
		}
		p.warnings = append(p.warnings, w)
	}
}

// treatment says what becomes of nodes without the label.
func treatment(u topology.Unlabelled) string {
	switch u {
	case topology.TakeTurn:
		return "are a domain of their own"
	case topology.Exempt:
		return "the budget does not limit them"
	}
	return "are blocked"
}

// labelToWrite says which label to write: one of the nodes' labels that is similar.
func (g *zoneGate) labelToWrite(z *zoning) string {
	similar := map[string]bool{}
	for i := range g.fleet.Nodes {
		if p := g.fleet.Pool(i); p == nil || p.Within[z.in.Layer] != z.in {
			continue
		}
		for key := range g.fleet.Nodes[i].Labels {
			if wording.Near(key, z.scope.Key) && key != z.scope.Key {
				similar[key] = true
			}
		}
	}
	if names := slices.Sorted(maps.Keys(similar)); len(names) > 0 {
		return fmt.Sprintf("write %.100q, which nodes have", names[0])
	}
	return "write a label that nodes have, such as topology.kubernetes.io/zone"
}
