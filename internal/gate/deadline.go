package gate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Misdated is a condition of a node with a deadline before its reason began to hold.
type Misdated struct {
	Node string
	candidate.Condition
}

// readDeadlines sets the deadline of their pool's controls on conditions without a valid one. It copies the nodes of
// such pools.
func (f *Fleet) readDeadlines() {
	if !slices.ContainsFunc(f.Pools, (*Pool).hasDeadlines) {
		return
	}
	f.Nodes = slices.Clone(f.Nodes)
	for i := range f.Nodes {
		p := f.Pool(i)
		if p == nil || !p.hasDeadlines() {
			continue
		}
		n := &f.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			c := &n.Conditions[j]
			own := *c
			c.Deadline = Deadline(own, p.Budgets)
			if ignored := !own.Deadline.IsZero() && c.Deadline != own.Deadline; ignored && f.Reason.Covers(c.Reason) {
				f.Misdated = append(f.Misdated, Misdated{n.Name, own})
			}
		}
	}
}

// Deadline returns the deadline of a condition of a node: its own, or else that of the controls of the node's pool. One
// before Since is invalid, and is returned only if the pool has none. Zero means none.
func Deadline(c candidate.Condition, pool budget.Set) time.Time {
	after := pool.Deadline(c.Reason)
	if c.HasDeadline() || c.Since.IsZero() || after == candidate.Forever {
		return c.Deadline
	}
	return c.Since.Add(after)
}

func (p *Pool) hasDeadlines() bool { return !p.Ambiguous && p.Limits().Deadlines.Ever() }
