package planner

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// mostUsing is how many nodes that use up a budget are named.
const mostUsing = 3

// named returns a plan in which the blocker of a node that waits for ever for a budget names the nodes that use it up.
func named(cluster *manifest.Cluster, in disruptkit.Input, p plan.Plan) plan.Plan {
	never := map[string]bool{}
	for _, n := range p.Nodes {
		if n.Drains() {
			never[n.Name] = true
		}
	}
	return namedBy(p, func(n *plan.Node, b *candidate.Blocker) []string {
		nodes := slices.DeleteFunc(Users(in, n.Pool, b), func(o candidate.Node) bool { return o.InFlight() && !never[o.Name] })
		return Using(cluster, in, nodes, n.Reason)
	})
}

// namedBy is named with the nodes that use up budgets.
func namedBy(p plan.Plan, using func(*plan.Node, *candidate.Blocker) []string) plan.Plan {
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Outcome != plan.Never || n.Drains() {
			continue
		}
		n.Blockers = slices.Clone(n.Blockers)
		for j := range n.Blockers {
			b := &n.Blockers[j]
			if users := using(n, b); len(users) > 0 {
				b.Message += "; it is used up by " + wording.Some(users, mostUsing)
			}
		}
	}
	return p
}

// Using names those of some nodes that use up budgets for a reason, and says why: "node-a (draining since Sat 05:50)".
// Of many it says why only of the first: callers show no more.
func Using(cluster *manifest.Cluster, in disruptkit.Input, nodes []candidate.Node, reason candidate.Reason) (all []string) {
	using := only(nodes, func(n candidate.Node) bool { return n.Disrupting(reason) })
	slices.SortFunc(using, func(a, b candidate.Node) int { return cmp.Compare(a.Name, b.Name) })
	for i := range using {
		text := wording.Quote(using[i].Name)
		if i < mostStands {
			if why := Stands(cluster, in, &using[i]); why != "" {
				text += " (" + why + ")"
			}
		}
		all = append(all, text)
	}
	return all
}

// mostStands is how many of the nodes that use up a budget are described.
const mostStands = 5

// Users returns the nodes that may use up the budget of a blocker of a node of a pool, or none if the blocker is not
// that a budget is used up.
func Users(in disruptkit.Input, pool string, b *candidate.Blocker) (users []candidate.Node) {
	ofBudget := b.Gate == candidate.GateBudget || b.Gate == candidate.GateTopology
	if b.Code != candidate.CodeExhausted && b.Code != candidate.CodeReserved || !ofBudget {
		return nil
	}
	of := pools(in, pool, b)
	for _, n := range in.Nodes {
		inDomain := b.Gate != candidate.GateTopology || b.Source == nil || n.Labels[b.Source.Key] == b.Source.Domain
		if slices.Contains(of, n.Pool) && inDomain {
			users = append(users, n)
		}
	}
	return users
}

// pools returns the pools whose nodes use up the budget of a blocker: those of its group, or the node's own.
func pools(in disruptkit.Input, pool string, b *candidate.Blocker) []string {
	if b.Source != nil && b.Source.Group != "" {
		for _, g := range in.Groups {
			if g.Name == b.Source.Group {
				return g.Pools
			}
		}
	}
	return []string{pool}
}
