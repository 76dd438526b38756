package lint

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Facts are what [Run] may know of a NodePool besides its budgets. The zero value of a field means that it is not
// known; then Run finds nothing that depends on it.
type Facts struct {
	// Nodes is how many nodes the pool has. 0 or less counts as Replicas, or else as 100, and NodeLimit at most.
	Nodes int
	// Unit is how many nodes the largest unit of the pool has (candidate.Node.Unit). 0 means that it has none.
	Unit int
	// ExpireAfter is how old nodes get before they expire without asking a budget, as in Karpenter
	// (spec.template.spec.expireAfter, 720h by default). Leave it 0 for "Never", and for an autoscaler that asks
	// budgets.
	ExpireAfter time.Duration
	// GracePeriod is how long a drain may last (spec.template.spec.terminationGracePeriod).
	GracePeriod time.Duration
	// AsksToExpire means that budgets are asked before nodes are replaced for their age, as Karpenter with disruptkit's
	// guard or steward does if a NodePool has the annotation disruptkit.dev/expire. ExpireAfter, if it is not 0, is the
	// age at which nodes expire even so.
	AsksToExpire bool
	// Replicas is the fixed number of nodes of a static NodePool (spec.replicas). Such a pool is never consolidated.
	Replicas int
	// NodeLimit is the most nodes that the pool may have (spec.limits.nodes).
	NodeLimit int
	// Probed means that probes are asked before nodes of the pool are disrupted.
	Probed bool
	// Never are reasons for which none of the pool's nodes is disrupted, whatever the budgets allow: Underutilized if
	// the consolidationPolicy is WhenEmpty, for example. If the budget.Spec says so itself, they need not be listed
	// here.
	Never []candidate.Reason
}

// excludes reports whether no node of the pool ever goes for a reason.
func (f Facts) excludes(r candidate.Reason) bool {
	if f.Replicas > 0 && (candidate.Empty.Covers(r) || candidate.Underutilized.Covers(r)) {
		return true
	}
	return slices.ContainsFunc(f.Never, func(never candidate.Reason) bool { return never.Covers(r) })
}
