package report

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A budgetStatus is the state of a budget at a time. Allowed and own are 0 if it limits single domains or is a pace.
type budgetStatus struct {
	*budget.Limit
	active  bool // an inactive budget limits nothing
	allowed int  // how many nodes may be disrupted at once while it is active
	own     int  // how many nodes are in flight for a reason that it limits or an unknown one, or not Ready
}

// exceeded reports whether the budget is active and more nodes are in flight for its own reasons than it allows. Nodes
// in flight for other reasons use up a budget, but do not exceed it: an empty node does not violate a freeze of drift.
func (b *budgetStatus) exceeded() bool { return b.active && b.own > b.allowed }

// statuses returns the state of each budget, in the order of the list. If now is zero, which is a mistake, all budgets
// are active and allow nothing.
func statuses(set budget.Set, now time.Time, nodes int, u budget.Usage) (all []budgetStatus) {
	limits := set.Limits()
	for i := range limits {
		b := budgetStatus{Limit: &limits[i]}
		b.active = now.IsZero() || schedule.InWindow(b.Window, now)
		if b.Key == "" && b.Per == 0 {
			b.count(set, now, u)
			if !now.IsZero() {
				b.allowed = b.Of(nodes)
			}
		}
		all = append(all, b)
	}
	return all
}

// count counts the nodes that use up a budget for its own reasons. Budgets for repair alone do not count nodes that
// wait for repair.
func (b *budgetStatus) count(set budget.Set, now time.Time, u budget.Usage) {
	shared := !set.MostSpecific()
	for reason, n := range u.InFlight {
		if b.Covers(reason) && (shared || len(b.Faults) > 0 || set.Deciding(now, reason).Has(b.Index)) {
			b.own += n
		}
	}
	repairs := len(b.Reasons) > 0 && !slices.ContainsFunc(b.Reasons,
		func(r candidate.Reason) bool { return !candidate.Unhealthy.Covers(r) })
	if !repairs && (b.active || shared) {
		b.own += u.NotReady + u.Missing
	}
}
