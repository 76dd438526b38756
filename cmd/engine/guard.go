package engine

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// Guarded decides as Karpenter with the guard does: on what the guard reads, but with no more nodes of a pool than
// Karpenter's own budgets allow. Karpenters has these budgets by pool.
func Guarded(in disruptkit.Input, karpenters map[string]budget.Set, reason candidate.Reason) disruptkit.Decision {
	in = Guard.withUnits(in, reason)
	return guarded(in, reason, Guard.karpenterDecides(karpenters, reason))
}

// karpenterDecides returns what decides for one reason by Karpenter's own budgets. To Karpenter, what has expired as budgets let it has
// drifted, and with the steward also what is requested.
func (e Engine) karpenterDecides(karpenters map[string]budget.Set, reason candidate.Reason) decider {
	switch method := reason.Method(); {
	case method == candidate.Expired:
		theirs := make(map[string]budget.Set, len(karpenters))
		for pool, set := range karpenters {
			theirs[pool] = e.toExpire(set)
		}
		karpenters = theirs
	case method != candidate.Requested || e != Steward:
		return func(in disruptkit.Input) disruptkit.Decision { return disruptkit.Decide(stock(in, karpenters), reason) }
	}
	return func(in disruptkit.Input) disruptkit.Decision { return asDrifted(in, karpenters, reason) }
}

// A decider decides by Karpenter's own budgets.
type decider func(disruptkit.Input) disruptkit.Decision

// guarded decides for one reason, and no more than Karpenter.
func guarded(in disruptkit.Input, reason candidate.Reason, decide decider) disruptkit.Decision {
	s, karpenter := openGuarded(in, reason, decide)
	theirs, left := map[string]disruptkit.PoolDecision{}, map[string]int{}
	for _, p := range karpenter.Pools {
		if p.Reason == reason { // Karpenter does not distinguish children
			theirs[p.Pool], left[p.Pool] = p, p.Remaining
		}
	}
	line := make([]candidate.Candidate, 0, len(in.Nodes))
	units := unitPools(in)
	counted := map[string]bool{} // for repair alone
	if reason.Covers(candidate.Unhealthy) || candidate.Unhealthy.Covers(reason) {
		for i := range in.Nodes {
			n := &in.Nodes[i]
			counted[n.Name] = counted[n.Name] || n.Counted()
		}
	}
	for c := range s.Candidates() {
		line = append(line, c)
		limited := !candidate.Unhealthy.Covers(c.Reason) || counted[c.Node] // no budget limits the repair of others
		takes := units[c.Unit]
		if c.Unit == "" || takes == nil {
			takes = map[string]int{c.Pool: 1}
		}
		full := false
		for pool, n := range takes {
			_, known := theirs[pool]
			full = full || known && limited && left[pool] < n
		}
		if full || !s.Disrupt(c) || !limited {
			continue
		}
		for pool, n := range takes {
			left[pool] -= n
		}
	}
	d := s.Close()
	d.Blocked, d.Free = withFree(line, d, func(c candidate.Candidate) candidate.Blocker {
		return candidate.Blocker{
			Gate: candidate.GateBudget, Code: candidate.CodeExhausted,
			Message: "Karpenter's own budgets allow no more nodes", Source: source(&in, c.Pool, theirs[c.Pool].Allowance.Binding),
		}
	}), nil
	for i := range d.Pools {
		p := &d.Pools[i]
		if k := theirs[p.Pool]; k.Remaining < p.Remaining {
			p.Allowance, p.Disrupting, p.Remaining, p.Until = k.Allowance, k.Disrupting, k.Remaining, k.Until
		}
	}
	d.NextChange = schedule.First(d.NextChange, karpenter.NextChange)
	return d
}

// withoutReasons returns an input that has no candidates, on which Karpenter's numbers are the same.
func withoutReasons(in disruptkit.Input) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		in.Nodes[i].Conditions = nil
	}
	return in
}

// toExpire returns those of Karpenter's own budgets, in the same places, that are asked for what has expired, as they are asked for drift:
// with the guard those without reasons, since Karpenter's cannot name Expired, and with the steward all, since it makes nodes drift.
func (e Engine) toExpire(karpenters budget.Set) budget.Set {
	if e != Guard {
		return karpenters
	}
	list := karpenters.Budgets()
	for i := range list {
		if len(list[i].Reasons) > 0 {
			list[i].Reasons = []candidate.Reason{candidate.Empty} // which limit no drift
		}
	}
	set, _ := budget.Spec{Budgets: list, Dialect: dialect.Karpenter}.Compile() // decisions report faults
	return set
}

// asDrifted returns what Karpenter decides about what is replaced for a reason of ours, for which budgets are asked as for drift.
func asDrifted(in disruptkit.Input, karpenters map[string]budget.Set, reason candidate.Reason) disruptkit.Decision {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		n.Conditions = slices.DeleteFunc(n.Conditions, func(c candidate.Condition) bool { return !reason.Covers(c.Reason) })
		for j := range n.Conditions {
			n.Conditions[j].Reason = candidate.Drifted
		}
	}
	d := disruptkit.Decide(stock(in, karpenters), candidate.Drifted)
	for i := range d.Blocked {
		d.Blocked[i].Reason = reason
	}
	for i := range d.Pools {
		d.Pools[i].Reason = reason
	}
	return d
}

// stock returns the input with Karpenter's budgets only.
func stock(in disruptkit.Input, karpenters map[string]budget.Set) disruptkit.Input {
	in.Dialect, in.Pools = dialect.Karpenter, slices.Clone(in.Pools)
	for i := range in.Pools {
		in.Pools[i].Budgets = karpenters[in.Pools[i].Name]
	}
	return in
}

