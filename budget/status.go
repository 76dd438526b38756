package budget

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Status is the state of a budget at a time.
type Status struct {
	Index       int                // its position in Set.Budgets; below 0: the whole of a list that is too long
	Reasons     []candidate.Reason // those that it names, spelled as in the API; none means all; shared, never modified
	TopologyKey string             // if not "", it limits each domain separately, and Allowed and InUse are 0
	Per         time.Duration      // if not 0, it is a pace, and Allowed and InUse are 0
	Active      bool               // an inactive budget limits nothing; a broken one is always active
	Allowed     int                // how many nodes may be disrupted at once while it is active; 0 if it is broken
	InUse       int                // how many nodes count against it; if it is for Unhealthy alone, without those that are merely not Ready
	Own         int                // of InUse: those that go for a reason that it limits or an unknown one, or are not Ready
}

// Exceeded reports whether the budget is active and more nodes go for its own reasons than it allows. Nodes that go for
// other reasons use up a budget, but do not exceed it: an empty node does not violate a freeze of drift.
func (s Status) Exceeded() bool { return s.Active && s.Own > s.Allowed && s.Per == 0 }

// Remaining returns how many more nodes the budget allows.
func (s Status) Remaining() int { return max(0, s.Allowed-s.InUse) }

// Statuses returns the state of each budget, in the order of the list. All disrupted nodes count against every budget;
// if the most specific budgets decide, only nodes that go for reasons for which the budget decides. If now is zero,
// which is a mistake, all budgets are active and allow nothing.
func (s Set) Statuses(now time.Time, nodes int, u Usage) []Status {
	var all []Status
	set := s.get()
	shares := set.shares(now, u)
	_, timeless := candidate.NoTime(now)
	for _, list := range [][]compiled{set.pool, set.scoped, set.paces, set.broken} {
		for i := range list {
			b := &list[i]
			status := Status{Index: b.index, Reasons: b.reasons, Active: timeless || schedule.InWindow(b.window, now)}
			switch {
			case b.scoped:
				status.TopologyKey = set.written[b.index].TopologyKey
			case b.per > 0:
				status.Per = b.per
			default:
				status.Allowed, status.InUse, status.Own = b.limit.of(nodes), set.used(b, shares, u), set.own(b, now, u)
				if !b.repairs() { // nodes that are not Ready wait for repair
					status.InUse += u.notReady
					if status.Active || !set.specific {
						status.Own += u.notReady
					}
				}
			}
			if timeless {
				status.Allowed = 0
			}
			all = append(all, status)
		}
	}
	slices.SortStableFunc(all, func(a, b Status) int { return cmp.Compare(a.Index, b.Index) })
	return all
}

// repairs reports whether a budget is for Unhealthy alone.
func (b *compiled) repairs() bool {
	return len(b.reasons) > 0 && !slices.ContainsFunc(b.reasons, func(r candidate.Reason) bool { return !candidate.Unhealthy.Covers(r) })
}

// used returns how many nodes count against a budget.
func (s *set) used(b *compiled, shares shares, u Usage) int {
	switch {
	case !s.specific:
		return u.inFlight()
	case len(b.faults) == 0:
		return shares.using(b.index)
	}
	n := 0
	for reason, count := range u.byReason { // whether or not it decides
		if b.covers(reason) || !s.knows(reason) || b.names(reason) {
			n += count
		}
	}
	return n
}

// own returns how many nodes go for the reasons that a budget limits, or for an unknown one.
func (s *set) own(b *compiled, now time.Time, u Usage) (n int) {
	for reason, count := range u.byReason {
		decides := !s.specific || len(b.faults) > 0 || s.deciding(now, reason).Has(b.index)
		if b.covers(reason) && decides {
			n += count
		}
	}
	return n
}
