// Package node is the gate of the node itself. Is its pool known? Has the node joined? Is it free of do-not-disrupt and
// of the caller's own blockers? Has the reason held for long enough, and is the node old enough? A node goes once, for
// one of its reasons.
package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
)

// Gate is the gate of nodes.
type Gate struct {
	fleet *gate.Fleet
	gone  map[*candidate.Node]bool // nodes with several reasons that go for one of them
}

// New returns the gate of a fleet.
func New(f *gate.Fleet) *Gate { return &Gate{f, map[*candidate.Node]bool{}} }

// Read finds out what holds back the node itself.
func (g *Gate) Read(r *gate.Request) {
	if g.fleet.AsksNobody(r.Condition.Reason) {
		r.Itself = expired(r.Node)
		return
	}
	r.Itself = itself(r, g.fleet.Now)
}

// Judge returns what holds back this node, and what the caller has against all nodes of its pool.
func (g *Gate) Judge(r *gate.Request) []candidate.Blocker {
	blockers := r.Itself
	if g.GoesAlready(r) {
		already := blocker(candidate.CodeAlreadyAllowed, "the node is already allowed, for another of its reasons")
		blockers = gate.Joined([]candidate.Blocker{already}, blockers)
	}
	switch {
	case r.Kind != nil:
		blockers = gate.Joined(r.Pool.Blockers, blockers)
	case r.Node.Pool == "": // Itself says so
	case r.Pool == nil:
		unknown := blocker(candidate.CodeUnknownPool,
			fmt.Sprintf("the node's pool %.100q is not in the input", r.Node.Pool))
		blockers = gate.Joined([]candidate.Blocker{unknown}, blockers)
	default:
		unknown := blocker(candidate.CodeUnknownPool, "another pool has the name of the node's pool")
		blockers = gate.Joined([]candidate.Blocker{unknown}, blockers)
	}
	return blockers
}

// Go notes that a node goes for one of its reasons.
func (g *Gate) Go(r *gate.Request) {
	if r.Several() {
		g.gone[r.Node] = true
	}
}

// Return undoes Go.
func (g *Gate) Return(r *gate.Request) { delete(g.gone, r.Node) }

// GoesAlready reports whether the node goes for another of its reasons.
func (g *Gate) GoesAlready(r *gate.Request) bool { return r.Several() && g.gone[r.Node] }

// itself returns what holds back the node itself, no matter which other nodes go.
func itself(r *gate.Request, now time.Time) []candidate.Blocker {
	var least candidate.Minimum
	if r.Kind != nil {
		for _, k := range r.Kind.Within {
			if k != nil {
				b, reason := k.Pool.Budgets, r.Condition.Reason
				least.Held, least.Age = max(least.Held, b.DisruptAfter(reason)), max(least.Age, b.MinAge(reason))
			}
		}
	}
	blockers := candidate.NodeGate(r.Node, *r.Condition, least, now)
	if r.Duplicate() {
		blockers = slices.Insert(blockers, 0, blocker(candidate.CodeDuplicateNode, "another node has this name"))
	}
	return blockers
}

func blocker(code candidate.Code, message string) candidate.Blocker {
	return candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message}
}