// stop blocks all nodes if Karpenter disrupts none: in Karpenter, an invalid PodDisruptionBudget stops the whole
// cluster; in disruptkit, it stops its own namespace.
func stop(in *disruptkit.Input) {
	rules := in.Rules
	rules.Dialect = dialect.Karpenter
	stopped := candidate.OpenPods(rules, in.Now).Blockers(&candidate.Node{}, candidate.Condition{})
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Blockers = append(slices.Clip(p.Blockers), stopped...)
	}
}

// openGuarded opens a session on what the guard reads, and returns Karpenter's own numbers. Its rules for pods apply as well: one that stops
// Karpenter altogether, and those that block overdue nodes, since Karpenter has no deadlines.
func openGuarded(in disruptkit.Input, reason candidate.Reason, decide decider) (s *disruptkit.Session, numbers disruptkit.Decision) {
	stopped := in
	stopped.Pools = slices.Clone(in.Pools)
	stop(&stopped)
	s = disruptkit.Open(stopped, reason)
	type key struct {
		node, pool string
		reason     candidate.Reason
	}
	overdue := map[key]bool{}
	for c := range s.Candidates() {
		if c.Overdue {
			overdue[key{c.Node, c.Pool, c.Reason}] = true
		}
	}
	if len(overdue) == 0 {
		return s, decide(withoutReasons(in))
	}
	karpenter, blockers := decide(in), map[string][]candidate.Blocker{}
	for _, c := range karpenter.Blocked {
		for _, b := range c.Blockers {
			if overdue[key{c.Node, c.Pool, c.Reason}] && b.Gate == candidate.GatePod {
				blockers[c.Node] = append(blockers[c.Node], b)
			}
		}
	}
	stopped.Nodes = slices.Clone(in.Nodes)
	for i := range stopped.Nodes {
		n := &stopped.Nodes[i]
		n.Blockers = append(slices.Clip(n.Blockers), blockers[n.Name]...)
	}
	return disruptkit.Open(stopped, reason), karpenter
}

// withFree returns the blocked candidates of a decision and the free ones, with what blocks these, in line.
func withFree(
	line []candidate.Candidate, d disruptkit.Decision, why func(candidate.Candidate) candidate.Blocker,
) (all []candidate.Candidate) {
	blocked, free := d.Blocked, d.Free
	if len(free) == 0 {
		return blocked
	}
	next := func(list []candidate.Candidate, c candidate.Candidate) bool {
		return len(list) > 0 && list[0].Node == c.Node && list[0].Pool == c.Pool && list[0].Reason == c.Reason
	}
	for _, c := range line {
		switch {
		case next(blocked, c):
			all, blocked = append(all, blocked[0]), blocked[1:]
		case next(free, c):
			c = free[0]
			c.Blockers = []candidate.Blocker{why(c)}
			all, free = append(all, c), free[1:]
		}
	}
	return all
}

// source names Karpenter's own budgets, which come first in those of the guard. Where Karpenter rejects the NodePool, nobody knows what
// they are.
func source(in *disruptkit.Input, pool string, binding budget.Indexes) *candidate.Source {
	i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	if i < 0 {
		return nil
	}
	last := len(in.Pools[i].Budgets.Budgets())
	positions := slices.Collect(binding.All())
	if len(positions) == 0 || positions[len(positions)-1] >= last {
		return nil
	}
	return &candidate.Source{Budgets: positions}
}

// Within returns what is left of a timeline for a reason where Karpenter's own budgets allow less. To Karpenter, what has expired as budgets let it has
// drifted, and with the steward also what is requested.
func (e Engine) Within(
	karpenters budget.Set, timeline []budget.Segment, nodes int, reason candidate.Reason,
) ([]budget.Segment, error) {
	switch {
	case candidate.Expired.Covers(reason):
		karpenters, reason = e.toExpire(karpenters), candidate.Drifted
	case candidate.Requested.Covers(reason) && e == Steward:
		reason = candidate.Drifted
	}
	theirs, err := karpenters.Forecast(timeline[0].Start, timeline[len(timeline)-1].End, nodes, reason)
	return Tighter(timeline, theirs), err
}

// Tighter returns, span by span, the smaller of two allowances: that of the guard, and that of Karpenter's own budgets.
// In both, Karpenter's budgets come first. Only the guard has paces.
func Tighter(guard, karpenter []budget.Segment) (all []budget.Segment) {
	for len(guard) > 0 && len(karpenter) > 0 {
		g, k := guard[0], karpenter[0]
		s := g
		switch {
		case k.Nodes < g.Nodes:
			s.Allowance = k.Allowance
		case k.Nodes == g.Nodes:
			s.Binding |= k.Binding
		}
		if s.Nodes == 0 {
			s.Paces = 0
		}
		if k.End.Before(s.End) {
			s.End = k.End
		}
		if last := len(all) - 1; last >= 0 && all[last].Allowance == s.Allowance && all[last].Paces == s.Paces {
			all[last].End = s.End
		} else {
			all = append(all, s)
		}
		guard, karpenter = after(guard, s), after(karpenter, s)
	}
	return all
}

// after returns the segments from the end of done on.
func after(list []budget.Segment, done budget.Segment) []budget.Segment {
	if !list[0].End.After(done.End) {
		return list[1:]
	}
	list = slices.Clone(list)
	list[0].Start = done.End
	return list
}
