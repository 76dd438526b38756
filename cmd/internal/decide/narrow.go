package decide

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/schedule"
)

// narrow leaves what is about one pool. Everything was decided on the whole cluster, except when that next changes: the
// windows of other pools change nothing here.
func (a *answer) narrow(pool string) error {
	if pool == "" {
		return nil
	}
	if err := choose.Pool(pool, choose.Names(a.in.Pools)); err != nil {
		return err
	}
	whole := a.in
	a.in, a.decisions = choose.Narrow(a.in, a.decisions, pool)
	around := around(whole, a.in.Groups, pool)
	for i := range a.decisions {
		d := &a.decisions[i]
		d.NextChange = a.cluster.Decide(around, d.Reason).NextChange
		for _, c := range d.Blocked { // of a unit, other pools may do so
			for _, b := range c.Blockers {
				d.NextChange = schedule.First(d.NextChange, b.Until)
			}
		}
	}
	a.differs = slices.DeleteFunc(a.differs, func(d difference) bool { return d.Pool != pool })
	return nil
}

// around returns an input with a pool, and those that share its groups: they compete for the same budgets.
func around(in disruptkit.Input, groups []disruptkit.Group, pool string) disruptkit.Input {
	others := func(name string) bool {
		return name != pool && !slices.ContainsFunc(groups, func(g disruptkit.Group) bool { return slices.Contains(g.Pools, name) })
	}
	in.Groups = groups
	in.Pools = slices.DeleteFunc(slices.Clone(in.Pools), func(p disruptkit.Pool) bool { return others(p.Name) })
	in.Nodes = slices.DeleteFunc(slices.Clone(in.Nodes), func(n candidate.Node) bool { return others(n.Pool) })
	return in
}
