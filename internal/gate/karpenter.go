package gate

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// asksNobody reports whether nodes go for a reason as soon as it holds: in Karpenter, where they have expired. No budget, no pod and no
// annotation holds that back. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (in *Input) asksNobody(reason candidate.Reason) bool {
	return in.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason)
}

// expired returns what holds back a node that asks nobody: that it is none of Karpenter's, or goes already, and what the caller has
// against it.
func expired(n *candidate.Node) []candidate.Blocker {
	blockers := n.Blockers
	if n.Pool == "" {
		blockers = joined([]candidate.Blocker{nodeBlocker(candidate.CodeUnmanaged, "the node belongs to no pool")}, blockers)
	}
	if n.Deleting || n.InstanceTerminating {
		blockers = joined([]candidate.Blocker{nodeBlocker(candidate.CodeDeleting, "the node is already being disrupted")}, blockers)
	}
	return blockers
}
