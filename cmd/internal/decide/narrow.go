package decide

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// narrow leaves what is about one pool, or one node. Everything was decided on the whole cluster.
func (a *answer) narrow(o options) error {
	if o.choice.All() {
		return nil
	}
	chosen, err := o.choice.In(a.in, a.cluster.NodeOf)
	if err != nil {
		return err
	}
	keys := map[string]bool{} // of what is remembered
	for _, p := range a.in.Pools {
		keys[p.Name] = chosen.HasPool(p.Name)
	}
	groups := map[string]bool{}
	for _, g := range a.in.Groups {
		groups[g.Name] = slices.ContainsFunc(g.Pools, chosen.HasPool)
		keys[g.Key()] = groups[g.Name]
	}
	a.in.Groups = slices.DeleteFunc(slices.Clone(a.in.Groups), func(g disruptkit.Group) bool { return !groups[g.Name] })
	for i := range a.decisions {
		d := &a.decisions[i]
		d.Groups = slices.DeleteFunc(d.Groups, func(g disruptkit.PoolDecision) bool { return !groups[g.Pool] })
		d.Pools = slices.DeleteFunc(d.Pools, func(p disruptkit.PoolDecision) bool { return !chosen.HasPool(p.Pool) })
		others := func(c candidate.Candidate) bool { return !chosen.HasNode(c.Pool, c.Node) }
		d.Allowed, d.Blocked = slices.DeleteFunc(d.Allowed, others), slices.DeleteFunc(d.Blocked, others)
		for name := range d.Memory {
			if !keys[name] {
				delete(d.Memory, name)
			}
		}
	}
	a.in.Nodes = slices.DeleteFunc(slices.Clone(a.in.Nodes), func(n candidate.Node) bool { return !chosen.HasNode(n.Pool, n.Name) })
	a.in.Pools = slices.DeleteFunc(slices.Clone(a.in.Pools), func(p disruptkit.Pool) bool { return !chosen.HasPool(p.Name) })
	a.differs = slices.DeleteFunc(a.differs, func(d difference) bool { return !chosen.HasPool(d.pool) })
	return nil
}
