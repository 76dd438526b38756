package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Soaking is the places of a pool's nodes that are remembered for budgets that soak (Budget.Soak).
type Soaking struct {
	// For is the longest soak that the pool has, as in Budget.Soak. Places are remembered for that long.
	For string `json:"for,omitzero"`
	// Since is since when all places are remembered. Until one soak later, others may soak that nobody knows of. So
	// nothing goes until then.
	Since time.Time `json:"since,omitzero"`
	// Places are those of nodes that are in flight, or gone, by node. A node may have several: it came back, and went
	// again, while the first one soaks.
	Places []Place `json:"places,omitempty"`
}

// A Place is what a node took, and the node is gone, or in flight.
type Place struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" means unknown
	// Since is since when it soaks: when a decision first saw that the node is gone, and its replacement Ready. Zero:
	// it does not soak yet. If the node was not Seen, it is when a decision let it go.
	Since time.Time `json:"since,omitzero"`
	Seen  bool      `json:"seen,omitzero"` // a decision has seen the node in flight, or gone
}

// Equal reports whether the same is remembered.
func (s Soaking) Equal(other Soaking) bool {
	return s.For == other.For && s.Since.Equal(other.Since) &&
		slices.EqualFunc(s.Places, other.Places, func(a, b Place) bool {
			return a.Node == b.Node && a.Reason == b.Reason && a.Since.Equal(b.Since) && a.Seen == b.Seen
		})
}
