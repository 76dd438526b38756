package naive

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// A scope is a pool, or a group as if it were one pool with all nodes.
type scope struct {
	disruptkit.Pool
	pools []string // whose nodes it has
	key   string   // of its memory
	layer int      // a group is decided after those of lower layers; pools, which have 0, after all groups
}

func (s scope) has(n candidate.Node) bool { return slices.Contains(s.pools, n.Pool) }

// scopes returns a pool, and the groups that it is in and that can be enforced.
func scopes(in disruptkit.Input, pool string) (all []scope) {
	for _, p := range in.Pools {
		if p.Name == pool {
			all = append(all[:0], scope{p, []string{pool}, pool, 0})
		}
	}
	if len(all) == 0 || in.Dialect == dialect.Karpenter {
		return all
	}
	for _, g := range layered(in) {
		if slices.Contains(g.pools, pool) {
			all = append(all, g)
		}
	}
	return all
}

// layered returns the groups that can be enforced, those with the most pools first, each in the first layer in which
// no other one has a pool of it.
func layered(in disruptkit.Input) (all []scope) {
	groups := slices.Clone(in.Groups)
	slices.SortStableFunc(groups, func(a, b disruptkit.Group) int {
		return cmp.Or(len(b.Pools)-len(a.Pools), strings.Compare(a.Name, b.Name))
	})
	for _, g := range groups {
		if len(g.Pools) == 0 || brokenGroup(in, g) {
			continue
		}
		p := disruptkit.Pool{Name: g.Name, Budgets: g.Budgets, Topology: g.Topology}
		s := scope{p, g.Pools, "group/" + g.Name, 1}
		pools := map[string]bool{}
		s.pools = slices.DeleteFunc(slices.Clone(g.Pools), func(name string) bool {
			twice := pools[name]
			pools[name] = true
			return twice
		})
		meets := func(o scope) bool {
			return o.layer == s.layer && slices.ContainsFunc(o.pools, func(name string) bool { return pools[name] })
		}
		for slices.ContainsFunc(all, meets) {
			s.layer++
		}
		all = append(all, s)
	}
	return all
}

// brokenGroup reports whether a group names an unknown pool, or shares its name.
func brokenGroup(in disruptkit.Input, g disruptkit.Group) bool {
	same := 0
	for _, o := range in.Groups {
		if o.Name == g.Name {
			same++
		}
	}
	unknown := func(name string) bool {
		return !slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == name })
	}
	return same > 1 || slices.ContainsFunc(g.Pools, unknown)
}

// ofGroups returns the codes of what is said against all nodes of the groups that a pool is in.
func ofGroups(in disruptkit.Input, pool string) (codes []string) {
	for _, g := range in.Groups {
		meant := slices.ContainsFunc(g.Pools, func(name string) bool {
			named := slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == name })
			return !named && wording.Near(name, pool)
		})
		if !slices.Contains(g.Pools, pool) && !meant || in.Dialect == dialect.Karpenter {
			continue
		}
		for _, b := range g.Blockers {
			codes = append(codes, string(b.Gate)+"/"+string(b.Code))
		}
		codes = append(codes, negatives(in, 0, g.Topology)...)
		if brokenGroup(in, g) {
			codes = append(codes, "node/invalid-group")
		}
	}
	return codes
}

// negatives returns a code for each negative number of a pool or a group.
func negatives(in disruptkit.Input, desired int, o topology.Options) (codes []string) {
	for i, n := range []int64{int64(desired), int64(o.Patience), int64(o.Soak)} {
		if none := i == 1 && n == -1; n < 0 && !none && in.Dialect != dialect.Karpenter {
			codes = append(codes, "node/negative")
		}
	}
	return codes
}

// poolOf returns the pool of a node.
func poolOf(in disruptkit.Input, n candidate.Node) (pool disruptkit.Pool) {
	for _, p := range in.Pools {
		if p.Name == n.Pool {
			pool = p
		}
	}
	return pool
}
