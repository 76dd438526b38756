package report

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A budgetStatus is the state of a budget at a time. Allowed, inUse and own are 0 if it limits single domains or is a
// pace.
type budgetStatus struct {
	*budget.Limit
	active  bool // an inactive budget limits nothing
	allowed int  // how many nodes may be disrupted at once while it is active
	inUse   int  // how many nodes count against it; for Unhealthy alone, without those that are merely not Ready
	own     int  // of inUse: those in flight for a reason that it limits or an unknown one, or not Ready
}

// exceeded reports whether the budget is active and more nodes are in flight for its own reasons than it allows. Nodes
// in flight for other reasons use up a budget, but do not exceed it: an empty node does not violate a freeze of drift.
func (b *budgetStatus) exceeded() bool { return b.active && b.own > b.allowed }

// remaining returns how many more nodes the budget allows.
func (b *budgetStatus) remaining() int { return max(0, b.allowed-b.inUse) }

// statuses returns the state of each budget, in the order of the list. All disrupted nodes count against every budget;
// if the most specific budgets decide, only nodes in flight for reasons for which the budget decides. If now is zero,
// which is a mistake, all budgets are active and allow nothing.
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

// count counts the nodes that use up a budget.
func (b *budgetStatus) count(set budget.Set, now time.Time, u budget.Usage) {
	shared := !set.MostSpecific()
	for reason, n := range u.InFlight {
		limits := b.Covers(reason) &&
			(shared || len(b.Faults) > 0 || set.Deciding(now, reason).Has(b.Index))
		if limits {
			b.own += n
		}
		if limits || shared || reason == "" || !set.Knows(reason) || slices.ContainsFunc(b.Reasons, reason.Covers) {
			b.inUse += n
		}
	}
	repairs := len(b.Reasons) > 0 && !slices.ContainsFunc(b.Reasons,
		func(r candidate.Reason) bool { return !candidate.Unhealthy.Covers(r) })
	if idle := u.NotReady + u.Missing; !repairs { // else they wait for repair
		b.inUse += idle
		if b.active || shared {
			b.own += idle
		}
	}
}
