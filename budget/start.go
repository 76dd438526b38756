package budget

import (
	"cmp"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Start records when a node started to go. Paces (Budget.Per) count starts.
//
// A start that no decision has Seen does not count while its node has a time that is no later than At: a condition's
// Since, or ReadySince. Then the node is still the old one, and did not start. If all times of the node are later, it
// is a new node of the same name, and the start counts. So if all times of a node are ahead of Input.Now, its start
// counts even if it never took place, and for the time of Per fewer nodes go than a blocker's Until says.
type Start struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" means unknown, and counts for every pace
	At     time.Time        `json:"at"`              // zero is a mistake: the next decision takes it for its own time
	Seen   bool             `json:"seen,omitzero"`   // a decision has seen the node in flight, so it did start
	Over   bool             `json:"over,omitzero"`   // and a later one has seen it, or a new node of its name, not so
}

// Compare orders starts by time, then by node.
func (s Start) Compare(other Start) int {
	return cmp.Or(s.At.Compare(other.At), cmp.Compare(s.Node, other.Node))
}
