package choose

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// Narrow returns what of an input, and of decisions about it, is about a choice with the names of a cluster: its NodePools and nodes, and the
// groups that select these NodePools. What it takes stays as it is.
func (c Choice) Narrow(in disruptkit.Input, decisions []disruptkit.Decision) (disruptkit.Input, []disruptkit.Decision) {
	keys, groups := map[string]bool{}, map[string]bool{} // of what is remembered; by name
	for _, p := range in.Pools {
		keys[p.Name] = c.HasPool(p.Name)
	}
	for _, g := range in.Groups {
		groups[g.Name] = slices.ContainsFunc(g.Pools, c.HasPool)
		keys[g.Key()] = groups[g.Name]
	}
	in.Pools = only(in.Pools, func(p disruptkit.Pool) bool { return c.HasPool(p.Name) })
	in.Groups = only(in.Groups, func(g disruptkit.Group) bool { return groups[g.Name] })
	in.Nodes = only(in.Nodes, func(n candidate.Node) bool { return c.HasNode(n.Pool, n.Name) })
	decisions = slices.Clone(decisions)
	for i := range decisions {
		d := &decisions[i]
		ours := func(o candidate.Candidate) bool { return c.HasNode(o.Pool, o.Node) }
		d.Pools = only(d.Pools, func(p disruptkit.PoolDecision) bool { return c.HasPool(p.Pool) })
		d.Groups = only(d.Groups, func(g disruptkit.PoolDecision) bool { return groups[g.Pool] })
		d.Allowed, d.Blocked = only(d.Allowed, ours), only(d.Blocked, ours)
		d.Memory = maps.Clone(d.Memory)
		maps.DeleteFunc(d.Memory, func(key string, _ disruptkit.Memory) bool { return !keys[key] })
	}
	return in, decisions
}

// only returns those elements of a list that are wanted.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(t T) bool { return !wanted(t) })
}
