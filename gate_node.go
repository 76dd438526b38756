package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// nodeGate is the gate of the node itself. Is its pool known? Has the node joined? Is it free of do-not-disrupt and of
// the caller's own blockers? Has the reason held for long enough, and is the node old enough? Is it not disrupted for
// another reason?
type nodeGate struct {
	still
	fleet *fleet
	gone  map[*candidate.Node]bool // nodes with several reasons that are disrupted for one of them
}

func newNodeGate(f *fleet) *nodeGate { return &nodeGate{fleet: f, gone: map[*candidate.Node]bool{}} }

// Read sets what blocks the node itself.
func (g *nodeGate) Read(r *request) {
	if g.fleet.AsksNobody(r.Condition.Reason) {
		r.Itself = alreadyExpired(r.Node)
		return
	}
	r.Itself = blockersOfNode(r, g.fleet.Now)
}

// Allows reports whether nothing blocks the node.
func (g *nodeGate) Allows(r *request) bool {
	return r.Kind != nil && len(r.Itself) == 0 && len(r.Pool.Blockers) == 0 && !g.disrupted(r)
}

// Blockers returns what blocks this node, and the caller's blockers of its pool.
func (g *nodeGate) Blockers(r *request) []candidate.Blocker {
	blockers := r.Itself
	if g.disrupted(r) {
		blockers = before(blockers, candidate.CodeAlreadyAllowed,
			"the node is already disrupted for another of its reasons")
	}
	switch {
	case r.Kind != nil:
		return joined(r.Pool.Blockers, blockers)
	case r.Node.Pool == "": // Itself has that
		return blockers
	case r.Pool == nil:
		return before(blockers, candidate.CodeUnknownPool,
			fmt.Sprintf("the node's pool %.100q is not in the input", r.Node.Pool))
	default:
		return before(blockers, candidate.CodeUnknownPool, "another pool has the name of the node's pool")
	}
}

// Count records that a node is disrupted for one of its reasons.
func (g *nodeGate) Count(r *request, n int, _ bool) {
	switch {
	case !r.Several:
	case n > 0:
		g.gone[r.Node] = true
	default:
		delete(g.gone, r.Node)
	}
}

func (g *nodeGate) disrupted(r *request) bool { return r.Several && g.gone[r.Node] }

func blockersOfNode(r *request, now time.Time) []candidate.Blocker {
	var least candidate.Minimum
	if r.Kind != nil {
		least = r.Kind.Least
	}
	blockers := candidate.NodeGate(r.Node, *r.Condition, least, now)
	if r.Duplicate {
		blockers = before(blockers, candidate.CodeDuplicateNode, "another node has this name")
	}
	return blockers
}

// before returns blockers with another one of the node before them.
func before(blockers []candidate.Blocker, code candidate.Code, message string) []candidate.Blocker {
	return joined([]candidate.Blocker{nodeBlocker(code, message)}, blockers)
}

func nodeBlocker(code candidate.Code, message string) candidate.Blocker {
	return candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message}
}

// AsksNobody reports whether no budget, pod or annotation blocks nodes for a reason: in Karpenter, expired nodes are
// always disrupted. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (f *fleet) AsksNobody(reason candidate.Reason) bool {
	return f.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason)
}

// alreadyExpired returns what blocks an expired node in Karpenter: it is not Karpenter's, it is already in flight, or
// the caller has blockers.
func alreadyExpired(n *candidate.Node) []candidate.Blocker {
	blockers := n.Blockers
	if n.Pool == "" {
		blockers = before(blockers, candidate.CodeUnmanaged, "the node belongs to no pool")
	}
	if n.Leaving != candidate.Staying {
		blockers = before(blockers, candidate.CodeDeleting, "the node is already being disrupted")
	}
	return blockers
}
