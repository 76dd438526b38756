package plan

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A holding has the budgets that block some node in a plan, by pool. Without any other, the plan would be the same.
type holding map[string]budget.Indexes

// newHolding returns what counts from the beginning: budgets with a topology key, and all budgets if Options has a
// Decide, which may use others.
func newHolding(in disruptkit.Input, all bool) holding {
	h := holding{}
	for _, p := range in.Pools {
		for i, b := range p.Budgets.Budgets() {
			if all || b.TopologyKey != "" {
				h[p.Name] |= 1 << i
			}
		}
	}
	return h
}

// add adds the budgets that block nodes in a decision.
func (h holding) add(d *disruptkit.Decision, passedOver func(*candidate.Candidate) bool) {
	binding := map[kind]budget.Indexes{}
	for _, p := range d.Pools {
		binding[kind{p.Pool, p.Reason}] = p.Allowance.Binding | p.MayStart.Binding
	}
	var last *candidate.Candidate // nodes in the same situation share their blockers
	for i := range d.Blocked {
		c := &d.Blocked[i]
		if len(c.Blockers) == 0 || last != nil && &c.Blockers[0] == &last.Blockers[0] && c.Pool == last.Pool &&
			c.Reason == last.Reason && c.Overdue == last.Overdue {
			continue
		}
		last = c
		ofBudget := func(b candidate.Blocker) bool { return b.Gate == candidate.GateBudget }
		if !slices.ContainsFunc(c.Blockers, ofBudget) || passedOver(c) {
			continue
		}
		is, known := binding[kind{c.Pool, c.Reason}]
		if !known || is == 0 || c.Overdue { // the list as a whole blocks it, or what overdue nodes may use
			is = ^is
		}
		h[c.Pool] |= is
	}
}

// passedOver returns whether a pass does not start a node that budgets block, whatever they are: a node of its pool
// with its reason is ahead of it, and allowed. A pass of Karpenter starts one drifted node, the first in line.
func (s *simulation) passedOver(d *disruptkit.Decision) func(*candidate.Candidate) bool {
	if !s.Model.startsOne() || s.in.Dialect != dialect.Karpenter {
		return func(*candidate.Candidate) bool { return false }
	}
	ahead := map[kind]bool{}
	for i := range d.Allowed {
		if c := &d.Allowed[i]; candidate.Drifted.Covers(c.Reason) && !s.Model.static(c.Pool) {
			ahead[kind{c.Pool, c.Reason}] = true
		}
	}
	return func(c *candidate.Candidate) bool { return ahead[kind{c.Pool, c.Reason}] }
}
