package gate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// readDeadlines sets the deadline of their pool's controls on conditions without one. It copies the nodes of such
// pools.
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
			n.Conditions[j].Deadline = Deadline(n.Conditions[j], p.Budgets)
		}
	}
}

// Deadline returns the deadline of a condition of a node: its own, even one that is before Since, or else that of the
// controls of the node's pool. Zero means none.
func Deadline(c candidate.Condition, pool budget.Set) time.Time {
	after := pool.Deadline(c.Reason)
	if !c.Deadline.IsZero() || c.Since.IsZero() || after == candidate.Forever {
		return c.Deadline
	}
	return c.Since.Add(after)
}

func (p *Pool) hasDeadlines() bool { return !p.Ambiguous && p.Limits().Deadlines.Ever() }
