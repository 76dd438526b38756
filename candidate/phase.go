package candidate

import (
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Phase is how far a node has joined: it is launched, registers with the cluster, and runs once it is initialized. It
// is independent of Leaving and Rebooting.
//
// The zero Phase is unknown. No guess would be safe: as Running, a node could be disrupted while it still joins, and as
// joining, it would not be counted while it drains. So a node in an unknown phase is blocked, and counts as in flight
// for an unknown reason. Decisions warn of it.
type Phase uint8

const (
	Launched   Phase = iota + 1 // its instance is launched, and has not joined the cluster
	Registered                  // it has joined, but is not initialized; from now on it can be repaired
	Running                     // it is complete (Karpenter: Initialized), and its Ready condition is True
	NotReady                    // it is complete, and its Ready condition is not True
)

var phases = []string{Launched: "Launched", Registered: "Registered", Running: "Running", NotReady: "NotReady"}

// Known reports whether the phase is one of those above.
func (p Phase) Known() bool { return p > 0 && int(p) < len(phases) }

// Joining reports whether the node is not complete yet: it is Launched or Registered.
func (p Phase) Joining() bool { return p == Launched || p == Registered }

// String returns "Running", or "Phase(9)" for a phase that does not exist.
func (p Phase) String() string {
	if p.Known() {
		return phases[p]
	}
	return "Phase(" + strconv.Itoa(int(p)) + ")"
}

// Leaving is whether a node drains or terminates. The zero Leaving is Staying. It is apart from the Phase, since a node
// that drains may still join, or not be Ready: budgets count these differently.
type Leaving uint8

const (
	Staying     Leaving = iota // it is not marked for deletion
	Draining                   // it or its NodeClaim is marked for deletion, so it is in flight
	Terminating                // it is drained and its instance is terminating: in flight, but no longer counted
)

// String returns "Draining", or "Leaving(9)" for what does not exist.
func (l Leaving) String() string {
	names := []string{Staying: "Staying", Draining: "Draining", Terminating: "Terminating"}
	if int(l) < len(names) {
		return names[l]
	}
	return "Leaving(" + strconv.Itoa(int(l)) + ")"
}

// A Maintenance is a condition of a Kubernetes Node that an administrator or another program drains. (KEP-5683, Node
// Lifecycle Conditions.)
type Maintenance struct {
	Condition string    // its type, such as DrainInProgress; "": there is none
	Since     time.Time // when it became True; zero: unknown
}

// String returns "its condition DrainInProgress is True since 2026-11-20T10:00:00Z".
func (m Maintenance) String() string {
	text := "its condition " + wording.Quote(m.Condition) + " is True"
	if !m.Since.IsZero() {
		text += " since " + m.Since.UTC().Format(time.RFC3339)
	}
	return text
}
