package planner

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
)

// mostUsing is how many nodes that use up a budget are named.
const mostUsing = 3

// named returns a plan in which the blocker of a node that waits for ever for a budget, or whose budget opens in vain, names the nodes that
// use it up.
func named(cluster *manifest.Cluster, in disruptkit.Input, p plan.Plan) plan.Plan {
	never := map[string]bool{}
	for _, n := range p.Nodes {
		if n.Drains() {
			never[n.Name] = true
		}
	}
	after := in
	after.Nodes = slices.Clone(in.Nodes)
	for i := range after.Nodes {
		if n := &after.Nodes[i]; n.InFlight() && !never[n.Name] { // it is replaced
			*n = candidate.Node{Name: n.Name, Pool: n.Pool, Labels: n.Labels, Phase: candidate.Running}
		}
	}
	return namedBy(p, func(n *plan.Node, b *candidate.Blocker) []string {
		return Using(cluster, in, Users(after, n.Pool, b, n.Reason))
	})
}

// namedBy is named with the nodes that use up budgets.
func namedBy(p plan.Plan, using func(*plan.Node, *candidate.Blocker) []string) plan.Plan {
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Outcome != plan.Never && n.Outcome != plan.Open || n.Drains() {
			continue
		}
		n.Blockers = slices.Clone(n.Blockers)
		for j := range n.Blockers {
			b := &n.Blockers[j]
			if n.Outcome == plan.Open && b.Code != candidate.CodeAllowsNone { // that it is used up may have an end
				continue
			}
			if users := using(n, b); len(users) > 0 {
				b.Message += "; " + UsedUp(b) + wording.Some(users, mostUsing)
			}
		}
	}
	return p
}

// Using names nodes that use up budgets, and says why: "node-a (draining since Sat 05:50)". Of many it says why only of the first: callers
// show no more.
func Using(cluster *manifest.Cluster, in disruptkit.Input, using []candidate.Node) (all []string) {
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

// UsedUp begins a text that names the Users of a blocker.
func UsedUp(b *candidate.Blocker) string {
	if b.Code == candidate.CodeAllowsNone {
		return "the limit after that is used up by "
	}
	return "used up by "
}

// Users returns the nodes that use up the budget of a blocker of a node of a pool, for a reason. If the budget is 0, they use up its next limit
// (see Opens). None: the blocker is not that a budget is used up.
func Users(in disruptkit.Input, pool string, b *candidate.Blocker, reason candidate.Reason) (users []candidate.Node) {
	limit := 0
	switch ofBudget := b.Gate == candidate.GateBudget || b.Gate == candidate.GateTopology; {
	case ofBudget && (b.Code == candidate.CodeExhausted || b.Code == candidate.CodeReserved):
	default:
		if _, limit = Opens(in, pool, b, reason); limit == 0 {
			return nil
		}
	}
	_, of := owner(in, pool, b)
	for _, n := range in.Nodes {
		inDomain := b.Gate != candidate.GateTopology || b.Source == nil || n.Labels[b.Source.Key] == b.Source.Domain
		if slices.Contains(of, n.Pool) && inDomain && n.Disrupting(reason) {
			users = append(users, n)
		}
	}
	if len(users) < limit {
		return nil
	}
	return users
}

// Opens returns when the limit of a budget that is 0 rises, and to what, although time alone does not lift the blocker then. Zero: it does not
// rise, or the blocker is another one.
func Opens(in disruptkit.Input, pool string, b *candidate.Blocker, reason candidate.Reason) (at time.Time, limit int) {
	if b.Gate != candidate.GateBudget || b.Code != candidate.CodeAllowsNone {
		return at, 0
	}
	set, of := owner(in, pool, b)
	nodes := 0
	for _, p := range budget.CountNodes(of, in.Nodes, in.Dialect).Pools {
		nodes += p.Nodes
	}
	at = in.Now
	now, err := budget.AllowedByReason(set, at, nodes, reason)
	if err == nil && now.Nodes == 0 {
		at = set.Until(at, nodes, reason)
		now, err = budget.AllowedByReason(set, at, nodes, reason)
	}
	if err != nil || at.IsZero() || !b.Until.IsZero() && !at.Before(b.Until) {
		return time.Time{}, 0
	}
	return at, now.Nodes
}

// owner returns the budgets that a blocker is about, and the pools that they limit: those of its group, or the node's own.
func owner(in disruptkit.Input, pool string, b *candidate.Blocker) (set budget.Set, of []string) {
	if b.Source != nil && b.Source.Group != "" {
		for _, g := range in.Groups {
			if g.Name == b.Source.Group {
				return g.Budgets, g.Pools
			}
		}
	}
	for _, p := range in.Pools {
		if p.Name == pool {
			set = p.Budgets.In(in.Dialect)
		}
	}
	return set, []string{pool}
}
