package generate

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// United generates inputs without budgets for single zones in which units are disrupted together.
func United(s Source) disruptkit.Input {
	return united(s, oneOf(s, Unzoned, Single, Paced, Soaked, Waved, Waiting, Tied, Aged, DatedUnzoned, Desired,
		Ordered))
}

// UnitedInZones generates inputs with budgets for single zones in which units are disrupted together.
func UnitedInZones(s Source) disruptkit.Input {
	return united(s, oneOf(s, Input, WaitingInZones, Turning, GroupedInZones))
}

// united puts about half of the nodes into units of a few nodes of one pool. Some pools allow large ones alone.
func united(s Source, in disruptkit.Input) disruptkit.Input {
	alone := func(set *budget.Set) {
		if spec := set.Spec(); s.Bool() {
			spec.Oversized = pick(s, "alone", "alone", "alone", "always")
			*set, _ = spec.Compile()
		}
	}
	for i := range in.Pools {
		alone(&in.Pools[i].Budgets)
	}
	for i := range in.Groups {
		alone(&in.Groups[i].Budgets)
	}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; s.Bool() {
			n.Unit = n.Pool + pick(s, " 1", " 2")
		}
	}
	return in
}
