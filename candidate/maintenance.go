package candidate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Maintenance is a condition of a Kubernetes Node that says that somebody disrupts the node: an administrator, or a
// program that drains nodes. (KEP-5683, Node Lifecycle Conditions.)
type Maintenance struct {
	Condition string    // its type, such as DrainInProgress; "": there is none
	Since     time.Time // when it became True; zero: unknown
}

// inMaintenance are the types of these conditions, the one that tells most first. MaintenancePlanned is not one of
// them: before planned maintenance, one wants the node to be replaced.
var inMaintenance = []string{"MaintenanceInProgress", "Drained", "DrainInProgress"}

// MaintenanceConditions returns the types of the conditions that [Node.Maintain] knows.
func MaintenanceConditions() []string { return slices.Clone(inMaintenance) }

// Maintain notes a condition of the Kubernetes Node that is True. If the condition says that somebody disrupts the
// node, and the node is not Leaving already, it is now in flight for an unknown reason. All other conditions are
// ignored. Call it once all other fields are set, for the conditions in any order.
func (n *Node) Maintain(m Maintenance) {
	rank := slices.Index(inMaintenance, m.Condition)
	known := slices.Index(inMaintenance, n.Maintenance.Condition)
	if rank < 0 || n.Leaving != Staying && (known < 0 || known < rank) {
		return
	}
	n.Leaving, n.Maintenance = Draining, m
}

// String returns "its condition DrainInProgress is True since 2026-11-20T10:00:00Z".
func (m Maintenance) String() string {
	text := "its condition " + wording.Quote(m.Condition) + " is True"
	if !m.Since.IsZero() {
		text += " since " + m.Since.UTC().Format(time.RFC3339)
	}
	return text
}
