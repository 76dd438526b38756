package disruptkit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/topology"
)

// withoutNegatives returns the input in which the nodes of each pool and group with a negative number or duration are
// blocked, with a warning for each: it is unclear what was meant.
func (in Input) withoutNegatives() (Input, []candidate.Warning) {
	var warnings []candidate.Warning
	given := in
	for i, p := range given.Pools {
		if faults := in.negatives("NodePool/"+p.Name, p.Desired, p.Topology); len(faults) > 0 {
			if warnings = append(warnings, faults...); &in.Pools[0] == &given.Pools[0] {
				in.Pools = slices.Clone(in.Pools)
			}
			in.Pools[i].Blockers = blockedBy(p.Blockers, faults)
		}
	}
	for i, g := range given.Groups {
		if faults := in.negatives("Group/"+g.Name, 0, g.Topology); len(faults) > 0 {
			if warnings = append(warnings, faults...); &in.Groups[0] == &given.Groups[0] {
				in.Groups = slices.Clone(in.Groups)
			}
			in.Groups[i].Blockers = blockedBy(g.Blockers, faults)
		}
	}
	slices.SortStableFunc(warnings, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, warnings
}

// blockedBy returns blockers, with one more for each fault.
func blockedBy(blockers []candidate.Blocker, faults []candidate.Warning) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for _, w := range faults {
		blockers = append(blockers, candidate.Blocker{Gate: candidate.GateNode, Code: w.Code, Message: w.Message})
	}
	return blockers
}

// negatives returns a warning for each negative number or duration of a pool or a group.
func (in Input) negatives(object string, desired int, o topology.Options) (all []candidate.Warning) {
	add := func(field, value, instead string) {
		all = append(all, candidate.Warning{
			Code: candidate.CodeNegative, Object: object, Field: field, Value: value,
			Message: fmt.Sprintf("%s %s is negative: %s; until then, no node is disrupted", field, value, instead),
		})
	}
	if desired < 0 {
		add("Desired", fmt.Sprint(desired), "write how many nodes the pool should have, or 0 for unknown")
	}
	if !dialect.Turns.In(in.Dialect) {
		return all
	}
	if o.Patience < 0 && o.Patience != topology.NoPatience {
		add("Topology.Patience", o.Patience.String(), "write 0 for 15 minutes, or topology.NoPatience")
	}
	if o.Soak < 0 {
		add("Topology.Soak", o.Soak.String(), "write how long a finished domain must soak, or 0 for no time")
	}
	return all
}
