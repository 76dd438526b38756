package metrics

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// narrow returns what a picture shows of a pool; "": of all. Everything was decided on the whole cluster.
func narrow(p picture, pool string) picture {
	if pool == "" {
		return p
	}
	p.in.Pools = only(p.in.Pools, func(o disruptkit.Pool) bool { return o.Name == pool })
	p.in.Groups = only(p.in.Groups, func(g disruptkit.Group) bool { return slices.Contains(g.Pools, pool) })
	p.events = only(p.events, func(e event) bool { return e.Pool == pool })
	p.decisions = slices.Clone(p.decisions)
	for i := range p.decisions {
		d := &p.decisions[i]
		d.Pools = only(d.Pools, func(o disruptkit.PoolDecision) bool { return o.Pool == pool })
		d.Groups = only(d.Groups, func(o disruptkit.PoolDecision) bool {
			return slices.ContainsFunc(p.in.Groups, func(g disruptkit.Group) bool { return g.Name == o.Pool })
		})
		d.Allowed = only(d.Allowed, func(c candidate.Candidate) bool { return c.Pool == pool })
		d.Blocked = only(d.Blocked, func(c candidate.Candidate) bool { return c.Pool == pool })
	}
	return p
}

// only returns those elements of a list that are wanted. The list stays as it is.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(t T) bool { return !wanted(t) })
}
