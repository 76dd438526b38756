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
	whole := a.in
	a.in, a.decisions = chosen.Narrow(a.in, a.decisions)
	around := around(whole, a.in.Groups, chosen)
	for i := range a.decisions {
		d := &a.decisions[i]
		d.NextChange = a.cluster.Decide(around, d.Reason).NextChange
		for _, c := range d.Blocked { // of a unit, other pools may do so
			for _, b := range c.Blockers {
				d.NextChange = schedule.First(d.NextChange, b.Until)
			}
		}
	}
	a.differs = slices.DeleteFunc(a.differs, func(d difference) bool { return !chosen.HasPool(d.Pool) })
	return nil
}

// around returns an input with the chosen pools, and those that share a group with them: they compete for its budgets.
func around(in disruptkit.Input, groups []disruptkit.Group, chosen choose.Choice) disruptkit.Input {
	others := func(pool string) bool {
		return !chosen.HasPool(pool) &&
			!slices.ContainsFunc(groups, func(g disruptkit.Group) bool { return slices.Contains(g.Pools, pool) })
	}
	in.Groups = groups
	in.Pools = slices.DeleteFunc(slices.Clone(in.Pools), func(p disruptkit.Pool) bool { return others(p.Name) })
	in.Nodes = slices.DeleteFunc(slices.Clone(in.Nodes), func(n candidate.Node) bool { return others(n.Pool) })
	return in
}
