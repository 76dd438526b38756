package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A pool is a pool of the input with the status of its budgets.
type pool struct {
	budget.PoolCount
	now      time.Time
	set      budget.Set
	statuses []budgetStatus // of its budgets; none if several pools have its name: whose budgets apply is unclear
}

// newPools returns the pools of an input, sorted by name.
func newPools(in disruptkit.Input) []pool {
	names := make([]string, len(in.Pools))
	for i, p := range in.Pools {
		names[i] = p.Name
	}
	var all []pool
	for _, c := range budget.CountNodes(names, in.Nodes, in.Dialect).Pools {
		p := pool{PoolCount: c, now: in.Now, set: in.Pools[c.Index].Budgets}
		desired := in.Pools[c.Index].Desired
		if in.Dialect == dialect.Karpenter { // as Decide does
			p.set, desired = p.set.In(in.Dialect), 0
		}
		if !p.Ambiguous {
			p.Disrupting.Missing += p.Missing(desired)
			p.statuses = statuses(p.set, p.now, p.Nodes, p.Disrupting)
		}
		all = append(all, p)
	}
	return all
}

// pool returns the pool with a name, or nil.
func (s *summary) pool(name string) *pool {
	i, found := slices.BinarySearchFunc(s.pools, name,
		func(p pool, name string) int { return cmp.Compare(p.Name, name) })
	if !found {
		return nil
	}
	return &s.pools[i]
}

// closed reports whether the budgets would allow no node for a reason even if the pool had one. (Percentages round up:
// unless it is 0%, a percentage of one node or more is at least 1.)
func (p *pool) closed(reason candidate.Reason) bool {
	allowance, _ := budget.AllowedByReason(p.set, p.now, max(p.Nodes, 1), reason)
	return allowance.Nodes == 0
}

// until returns the time up to which the budgets' answer holds, if known.
func (p *pool) until(reason candidate.Reason) string {
	if end := p.set.Until(p.now, p.Nodes, reason); !end.IsZero() {
		return ", until " + end.UTC().Format(time.RFC3339)
	}
	return ""
}

// describe names a budget: "budgets[0] is 10% (Drifted)".
func (p *pool) describe(b budgetStatus) string {
	switch {
	case b.Index < 0:
		return p.brokenList()
	case p.set.Broken().Has(b.Index):
		return p.set.Place(b.Index) + " is broken"
	}
	return fmt.Sprintf("%s is %s", p.set.Place(b.Index), p.set.Budgets()[b.Index])
}

// brokenList describes what is wrong with the list of budgets as a whole: "51 budgets are too many".
func (p *pool) brokenList() string {
	var wrong []string
	for _, b := range p.set.Limits() {
		if b.Index < 0 {
			fault := b.Faults[0].Message
			if advice := strings.LastIndex(fault, ": write "); advice >= 0 { // for who writes budgets
				fault = fault[:advice]
			}
			wrong = append(wrong, fault)
		}
	}
	return strings.Join(wrong, " and ")
}
