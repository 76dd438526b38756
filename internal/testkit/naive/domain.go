package naive

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// A domain is a zone or rack, with its nodes instead of numbers.
type domain struct {
	in    disruptkit.Input
	pool  scope
	scope budget.Limit
	name  string
	// lasts describes what else blocks a node without an end: "to go", "paused", "stays", or "".
	lasts func(n candidate.Node, c candidate.Condition) string

	allowed func(nodes int) int // of so many nodes, how many may be disrupted at once
}

// applies reports whether the budget limits a reason.
func (z domain) applies(r candidate.Reason) bool { return applies(z.pool, z.scope, r) }

// applies reports whether a budget limits a reason. A sequential one does so as well, if nodes of the reason may be of
// a child that it is for.
func applies(p scope, s budget.Limit, r candidate.Reason) bool {
	if _, err := candidate.ParseReason(string(r.Method())); err != nil && r != "" {
		return !s.Sequential && s.Covers(r)
	}
	if !s.Sequential || r == "" {
		return s.Covers(r)
	}
	return domain{pool: p, scope: s}.mayApply(r)
}

func reasons(p scope) []candidate.Reason {
	if len(p.Topology.Reasons) == 0 {
		return []candidate.Reason{"Drifted"}
	}
	unknown := func(r candidate.Reason) bool {
		parsed, err := candidate.ParseReason(string(r), p.Budgets.Methods()...)
		return r != "" && (err != nil || parsed != r || misspelt(p.Budgets, r) || wording.MeantReason(r) != "")
	}
	if slices.ContainsFunc(p.Topology.Reasons, unknown) {
		return []candidate.Reason{""}
	}
	return p.Topology.Reasons
}

