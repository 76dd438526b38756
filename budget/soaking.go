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
	// Since is since when all places are remembered. Places from before may soak until one soak later, and nobody knows
	// of them. So nothing goes until then. Zero: the next decision takes its own time.
	Since time.Time `json:"since,omitzero"`
	// Places are those of nodes that are in flight, or gone, by node. A node has several if it came back, and went
	// again while the first one soaks.
	Places []Place `json:"places,omitempty"`
}

// A Place is one node's use of a budget that soaks, while the node is in flight and after it is gone.
type Place struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why the node went; "" means unknown
	// Since is when the place began to soak: when a decision first saw that the node is gone, and its replacement
	// Ready. Zero: it does not soak yet. If Seen is false, Since is when a decision let the node go.
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
