package plan

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// parts splits an input into independent parts. In a fleet of many pools, only the part in which something happens
// needs new decisions. With a Model.Pass, the whole cluster is one part, since its pools take turns.
func (m Model) parts(in disruptkit.Input) []disruptkit.Input {
	if m.Pass > 0 {
		return []disruptkit.Input{in}
	}
	together, pools, of := m.together(in)
	return together.split(in, pools, of)
}

// together groups pools that share a PodDisruptionBudget, a node name or a group. It returns the groups of pools and of
// nodes, by position.
//
// A decision on the nodes of a part depends on that part alone: each pool and each group has its own budgets, zones and
// memory, blockers of the whole cluster depend on no node, and nodes of pools without a common group compete only for
// PodDisruptionBudgets.
//
// In Karpenter's dialect, decisions check PodDisruptionBudgets for each node separately, so pools share them only if
// evictions take time.
func (m Model) together(in disruptkit.Input) (together groups, pools map[string]int, of []int) {
	byPDB, byName, byUnit := map[int32]int{}, map[string]int{}, map[string]int{}
	pools = map[string]int{}
	for _, p := range in.Pools {
		pools[p.Name] = together.number(pools, p.Name)
	}
	if in.Dialect != dialect.Karpenter {
		together.joinGroups(in, pools)
	}
	gate := openPDBs(in)
	var v candidate.PodVerdict
	of = make([]int, len(in.Nodes))
	for i := range in.Nodes {
		n := &in.Nodes[i]
		of[i] = together.number(pools, n.Pool)
		meet(&together, of[i], n.Name, byName)
		if n.Unit != "" {
			meet(&together, of[i], n.Unit, byUnit)
		}
		stays := len(n.Conditions) == 0 && !n.InFlight() && m.expiry(*n).IsZero()
		if stays || in.Dialect == dialect.Karpenter && m.Eviction == nil {
			continue // its pods do not matter
		}
		gate.Judge(&v, n, &candidate.Condition{})
		for _, u := range v.Uses {
			meet(&together, of[i], u.PDB, byPDB)
		}
	}
	return together, pools, of
}

// joinGroups joins the pools of each group, and those of groups of the same name.
func (g *groups) joinGroups(in disruptkit.Input, pools map[string]int) {
	first := map[string]int{} // a pool of each group
	for _, group := range in.Groups {
		for _, pool := range group.Pools {
			meet(g, g.number(pools, pool), group.Name, first)
		}
	}
}

// groups is a union-find structure.
type groups struct{ parents []int }

// number returns the group of a name. A new name gets a new group.
func (g *groups) number(known map[string]int, name string) int {
	i, ok := known[name]
	if !ok {
		i = len(g.parents)
		g.parents = append(g.parents, i)
		known[name] = i
	}
	return i
}

func (g *groups) root(i int) int {
	for g.parents[i] != i {
		g.parents[i] = g.parents[g.parents[i]]
		i = g.parents[i]
	}
	return i
}

// join merges two groups. The later one becomes part of the earlier one.
func (g *groups) join(a, b int) {
	a, b = g.root(a), g.root(b)
	g.parents[max(a, b)] = min(a, b)
}

// meet joins a group with the group that had the same thing before.
func meet[T comparable](g *groups, group int, thing T, before map[T]int) {
	if other, ok := before[thing]; ok {
		g.join(group, other)
		return
	}
	before[thing] = group
}

// split returns an input for each group. Pools and nodes keep their order.
func (g *groups) split(in disruptkit.Input, pools map[string]int, of []int) []disruptkit.Input {
	var all []disruptkit.Input
	at := map[int]int{}
	part := func(group int) *disruptkit.Input {
		root := g.root(group)
		if _, ok := at[root]; !ok {
			at[root] = len(all)
			empty := in
			empty.Pools, empty.Groups, empty.Nodes, empty.Memory = nil, nil, nil, map[string]disruptkit.Memory{}
			all = append(all, empty)
		}
		return &all[at[root]]
	}
	for _, p := range in.Pools {
		to := part(pools[p.Name])
		to.Pools = append(to.Pools, p)
		if m, ok := in.Memory[p.Name]; ok {
			to.Memory[p.Name] = m
		}
	}
	for _, group := range in.Groups {
		namesake := slices.IndexFunc(in.Groups,
			func(other disruptkit.Group) bool { return other.Name == group.Name && len(other.Pools) > 0 })
		if namesake < 0 || in.Dialect == dialect.Karpenter {
			continue // it limits nothing, and the plan of the whole says so
		}
		to := part(pools[in.Groups[namesake].Pools[0]])
		to.Groups = append(to.Groups, group)
		if m, ok := in.Memory[group.Key()]; ok {
			to.Memory[group.Key()] = m
		}
	}
	for i, n := range in.Nodes {
		to := part(of[i])
		to.Nodes = append(to.Nodes, n)
	}
	return slices.DeleteFunc(all, func(in disruptkit.Input) bool { return len(in.Nodes) == 0 })
}
