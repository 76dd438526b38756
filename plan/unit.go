package plan

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// united returns the input in which each node of a unit (candidate.Node.Unit) has the reasons of all, so that the plan
// expects it to be disrupted. Decisions find out which condition counts.
func united(in disruptkit.Input) disruptkit.Input {
	units := map[string][]candidate.Condition{}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.Unit != "" && in.Dialect != dialect.Karpenter {
			units[n.Unit] = append(units[n.Unit], n.Conditions...)
		}
	}
	if len(units) == 0 {
		return in
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if n.InFlight() {
			continue
		}
		for _, c := range units[n.Unit] {
			has := func(o candidate.Condition) bool { return o.Reason == c.Reason }
			if !slices.ContainsFunc(n.Conditions, has) {
				n.Conditions = append(slices.Clip(n.Conditions), c)
			}
		}
	}
	return in
}
