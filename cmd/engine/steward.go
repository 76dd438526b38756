package engine

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// voluntary are the methods that one annotation of Karpenter holds back, do-not-disrupt. Repair has one of its own. What has expired as
// budgets let it, the steward makes drift.
var voluntary = []candidate.Reason{candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized}

// Stewarded decides as Karpenter with the steward does: as Guarded, but a node goes only if it may go for each of its reasons, since
// nobody knows for which of them Karpenter takes what is released. Which nodes go of those that compete for places for another of their
// reasons, only the steward knows.
func Stewarded(in disruptkit.Input, karpenters map[string]budget.Set, reason candidate.Reason) disruptkit.Decision {
	why := map[string]candidate.Blocker{} // by node
	for _, other := range voluntary {
		if !slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return several(&n) && has(&n, other) }) {
			continue
		}
		d := released(in, karpenters, other)
		for _, c := range d.Blocked {
			goes := func(a candidate.Candidate) bool { return a.Node == c.Node }
			if c.Displaced || len(c.Blockers) == 0 || slices.ContainsFunc(d.Allowed, goes) {
				continue
			}
			b := c.Blockers[0]
			b.Message = fmt.Sprintf("it may not go for %s, and which of its reasons Karpenter takes nobody knows: %s", c.Reason, b.Message)
			why[c.Node] = b
		}
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if b, held := why[n.Name]; held && several(n) && !candidate.Unhealthy.Covers(reason) {
			n.Blockers = append(slices.Clip(n.Blockers), b)
		}
	}
	return released(in, karpenters, reason)
}

// released decides for one reason. To Karpenter, what has expired has drifted: it asks its own budgets for that.
func released(in disruptkit.Input, karpenters map[string]budget.Set, reason candidate.Reason) disruptkit.Decision {
	if reason == "" || !candidate.Expired.Covers(reason) {
		return Guarded(in, karpenters, reason)
	}
	return guarded(in, reason, asDrifted(in, karpenters, reason))
}

// has reports whether a node has a reason of a method.
func has(n *candidate.Node, method candidate.Reason) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return method.Covers(c.Reason) })
}

// several reports whether Karpenter could take a node for one of several reasons.
func several(n *candidate.Node) bool {
	count := 0
	for _, m := range voluntary {
		if has(n, m) {
			count++
		}
	}
	return count > 1
}
