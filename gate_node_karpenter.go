package disruptkit

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// AsksNobody reports whether nodes go for a reason as soon as it holds: in Karpenter, expired nodes do. No budget, pod
// or annotation holds them back. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (f *fleet) AsksNobody(reason candidate.Reason) bool {
	return !dialect.ExpiredWait.In(f.Dialect) && candidate.Expired.Covers(reason)
}

// alreadyExpired returns what blocks an expired node in Karpenter: it does not belong to Karpenter, or it is in flight
// already, or the caller has blockers.
func alreadyExpired(n *candidate.Node) []candidate.Blocker {
	blockers := n.Blockers
	if n.Pool == "" {
		blockers = joined(
			[]candidate.Blocker{nodeBlocker(candidate.CodeUnmanaged, "the node belongs to no pool")}, blockers)
	}
	if n.Leaving != candidate.Staying {
		blockers = joined(
			[]candidate.Blocker{nodeBlocker(candidate.CodeDeleting, "the node is already being disrupted")}, blockers)
	}
	return blockers
}