// nodes returns the nodes of the zone that match.
func (z domain) nodes(match func(candidate.Node) bool) (nodes []candidate.Node) {
	if z.name == "" && unlabelled(z.in, z.pool, z.scope.Key) == topology.Exempt {
		return nil
	}
	for _, n := range z.in.Nodes {
		if z.pool.has(n) && n.Labels[z.scope.Key] == z.name && match(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// unlabelled describes how a pool treats nodes without a label: if no counted node has it, they are blocked.
func unlabelled(in disruptkit.Input, p scope, key string) topology.Unlabelled {
	missing := false
	for _, n := range in.Nodes {
		if p.has(n) && n.Counted() && (n.Disrupting(candidate.Unhealthy) || !(domain{in: in}).twice(n)) {
			if n.Labels[key] != "" {
				return p.Topology.Unlabelled
			}
			missing = true
		}
	}
	if missing && !p.Topology.LabelOptional {
		return topology.Block
	}
	return p.Topology.Unlabelled
}

func (z domain) twice(n candidate.Node) bool {
	same := 0
	for _, other := range z.in.Nodes {
		if other.Name == n.Name {
			same++
		}
	}
	return same > 1
}

// standing returns "in flight", "to go", "free", "paused", "stays", or "" for a node that has not drifted.
func (z domain) standing(n candidate.Node) string {
	best := ""
	rank := []string{"", "stays", "paused", "to go", "free"}
	for _, c := range n.Conditions {
		if !z.applies(c.Reason) {
			continue
		}
		now := z.unitStanding(n, c)
		if slices.Index(rank, now) > slices.Index(rank, best) {
			best = now
		}
	}
	if n.Leaving != candidate.Staying || z.mayBeInFlight(n) {
		return "in flight"
	}
	return best
}

// unitStanding returns the standing of the node of a unit that is blocked the most.
func (z domain) unitStanding(n candidate.Node, c candidate.Condition) (worst string) {
	worst = "free"
	hold := func(now string) {
		rank := []string{"free", "to go", "paused", "stays"}
		if slices.Index(rank, now) > slices.Index(rank, worst) {
			worst = now
		}
	}
	all := unit(z.in, request{node: n, c: c})
	for _, m := range all {
		hold(z.standingFor(m.node, m.c))
	}
	if len(all) < 2 {
		return worst
	}
	hold(spans(z.in, all))
	for _, m := range all {
		if neverFits(z.in, all, m) {
			hold("to go")
		}
	}
	return worst
}

// standingFor returns the standing of a node for one reason.
func (z domain) standingFor(n candidate.Node, c candidate.Condition) string {
	c.Deadline = Deadline(z.in, n, c)
	blockers := candidate.NodeGate(&n, c, minimum(z.in, n, c.Reason), z.in.Now)
	pods, _, forGood := Pods(z.in, n, c, InFlight(z.in))
	now := "free"
	if len(blockers)+len(pods) > 0 || z.twice(n) {
		now = "to go"
	}
	if what := z.lasts(n, c); what != "" {
		now = what
	}
	for _, p := range pauses(z.in, poolOf(z.in, n), c.Reason) {
		if single, inside := paused(p, n); single && inside && now != "stays" {
			now = "paused"
		}
	}
	forGood = forGood || slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood })
	if forGood {
		now = "stays"
	}
	if z.pool.has(n) && n.Labels[z.scope.Key] == "" &&
		unlabelled(z.in, z.pool, z.scope.Key) == topology.Block {
		now = "stays"
	}
	return now
}

func (z domain) is(standings ...string) func(candidate.Node) bool {
	return func(n candidate.Node) bool { return slices.Contains(standings, z.standing(n)) }
}

// rolling returns the nodes in flight for a reason that the budget may apply to.
func (z domain) rolling() []candidate.Node {
	return z.nodes(func(n candidate.Node) bool {
		switch {
		case n.Leaving != candidate.Staying:
			return z.mayApply(z.flies(n))
		case n.Rebooting:
			return z.mayApply("Unhealthy")
		}
		return z.mayBeInFlight(n)
	})
}

// mayBeInFlight reports whether nobody knows if a node is in flight.
func (z domain) mayBeInFlight(n candidate.Node) bool {
	return !n.Phase.Known() && !n.Rebooting && z.mayApply(z.flies(n))
}

// flies returns why a node is in flight. A child that is probably misspelt may be any of its method.
func (z domain) flies(n candidate.Node) candidate.Reason {
	if misspelt(z.pool.Budgets, n.DisruptedFor) {
		return n.DisruptedFor.Method()
	}
	return n.DisruptedFor
}

// mayApply reports whether the budget may apply to a node in flight for a reason, which may be unknown.
func (z domain) mayApply(reason candidate.Reason) bool {
	if _, err := candidate.ParseReason(string(reason)); reason == "" || err != nil {
		return true
	}
	related := func(a, b candidate.Reason) bool { return a.Covers(b) || b.Covers(a) || wording.Misspelt(a, b) }
	ordered := !z.scope.Sequential
	for _, r := range reasons(z.pool) {
		ordered = ordered || related(r, reason)
	}
	named := len(z.scope.Reasons) == 0
	for _, r := range z.scope.Reasons {
		named = named || related(r, reason)
	}
	return ordered && named
}

func (z domain) remaining() int {
	goes := func(n candidate.Node) bool { return n.Leaving == candidate.Draining || n.Rebooting || !n.Phase.Known() }
	counts := func(n candidate.Node) bool {
		return (!n.Phase.Joining() || n.Rebooting) && n.Leaving != candidate.Terminating
	}
	counted := z.nodes(func(n candidate.Node) bool { return counts(n) && (!z.twice(n) || goes(n)) })
	marked := z.nodes(func(n candidate.Node) bool { return counts(n) && goes(n) })
	return max(0, z.allowed(len(counted))-len(marked))
}

func (z domain) startable() int { return min(len(z.nodes(z.is("free"))), z.remaining()) }

// held reports whether the last zone keeps its turn.
func (z domain) held(since time.Time) bool {
	o := z.pool.Topology
	if len(z.rolling()) > 0 || z.startable() > 0 {
		return true
	}
	others := z.nodes(func(n candidate.Node) bool {
		for _, c := range n.Conditions {
			if z.applies(c.Reason) {
				return false
			}
		}
		return n.Leaving == candidate.Staying
	})
	ready := since
	for _, n := range others {
		if (!n.Ready() || n.Rebooting) && !o.Unsettled {
			return true
		}
		if n.Ready() && n.ReadySince.After(ready) {
			ready = n.ReadySince
		}
	}
	if len(z.nodes(z.is("to go", "free"))) == 0 && len(z.nodes(z.is("paused"))) > 0 {
		return false
	}
	wait := o.Patience
	if wait == 0 {
		wait = 15 * time.Minute
	}
	if len(z.nodes(z.is("to go", "free"))) == 0 {
		wait, since = o.Soak, ready
		if o.Soak < 0 {
			wait = candidate.Forever
		}
		if o.Unsettled {
			wait = 0
		}
	}
	return wait == candidate.Forever || wait < -1 || wait > 0 && z.in.Now.Sub(since) < wait
}
