package disruptkit

import (
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Group is several pools with a policy of their own: "at most 3 nodes at once in all pools of prod", "one pool after
// the other", "one zone at a time, across pools". A pool is the smallest group, and all pools are the largest. Groups
// may overlap. A node goes only if its pool lets it go, and each group of that pool does, too.
//
// A group's budgets can say everything that a pool's can. Percentages are of the nodes of all its pools. A sequential
// budget with the topologyKey karpenter.sh/nodepool takes one pool after the other, if nodes have that label. One with
// the key of zones rolls the same zone in all pools.
//
// If overlapping groups make domains take turns, the groups with the most pools decide first, and of these the first by
// name. In a later group, a domain gives up its turn if an earlier group holds back all of its nodes. The pools' own
// turns come last. So no two of them wait for each other for ever.
//
// A group that cannot be enforced lets no node of its pools go, with a warning (candidate.CodeInvalidGroup): one that
// names a pool that is not in the input, or that shares its name with another group. Karpenter has no groups.
type Group struct {
	Name  string   // unique among groups; a pool may have the same name
	Pools []string // their names; a group without pools limits nothing, with a warning
	// Budgets are those of all its pools together. Exported for callers of Decide, who write groups.
	Budgets budget.Set
	// Topology has the options for budgets with a topology key. Exported for callers of Decide, who write groups.
	Topology topology.Options
	Verdicts []probe.Verdict     // of probes and breakers, for all its pools
	Blockers []candidate.Blocker // the caller's, for all nodes of its pools
}

// Key returns where Input.Memory and Decision.Memory have the memory of the group.
func (g Group) Key() string { return groupKey(g.Name) }
