package node

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// expired returns what holds back an expired node in Karpenter: it does not belong to Karpenter, or it goes already, or
// the caller has blockers.
func expired(n *candidate.Node) []candidate.Blocker {
	blockers := n.Blockers
	if n.Pool == "" {
		blockers = gate.Joined(
			[]candidate.Blocker{blocker(candidate.CodeUnmanaged, "the node belongs to no pool")}, blockers)
	}
	if n.Leaving != candidate.Staying {
		blockers = gate.Joined(
			[]candidate.Blocker{blocker(candidate.CodeDeleting, "the node is already being disrupted")}, blockers)
	}
	return blockers
}
