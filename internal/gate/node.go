package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Node is the gate of the node itself. Is its pool known? Has the node joined? Is it free of do-not-disrupt and of the caller's own
// blockers? Has the reason held for long enough? A node goes once, for one of its reasons.
type Node struct {
	gone map[*candidate.Node]bool // nodes with several reasons that go for one of them
}

func openNode() *Node { return &Node{gone: map[*candidate.Node]bool{}} }

// Judge returns what holds back this node, and what the caller has against all nodes of its pool.
func (g *Node) Judge(r *Request) []candidate.Blocker {
	blockers := r.node
	if g.goesAlready(r) {
		already := nodeBlocker(candidate.CodeAlreadyAllowed, "the node is already allowed, for another of its reasons")
		blockers = joined([]candidate.Blocker{already}, blockers)
	}
	switch {
	case r.Kind != nil:
		blockers = joined(r.Pool.Blockers, blockers)
	case r.Node.Pool == "": // r.node says so
	case r.Pool == nil:
		unknown := nodeBlocker(candidate.CodeUnknownPool, fmt.Sprintf("the node's pool %.100q is not in the input", r.Node.Pool))
		blockers = joined([]candidate.Blocker{unknown}, blockers)
	default:
		unknown := nodeBlocker(candidate.CodeUnknownPool, "another pool has the name of the node's pool")
		blockers = joined([]candidate.Blocker{unknown}, blockers)
	}
	return blockers
}

// Go notes that a node goes for one of its reasons.
func (g *Node) Go(r *Request) {
	if r.several {
		g.gone[r.Node] = true
	}
}

// Return undoes Go.
func (g *Node) Return(r *Request) { delete(g.gone, r.Node) }

// goesAlready reports whether the node goes for another of its reasons.
func (g *Node) goesAlready(r *Request) bool { return r.several && g.gone[r.Node] }

// nodeItself returns what holds back the node itself, no matter which other nodes go.
func nodeItself(r *Request, now time.Time) []candidate.Blocker {
	var disruptAfter time.Duration
	if r.Kind != nil {
		disruptAfter = r.Pool.Budgets.DisruptAfter(r.Condition.Reason)
	}
	blockers := candidate.NodeGate(r.Node, *r.Condition, disruptAfter, now)
	if r.duplicate {
		blockers = slices.Insert(blockers, 0, nodeBlocker(candidate.CodeDuplicateNode, "another node has this name"))
	}
	return blockers
}

func nodeBlocker(code, message string) candidate.Blocker {
	return candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message}
}
