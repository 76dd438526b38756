package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is everything that a decision depends on. Functions never modify it.
type Input struct {
	Now    time.Time        // the time of the decision; zero is a mistake, and nothing is allowed
	Pools  []Pool           // all pools; nodes of other pools are never disrupted
	Groups []Group          // policies of several pools together
	Nodes  []candidate.Node // all nodes, even those without a reason to be disrupted, since budgets count them
	Rules  candidate.Rules  // the cluster's PodDisruptionBudgets, and other rules for pods
	// Verdicts are the verdicts of probes and breakers for the whole cluster. They apply to every pool.
	Verdicts []probe.Verdict
	// Pauses are people's requests not to disrupt nodes, such as during an incident. They apply in addition to
	// Verdicts.
	Pauses []probe.Pause
	// Gates are limits of the caller's own. Each function opens one for a session, on the input as the session reads
	// it: nodes in flight already use up its limit. They can only block more, overdue nodes included. Their order makes
	// no difference.
	Gates []func(Input) Gate
	// Memory is the Memory of the last decision, by pool, and by Group.Key.
	Memory map[string]Memory
	// Dialect selects the rules. With dialect.Karpenter, the decision is that of stock Karpenter with the same objects,
	// whatever the dialect in which Budgets and Rules were compiled: there are no groups, probes, pauses, deadlines,
	// turns, waves, paces, soaks, back-off or Memory, nodes with the same name are distinct, and expired nodes are
	// always allowed. Leave out pools without instance types, since Karpenter ignores them. Pod annotations are parsed
	// earlier, with the dialect of the kube.Parser.
	Dialect dialect.Dialect
}

// A Pool is a node pool and its policy. The zero policy is Karpenter's default: at most 10 % of the nodes at once.
type Pool struct {
	Name     string            // unique
	Labels   map[string]string // for probes that deny by label: the pool's labels, and those that all its nodes get
	Budgets  budget.Set
	Topology topology.Options    // for budgets with a topology key
	Verdicts []probe.Verdict     // of probes and breakers: all must allow a node; a roll that waits keeps its zone
	Blockers []candidate.Blocker // the caller's, for all nodes of the pool, such as a policy that cannot be read

	// Desired is how many nodes the pool should have, such as the replicas of a static NodePool. 0 means unknown. Nodes
	// that are missing (Desired less those that count, and less those that join) use up every budget except those for
	// Unhealthy. Otherwise a pool whose nodes are terminated before their replacements launch would be emptied, if the
	// replacements never launch. A negative number blocks all nodes of the pool. (Not in Karpenter.)
	Desired int
	// RepairBacksOff makes repair also wait while the pool's replacements fail (Memory.Backoff). By default only drift
	// and expiration wait, since keeping a broken node is worse than one more attempt.
	RepairBacksOff bool
	// Revision identifies the template of new nodes, such as the hash of the NodePool and its NodeClass. When it
	// changes, a roll in waves starts over with the first wave (budget.Rollout). "" means unknown.
	Revision string
}

// A Group is several pools with a policy of their own: "at most 3 nodes at once in all pools of prod", "one pool after
// the other", "one zone at a time, across pools". Groups may overlap. A node may be disrupted only if its pool and all
// groups of that pool allow it.
//
// A group may have all kinds of budgets. Percentages are of the nodes of all its pools. A sequential budget with the
// topologyKey karpenter.sh/nodepool disrupts one pool after the other, if nodes have that label. With the key of zones
// it rolls the same zone in all pools.
//
// If overlapping groups make domains take turns, the groups with the most pools decide first, and among these the first
// by name. In a later group, a domain loses its turn if an earlier group blocks all of its nodes. The pools' own turns
// are last. So no two groups wait for each other for ever.
//
// A group that names a pool that is not in the input, or that shares its name with another group, cannot be enforced:
// it blocks all nodes of its pools, with a warning (candidate.CodeInvalidGroup). Karpenter has no groups.
type Group struct {
	Name  string   // unique among groups; a pool may have the same name
	Pools []string // their names; a group without pools limits nothing, with a warning
	// Budgets limit all its pools together. Exported for callers of Decide, who write groups.
	Budgets budget.Set
	// Topology has the options for budgets with a topology key. Exported for callers of Decide, who write groups.
	Topology topology.Options
	Verdicts []probe.Verdict     // of probes and breakers, for all its pools
	Blockers []candidate.Blocker // the caller's, for all nodes of its pools
}

// Key returns the group's key in Input.Memory and Decision.Memory. No pool of Kubernetes has a slash in its name.
func (g Group) Key() string { return "group/" + g.Name }

// Apply returns the input with d's Memory and all nodes that d allows in flight. Decide the next reason on it, and no
// budget and no PodDisruptionBudget is spent twice. It keeps Now, and does not modify in.
//
// Apply identifies nodes by name and pool. In Karpenter's dialect several nodes may share both: if one of them is
// allowed, all of them count as in flight.
func (in Input) Apply(d Decision) Input {
	in.Memory = d.Memory
	if len(d.Allowed) == 0 {
		return in
	}
	reasons := make(map[node]candidate.Reason, len(d.Allowed))
	for _, c := range d.Allowed {
		reasons[node{c.Node, c.Pool}] = c.Reason
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if reason, ok := reasons[node{n.Name, n.Pool}]; ok {
			n.Leaving, n.DisruptedFor = max(n.Leaving, candidate.Draining), reason
		}
	}
	return in
}
