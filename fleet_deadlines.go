package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// A misdated is a condition of a node with a deadline before its reason began to hold.
type misdated struct {
	Node string
	candidate.Condition
}

// readDeadlines sets the deadline of their pool's controls on conditions without a valid one. It copies the nodes of
// such pools.
func (f *fleet) readDeadlines() {
	if !slices.ContainsFunc(f.Pools, (*scope).hasDeadlines) {
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
			c.Deadline = p.Budgets.DeadlineOf(own)
			if ignored := !own.Deadline.IsZero() && c.Deadline != own.Deadline; ignored && f.Reason.Covers(c.Reason) {
				f.Misdated = append(f.Misdated, misdated{n.Name, own})
			}
		}
	}
}

func (p *scope) hasDeadlines() bool { return !p.Ambiguous && p.Budgets.HasDeadlines() }
