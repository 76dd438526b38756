package decide

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/schedule"
)

// narrow leaves what is about one pool, or one node. Everything was decided on the whole cluster, except when that next
// changes: the windows of other pools change nothing here.
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
	around := a.around(chosen)
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
		d.NextChange = a.cluster.Decide(around, d.Reason).NextChange
		for _, c := range d.Blocked { // of a unit, other pools may do so
			for _, b := range c.Blockers {
				d.NextChange = schedule.First(d.NextChange, b.Until)
			}
		}
	}
	a.in.Nodes = slices.DeleteFunc(slices.Clone(a.in.Nodes), func(n candidate.Node) bool { return !chosen.HasNode(n.Pool, n.Name) })
	a.in.Pools = slices.DeleteFunc(slices.Clone(a.in.Pools), func(p disruptkit.Pool) bool { return !chosen.HasPool(p.Name) })
	a.differs = slices.DeleteFunc(a.differs, func(d difference) bool { return !chosen.HasPool(d.Pool) })
	return nil
}

// around returns the chosen pools, and those that share a group with them: they compete for its budgets. Groups are
// those of the chosen pools already.
func (a *answer) around(chosen choose.Choice) disruptkit.Input {
	in := a.in
	others := func(pool string) bool {
		return !chosen.HasPool(pool) &&
			!slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return slices.Contains(g.Pools, pool) })
	}
	in.Pools = slices.DeleteFunc(slices.Clone(in.Pools), func(p disruptkit.Pool) bool { return others(p.Name) })
	in.Nodes = slices.DeleteFunc(slices.Clone(in.Nodes), func(n candidate.Node) bool { return others(n.Pool) })
	return in
}
