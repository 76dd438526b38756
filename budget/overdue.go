package budget

import "github.com/disruptkit/disruptkit/candidate"

// Overdue returns how many nodes may be disrupted at once for a reason once nodes are overdue, whatever the windows of
// budgets: the lowest limit above 0 of all budgets for the reason, paces included, active or not, or 1 if no limit is
// above 0. Broken budgets, and a reason that no budget can know, allow nothing.
func (s *Limits) Overdue(nodes int, reason candidate.Reason) Allowance {
	if !s.Knows(reason) || s.BrokenFor(reason) {
		return Allowance{}
	}
	least, zeros := Allowance{Nodes: Unlimited}, Allowance{Nodes: 1}
	for _, list := range [][]Limit{s.Pool, s.Paces} {
		for i := range list {
			b := &list[i]
			switch {
			case !b.Covers(reason):
			case b.Limit.Of(nodes) > 0:
				least.limit(b, nodes)
			default:
				zeros.Binding.Add(b.Index)
			}
		}
	}
	if least.Nodes == Unlimited {
		return zeros
	}
	return least
}
