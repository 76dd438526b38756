package disruptkit

import (
	"github.com/disruptkit/disruptkit/candidate"
)

// alreadyExpired returns what holds back an expired node in Karpenter: it does not belong to Karpenter, or it goes already, or
// the caller has blockers.
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
