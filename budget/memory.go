package budget

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Start records when the disruption of a node started. Paces (Budget.Per) count starts. It is part of
// disruptkit.Memory.
//
// A start that no decision has Seen does not count while its node has a time that is no later than At: a condition's
// Since, or ReadySince. Then the node is still the old one, and its disruption did not start. If all times of the node
// are later, it is a new node of the same name, and the start counts. So if all times of a node are ahead of Input.Now,
// its start counts even if it never took place, and a blocker's Until may be too early, by up to Per.
type Start struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" means unknown, and counts for every pace
	At     time.Time        `json:"at"`              // zero is a mistake: the next decision sets its own time
	Seen   bool             `json:"seen,omitzero"`   // a decision has seen the node in flight, so it did start
	Over   bool             `json:"over,omitzero"`   // and a later one has seen it, or a new node of its name, not so
}

// Compare orders starts by time, then by node.
func (s Start) Compare(other Start) int {
	return cmp.Or(s.At.Compare(other.At), cmp.Compare(s.Node, other.Node))
}

// A Pace is the period of a pace that a pool has, or had until lately. Starts are remembered for that long.
type Pace struct {
	Per  string    `json:"per"`           // as in Budget.Per
	Gone time.Time `json:"gone,omitzero"` // when a decision first found no pace that long; zero: the pool has one
}

// A Soaking is the slots in use of a pool's budgets that soak (Budget.Soak).
type Soaking struct {
	// For is the longest soak that the pool has, as in Budget.Soak. Slots are remembered for that long.
	For string `json:"for,omitzero"`
	// Since is since when all slots are remembered. Earlier slots are unknown, and may soak until one soak after Since:
	// nothing is allowed until then. Zero: the next decision sets its own time.
	Since time.Time `json:"since,omitzero"`
	// Slots are the slots of nodes that are in flight, or gone, by node. A node has several if it returned, and was
	// disrupted again while the first one soaks.
	Slots []Slot `json:"places,omitempty"`
}

// A Slot is one node's slot of a budget that soaks, while the node is in flight and after it is gone.
type Slot struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why the node was disrupted; "" means unknown
	// Since is when the slot began to soak: when a decision first saw that the node is gone, and its replacement Ready.
	// Zero: it does not soak yet. If Seen is false, Since is when a decision allowed the node.
	Since time.Time `json:"since,omitzero"`
	Seen  bool      `json:"seen,omitzero"` // a decision has seen the node in flight, or gone
}

// A Spreading is the state of a roll that a budget spreads (Budget.Spread).
type Spreading struct {
	Reasons  []candidate.Reason `json:"reasons,omitzero"`  // of the budget; none: all
	Revision string             `json:"revision,omitzero"` // of the pool, or of all pools of a group, at that time
	Since    time.Time          `json:"since"`             // when the roll began
	// Last is the last start of the roll that is no longer in disruptkit.Memory.Starts.
	Last time.Time `json:"last,omitzero"`
}

// For reports whether two values are for the same roll.
func (s Spreading) For(other Spreading) bool {
	return slices.Equal(s.Reasons, other.Reasons) && s.Revision == other.Revision
}

// A Progress is the position of a rollout in its waves.
type Progress struct {
	Method   candidate.Reason `json:"method"`
	Revision string           `json:"revision,omitzero"` // of the pool, or of all pools of a group, at that time
	Waves    []string         `json:"waves"`             // as they were written
	// Baked is how many waves are done, and have baked.
	Baked int `json:"baked,omitzero"`
	// Pools are the pools of a group that roll, or have rolled since the roll began.
	Pools []string `json:"pools,omitempty"`
	// Done is how many waves are done while one of them bakes, and Since is since when it bakes. Zero: none bakes.
	Done  int       `json:"done,omitzero"`
	Since time.Time `json:"since,omitzero"`
}
