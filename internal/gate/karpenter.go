package gate

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// asksNobody reports whether nodes go for a reason as soon as it holds: in Karpenter, expired nodes do. No budget, pod
// or annotation holds them back. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (in *Input) asksNobody(reason candidate.Reason) bool {
	return in.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason)
}

// expired returns what holds back an expired node in Karpenter: it does not belong to Karpenter, or it goes already, or
// the caller has blockers.
func expired(n *candidate.Node) []candidate.Blocker {
	blockers := n.Blockers
	if n.Pool == "" {
		blockers = joined([]candidate.Blocker{nodeBlocker(candidate.CodeUnmanaged, "the node belongs to no pool")}, blockers)
	}
	if n.Leaving != candidate.Staying {
		blockers = joined([]candidate.Blocker{nodeBlocker(candidate.CodeDeleting, "the node is already being disrupted")}, blockers)
	}
	return blockers
}
