package choose

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// Narrow returns what of an input, and of decisions about it, is about a NodePool, and the groups that select it. What it takes stays as it is.
func Narrow(in disruptkit.Input, decisions []disruptkit.Decision, pool string) (disruptkit.Input, []disruptkit.Decision) {
	keys, groups := map[string]bool{pool: true}, map[string]bool{} // of what is remembered; by name
	for _, g := range in.Groups {
		groups[g.Name] = slices.Contains(g.Pools, pool)
		keys[g.Key()] = groups[g.Name]
	}
	in.Pools = only(in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	in.Groups = only(in.Groups, func(g disruptkit.Group) bool { return groups[g.Name] })
	in.Nodes = only(in.Nodes, func(n candidate.Node) bool { return n.Pool == pool })
	decisions = slices.Clone(decisions)
	for i := range decisions {
		d := &decisions[i]
		ours := func(c candidate.Candidate) bool { return c.Pool == pool }
		d.Pools = only(d.Pools, func(p disruptkit.PoolDecision) bool { return p.Pool == pool })
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
