package engine

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// codeUnitInPart is the code of a node of a unit that Karpenter would not disrupt with the others. It is stable.
const codeUnitInPart candidate.Code = "unit-in-part"

// withUnits returns the input with what Karpenter can do with units for a reason. It repairs a broken node alone. It consolidates nodes by cost,
// so the guard lets it only if it offers all nodes of a unit, and the steward only if all are empty, or leave for another reason as well.
func (e Engine) withUnits(in disruptkit.Input, reason candidate.Reason) disruptkit.Input {
	if !slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Unit != "" }) {
		return in
	}
	in.Nodes = slices.Clone(in.Nodes)
	if candidate.Unhealthy.Covers(reason) {
		for i := range in.Nodes {
			in.Nodes[i].Unit = ""
		}
		return in
	}
	method := reason.Method()
	if method != candidate.Empty && method != candidate.Underutilized {
		return in
	}
	size, drifts := map[string]int{}, map[string]bool{}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		size[n.Unit]++
		drifts[n.Unit] = drifts[n.Unit] || !n.InFlight() && slices.ContainsFunc(voluntary[:3], func(r candidate.Reason) bool { return has(n, r) })
	}
	needs, why := method, fmt.Sprintf("Karpenter does not offer it for %s, and consolidates no part of a unit", method)
	if e == Steward {
		needs, why = candidate.Empty, "it is not empty, and Karpenter may consolidate a part of its unit, so the steward does not release it for that"
	}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if size[n.Unit] > 1 && n.Unit != "" && !n.InFlight() && !has(n, needs) && (e == Guard || !drifts[n.Unit]) {
			n.Blockers = append(slices.Clip(n.Blockers), candidate.Blocker{Gate: candidate.GateNode, Code: codeUnitInPart, Message: why})
		}
	}
	return in
}

// unitPools returns how many nodes of each pool are disrupted with a unit.
func unitPools(in disruptkit.Input) map[string]map[string]int {
	units := map[string]map[string]int{}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.Unit != "" && !n.InFlight() && n.Counted() {
			if units[n.Unit] == nil {
				units[n.Unit] = map[string]int{}
			}
			units[n.Unit][n.Pool]++
		}
	}
	return units
}
