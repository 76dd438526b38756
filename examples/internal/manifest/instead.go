package manifest

import (
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// Instead returns the cluster with other policies for its NodePools, for what-if questions. It reports whether any
// policy is for a pool of the cluster. If there is a single pool and a single policy, the policy is for that pool,
// whatever its name.
func (c *Cluster) Instead(policies []NodePool) (other *Cluster, found bool) {
	other = &Cluster{}
	*other = *c
	other.Pools, other.admitted, other.written = slices.Clone(c.Pools), maps.Clone(c.admitted), maps.Clone(c.written)
	for _, policy := range policies {
		for i := range other.Pools {
			p := &other.Pools[i]
			if p.Name != policy.Name && (len(c.Pools) > 1 || len(policies) > 1) {
				continue
			}
			found = true
			p.Budgets, _ = policy.Spec.Compile() // decisions report faults
			if other.admitted != nil {
				other.admitted[p.Name], _ = policy.Admitted.Compile()
				other.written[p.Name] = len(policy.Admitted.Budgets)
			}
		}
	}
	return other, found
}

// admittedFor returns the budgets of some pools as Karpenter reads them. The pools may differ from those of the cluster
// in single budgets, because a plan tries changes.
func (c *Cluster) admittedFor(pools []disruptkit.Pool) map[string]budget.Set {
	all, cloned := c.admitted, false
	for _, p := range pools {
		i := slices.IndexFunc(c.Pools, func(own disruptkit.Pool) bool { return own.Name == p.Name })
		if i < 0 || c.Pools[i].Budgets == p.Budgets {
			continue
		}
		if !cloned {
			all, cloned = maps.Clone(all), true
		}
		before, after := c.Pools[i].Budgets.Budgets(), p.Budgets.Budgets()
		for j := range min(len(before), len(after), c.written[p.Name]) {
			if before[j].String() != after[j].String() {
				all[p.Name], _ = all[p.Name].With(j, after[j])
			}
		}
	}
	return all
}
