package naive

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/dialect"
)

// ordered returns requests, which are in line by age, in the orders of groups and pools: first those of groups, in the
// sequence of layered, then those of pools. Repair has none. Only requests with the same deadline, or without one,
// change places; and of these, those with which waves begin stay first.
func ordered(in disruptkit.Input, all []request) []request {
	if in.Dialect == dialect.Karpenter {
		return all
	}
	scopes := layered(in)
	for _, p := range in.Pools {
		other := func(o disruptkit.Pool) bool { return o.Name != p.Name }
		if len(slices.DeleteFunc(slices.Clone(in.Pools), other)) == 1 {
			scopes = append(scopes, scope{Pool: p, pools: []string{p.Name}})
		}
	}
	for _, s := range scopes {
		swapped := true
		for swapped { // always the first two neighbours of the scope that stand the wrong way round
			swapped = false
			last := -1
			for i := range all {
				if !s.has(all[i].node) || all[i].c.Reason.Method() == "Unhealthy" {
					continue
				}
				same := last >= 0 && all[last].c.Deadline.Equal(all[i].c.Deadline) &&
					first(in, all[last]) == first(in, all[i])
				if same && before(s.Budgets.Spec().Order, all[i], all[last]) {
					all[i], all[last], swapped = all[last], all[i], true
				}
				last = i
			}
		}
	}
	return all
}

// before reports whether an order puts one request before another one.
func before(order string, a, b request) bool {
	switch order {
	case "newest":
		return a.c.Since.After(b.c.Since)
	case "cheapest":
		return a.node.Cost < b.node.Cost
	case "rank":
		return a.node.Rank < b.node.Rank
	}
	return false
}
