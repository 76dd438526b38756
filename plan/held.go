package plan

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
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

// add adds the budgets that block nodes in a decision, but for nodes after one that is the only one that a pass starts.
func (h holding) add(d *disruptkit.Decision, ahead ahead) {
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
		if !slices.ContainsFunc(c.Blockers, ofBudget) || ahead.of(c) > 0 {
			continue
		}
		is, known := binding[kind{c.Pool, c.Reason}]
		if !known || is == 0 || c.Overdue { // the list as a whole blocks it, or what overdue nodes may use
			is = ^is
		}
		h[c.Pool] |= is
	}
}
