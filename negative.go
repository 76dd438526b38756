package disruptkit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/trait"
	"github.com/disruptkit/disruptkit/topology"
)

// withoutNegatives returns the input in which the nodes of each pool and group with a negative number or duration are
// blocked, with a warning for each: it is unclear what was meant.
func (in Input) withoutNegatives() (Input, []candidate.Warning) {
	var warnings []candidate.Warning
	blocked := func(object string, desired int, o topology.Options, blockers []candidate.Blocker) []candidate.Blocker {
		for _, w := range in.negatives(desired, o) {
			w.Object = object
			warnings = append(warnings, w)
			blockers = append(slices.Clip(blockers),
				candidate.Blocker{Gate: candidate.GateNode, Code: w.Code, Message: w.Message})
		}
		return blockers
	}
	pools, groups := slices.Clone(in.Pools), slices.Clone(in.Groups)
	for i := range pools {
		p := &pools[i]
		p.Blockers = blocked("NodePool/"+p.Name, p.Desired, p.Topology, p.Blockers)
	}
	for i := range groups {
		g := &groups[i]
		g.Blockers = blocked("Group/"+g.Name, 0, g.Topology, g.Blockers)
	}
	if len(warnings) > 0 {
		in.Pools, in.Groups = pools, groups
	}
	slices.SortStableFunc(warnings, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, warnings
}

// negatives returns a warning for each negative number or duration of a pool or a group.
func (in Input) negatives(desired int, o topology.Options) (all []candidate.Warning) {
	add := func(field, value, instead string) {
		all = append(all, candidate.Warning{
			Code: candidate.CodeNegative, Field: field, Value: value,
			Message: fmt.Sprintf("%s %s is negative: %s; until then, no node is disrupted", field, value, instead),
		})
	}
	if desired < 0 {
		add("Desired", fmt.Sprint(desired), "write how many nodes the pool should have, or 0 for unknown")
	}
	if !trait.Turns.In(in.Dialect) {
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
