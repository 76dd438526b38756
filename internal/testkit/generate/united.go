package generate

import (
	"github.com/disruptkit/disruptkit"
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

// united puts about half of the nodes into units of a few nodes.
func united(s Source, in disruptkit.Input) disruptkit.Input {
	for i := range in.Nodes {
		in.Nodes[i].Unit = pick(s, "", "", "unit-1", "unit-2", "unit-3")
	}
	return in
}
