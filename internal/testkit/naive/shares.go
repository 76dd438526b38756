package naive

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// reserved returns how many of the nodes that a pool's budgets allow others must leave, while some nodes are in use.
func (d *decision) reserved(p scope, allowed, nodes int, reason candidate.Reason, users []candidate.Reason) (n int) {
	for i, b := range p.Budgets.Budgets() {
		if !b.Guaranteed || p.Budgets.Broken().Has(i) || d.in.Dialect == dialect.Karpenter || !active(b, d.in.Now) {
			continue
		}
		names := func(reason candidate.Reason) bool {
			return slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
				r, _ = candidate.ParseReason(string(r))
				return r.Covers(reason)
			})
		}
		written, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		share, _ := budget.AllowedByReason(written, d.in.Now, nodes, "")
		share.Nodes = min(share.Nodes, allowed)
		allowed -= share.Nodes // of shares that are too large, the first in the list count
		using := 0
		for _, user := range users {
			if user != "" && names(user) {
				using++
			}
		}
		switch {
		case names(reason) && using < share.Nodes:
			return 0
		case !names(reason) && using < share.Nodes:
			n += min(share.Nodes-using, d.demand(p, names))
		}
	}
	return n
}

// demand returns how many nodes of a pool have a reason that nothing but budgets blocks.
func (d *decision) demand(p scope, names func(candidate.Reason) bool) int {
	waiting, others := map[int]bool{}, *d
	others.butBudgets = true
	for at, n := range d.in.Nodes {
		for i, c := range n.Conditions {
			counts := p.has(n) && n.Counted() && !n.InFlight() && n.Phase.Known()
			if !counts || !names(c.Reason) || repeated(d.in, n, i) {
				continue
			}
			c.Deadline = Deadline(d.in, n, c)
			if r := (request{n, c, at}); !d.allows(r) && len(others.judge(r)) == 0 {
				waiting[at] = true
			}
		}
	}
	return len(waiting)
}
