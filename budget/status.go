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
	Index       int                // its position in budget.Set.Budgets; below 0: the whole of a list that is too long
	Reasons     []candidate.Reason // those that it names, spelled as in the API; none means all; shared, never modified
	TopologyKey string             // if not "", it limits each domain separately, and Allowed and InUse are 0
	Per         time.Duration      // if not 0, it is a pace, and Allowed and InUse are 0
	Active      bool               // an inactive budget limits nothing; a broken one is always active
	Allowed     int                // how many nodes may be disrupted at once while it is active; 0 if it is broken

	// InUse is how many nodes count against it; if it is for Unhealthy alone, without those that are merely not Ready.
	InUse int
	Own   int // of InUse: those that go for a reason that it limits or an unknown one, or are not Ready
}

// Exceeded reports whether the budget is active and more nodes go for its own reasons than it allows. Nodes that go for
// other reasons use up a budget, but do not exceed it: an empty node does not violate a freeze of drift.
func (s Status) Exceeded() bool { return s.Active && s.Own > s.Allowed && s.Per == 0 }

// Remaining returns how many more nodes the budget allows.
func (s Status) Remaining() int { return max(0, s.Allowed-s.InUse) }

// Statuses is statuses.
func (s Set) Statuses(now time.Time, nodes int, u Usage) []Status {
	return s.get().statuses(now, nodes, u)
}

// statuses returns the state of each budget, in the order of the list. All disrupted nodes count against every budget;
// if the most specific budgets decide, only nodes that go for reasons for which the budget decides. If now is zero,
// which is a mistake, all budgets are active and allow nothing.
func (s *set) statuses(now time.Time, nodes int, u Usage) []Status {
	var all []Status
	shares := s.shares(now, u)
	_, timeless := candidate.NoTime(now)
	for i := range s.limits {
		b := &s.limits[i]
		status := Status{Index: b.Index, Reasons: b.Reasons, Active: timeless || schedule.InWindow(b.Window, now)}
		switch {
		case b.Key != "":
			status.TopologyKey = b.Key
		case b.Per > 0:
			status.Per = b.Per
		default:
			status.Allowed, status.InUse, status.Own = b.Of(nodes), s.used(b, shares, u), s.own(b, now, u)
			if !b.repairs() { // nodes that are not Ready wait for repair
				status.InUse += u.notReady
				if status.Active || !s.specific {
					status.Own += u.notReady
				}
			}
		}
		if timeless {
			status.Allowed = 0
		}
		all = append(all, status)
	}
	slices.SortStableFunc(all, func(a, b Status) int { return cmp.Compare(a.Index, b.Index) })
	return all
}

// repairs reports whether a budget is for Unhealthy alone.
func (b *Limit) repairs() bool {
	return len(b.Reasons) > 0 && !slices.ContainsFunc(b.Reasons,
		func(r candidate.Reason) bool { return !candidate.Unhealthy.Covers(r) })
}

// used returns how many nodes count against a budget.
func (s *set) used(b *Limit, shares shares, u Usage) int {
	switch {
	case !s.specific:
		return u.inFlight()
	case len(b.Faults) == 0:
		return shares.using(b.Index)
	}
	n := 0
	for reason, count := range u.byReason { // whether or not it decides
		if b.Covers(reason) || s.concern(reason).typo || b.Names(reason) {
			n += count
		}
	}
	return n
}

// own returns how many nodes go for the reasons that a budget limits, or for an unknown one.
func (s *set) own(b *Limit, now time.Time, u Usage) (n int) {
	for reason, count := range u.byReason {
		decides := !s.specific || len(b.Faults) > 0 || Set{s}.Deciding(s.active(now, s.pool), reason).Has(b.Index)
		if b.Covers(reason) && decides {
			n += count
		}
	}
	return n
}
