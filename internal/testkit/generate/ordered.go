package generate

import "github.com/disruptkit/disruptkit"

// Ordered generates inputs whose pools and groups have orders of their own, some of which are broken, and nodes with
// costs and ranks, many of which are equal.
func Ordered(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Paced, Dated, Grouped, GroupedWaiting)
	for i := range in.Pools {
		spec := in.Pools[i].Budgets.Spec()
		spec.Order = order(s)
		in.Pools[i].Budgets, _ = spec.Compile()
	}
	for i := range in.Groups {
		spec := in.Groups[i].Budgets.Spec()
		spec.Order = order(s)
		in.Groups[i].Budgets, _ = spec.Compile()
	}
	for i := range in.Nodes {
		in.Nodes[i].Cost, in.Nodes[i].Rank = float64(s(3)), s.Between(-1, 2)
	}
	return in
}

func order(s Source) string {
	if s(20) == 19 {
		return "youngest"
	}
	return pick(s, "", "oldest", "newest", "cheapest", "rank")
}
