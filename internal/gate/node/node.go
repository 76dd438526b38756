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
	gone  map[*candidate.Node]bool // nodes with several reasons that are disrupted for one of them
}

// New returns the gate of a fleet.
func New(f *gate.Fleet) *Gate { return &Gate{f, map[*candidate.Node]bool{}} }

// Read finds out what blocks the node itself.
func (g *Gate) Read(r *gate.Request) {
	if g.fleet.AsksNobody(r.Condition.Reason) {
		r.Itself = expired(r.Node)
		return
	}
	r.Itself = itself(r, g.fleet.Now)
}

// Allows reports whether nothing blocks the node.
func (g *Gate) Allows(r *gate.Request) bool {
	return r.Kind != nil && len(r.Itself) == 0 && len(r.Pool.Blockers) == 0 && !g.disrupted(r)
}

// Blockers returns what blocks this node, and what the caller has against all nodes of its pool.
func (g *Gate) Blockers(r *gate.Request) []candidate.Blocker {
	blockers := r.Itself
	if g.disrupted(r) {
		already := blocker(candidate.CodeAlreadyAllowed, "the node is already disrupted for another of its reasons")
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

// Until returns no time: time alone does not block a node.
func (g *Gate) Until(*gate.Request) (never time.Time) { return never }

// NextChange returns no time. What blocks a node says itself when that lifts.
func (g *Gate) NextChange() (never time.Time) { return never }

// Count notes that a node is disrupted for one of its reasons.
func (g *Gate) Count(r *gate.Request, n int) {
	switch {
	case !r.Several():
	case n > 0:
		g.gone[r.Node] = true
	default:
		delete(g.gone, r.Node)
	}
}

// disrupted reports whether the node is disrupted for another of its reasons.
func (g *Gate) disrupted(r *gate.Request) bool { return r.Several() && g.gone[r.Node] }

// itself returns what blocks the node itself, whatever else is disrupted.
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
