package manifest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// Instead returns the cluster as it would be read with other NodePools in the place of those of the same name, for
// what-if questions: an API server that rejects one of them, its pauses and all its other annotations count as in
// [Policy.Read]. The memory of a pool stays, unless the other NodePool has one. An object that has no name is a
// spec.disruption for the only NodePool of the cluster.
//
// DisruptionPolicies replace those of the same name, or are added.
//
// It returns an error if the cluster has no NodePool of that name.
func (c *Cluster) Instead(policies []NodePool, several []disruptionpolicy.Policy) (*Cluster, error) {
	if len(policies)+len(several) == 0 {
		return nil, errors.New("it has no NodePool, no DisruptionPolicy, and no object with budgets")
	}
	replaced := map[string]bool{}
	var added []*nodePool
	for _, policy := range policies {
		p, err := c.read(policy)
		if err != nil {
			return nil, err
		}
		if p.memory.Equal(disruptkit.Memory{}) {
			p.memory = c.Memory[p.Name]
		}
		replaced[p.Name], added = true, append(added, p)
	}
	all := slices.DeleteFunc(slices.Clone(c.all), func(p *nodePool) bool { return replaced[p.Name] })
	return c.from.join(c.policy, append(all, added...), c.insteadOf(several)), nil
}

// insteadOf returns the DisruptionPolicies with others instead of those of the same name.
func (c *Cluster) insteadOf(policies []disruptionpolicy.Policy) []disruptionpolicy.Policy {
	same := func(name string) func(disruptionpolicy.Policy) bool {
		return func(p disruptionpolicy.Policy) bool { return p.Name == name }
	}
	all := slices.DeleteFunc(slices.Clone(c.several), func(p disruptionpolicy.Policy) bool {
		return slices.ContainsFunc(policies, same(p.Name))
	})
	for _, p := range policies {
		if i := slices.IndexFunc(c.several, same(p.Name)); i >= 0 && p.Memory.Equal(disruptkit.Memory{}) {
			p.Memory = c.several[i].Memory
		}
		all = append(all, p)
	}
	return all
}

// read reads a NodePool that is to replace one of the cluster.
func (c *Cluster) read(policy NodePool) (*nodePool, error) {
	raw, name := policy.raw, policy.Name
	if policy.bare {
		if len(c.Pools) != 1 {
			return nil, fmt.Errorf("it has budgets without the name of a NodePool, and the cluster has %d NodePools: write kind: NodePool and metadata.name", len(c.Pools))
		}
		var err error
		name = c.Pools[0].Name
		if raw, err = put(c.all[0].raw, ofPolicy, raw); err != nil {
			return nil, err
		}
	}
	if c.pools[name] == nil {
		return nil, fmt.Errorf("the cluster has no NodePool %q", name)
	}
	o := newObject(decodeObject(raw), raw, "NodePool/"+name, origin{})
	p := readNodePool(o, o.disruption(), c.policy)
	if policy.defaulted {
		p.Spec.Budgets, p.endless = nil, false
		p.Budgets, _ = p.Spec.Compile()
	}
	if len(policy.Faults) > 0 && len(p.Blockers) == 0 { // such as a key that is written twice in an object without a name
		var faults []candidate.Warning
		for _, f := range policy.Faults {
			faults = append(faults, f.Warning)
		}
		p.faults, p.Blockers = faults, unreadable(candidate.GateNode, faults)
	}
	return p, nil
}

// Admitted returns the budgets of a pool as Karpenter reads them, which limit it besides its own, if the guard or the steward runs.
func (c *Cluster) Admitted(pool string) (set budget.Set, also bool) {
	set, also = c.admitted[pool]
	return set, also
}

// admittedFor returns the budgets of some pools as Karpenter reads them: the first of each. A plan tries to change single budgets, or to do
// without one.
func (c *Cluster) admittedFor(pools []disruptkit.Pool) map[string]budget.Set {
	all := maps.Clone(c.admitted)
	for _, p := range pools {
		i := slices.IndexFunc(c.Pools, func(own disruptkit.Pool) bool { return own.Name == p.Name })
		if i < 0 || c.Pools[i].Budgets == p.Budgets {
			continue
		}
		spec := c.pools[p.Name].Admitted
		before, after := c.Pools[i].Budgets.Budgets(), p.Budgets.Budgets()
		first := min(len(spec.Budgets), len(after))
		if len(after) < len(before) && first == len(spec.Budgets) && !slices.EqualFunc(before[:first], after[:first], sameBudget) {
			first-- // one of them is missing
		}
		spec.Budgets = after[:first:first]
		all[p.Name], _ = spec.Compile()
	}
	return all
}
