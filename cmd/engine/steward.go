package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// voluntary are the methods that one annotation of Karpenter blocks, do-not-disrupt. Repair has one of its own. What has expired as
// budgets let it, and what somebody asks for, the steward makes drift.
var voluntary = []candidate.Reason{candidate.Requested, candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized}

// Stewarded decides as Karpenter with the steward does: as Guarded, but a node may be disrupted only if each of its reasons allows it,
// since nobody knows for which of them Karpenter takes what is released. Which nodes are disrupted of those that compete for slots for
// another of their reasons, only the steward knows.
func Stewarded(in disruptkit.Input, karpenters map[string]budget.Set, reason candidate.Reason) disruptkit.Decision {
	in = Steward.withUnits(in, reason)
	var mixed []int // positions of nodes
	for i := range in.Nodes {
		if Several(&in.Nodes[i]) {
			mixed = append(mixed, i)
		}
	}
	why := map[string]candidate.Blocker{} // by node
	var change time.Time                  // of that
	for _, other := range voluntary {
		if !slices.ContainsFunc(mixed, func(i int) bool { return has(&in.Nodes[i], other) }) {
			continue
		}
		alone, karpenter := openGuarded(in, other, Steward.karpenterDecides(karpenters, other)) // what blocks each node whatever the others do
		said := alone.Close()
		change = schedule.First(change, schedule.First(said.NextChange, karpenter.NextChange))
		for _, c := range said.Blocked {
			b := c.Blockers[0]
			b.Message = fmt.Sprintf("%s blocks it, and nobody knows which of its reasons Karpenter takes: %s", c.Reason, b.Message)
			why[c.Node] = b
		}
	}
	if len(why) > 0 {
		in.Nodes = slices.Clone(in.Nodes)
	}
	for _, i := range mixed {
		n := &in.Nodes[i]
		if b, held := why[n.Name]; held && !candidate.Unhealthy.Covers(reason) {
			n.Blockers = append(slices.Clip(n.Blockers), b)
		}
	}
	d := guarded(in, reason, Steward.karpenterDecides(karpenters, reason))
	d.NextChange = schedule.First(d.NextChange, change)
	return d
}

// has reports whether a node has a reason of a method.
func has(n *candidate.Node, method candidate.Reason) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return method.Covers(c.Reason) })
}

// Several reports whether Karpenter could take a node for one of several reasons, of one method or more.
func Several(n *candidate.Node) bool {
	count := 0
	for _, c := range n.Conditions {
		if slices.Contains(voluntary, c.Reason.Method()) {
			count++
		}
	}
	return count > 1
}
