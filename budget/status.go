package budget

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Status is how a budget stands at a time.
type Status struct {
	Index       int                // its position in Set.Budgets; below 0 it stands for all of a list that is too long
	Reasons     []candidate.Reason // what it is for, in the spelling of the API; none is all; shared, never changed
	TopologyKey string             // if not "", it limits each domain on its own, and Allowed and InUse are 0
	Per         time.Duration      // if not 0, it limits how many nodes start within that time, and Allowed and InUse are 0
	Active      bool               // else it limits nothing; a broken one always does
	Allowed     int                // how many nodes may be disrupted at once while it is active; 0 of a broken one
	InUse       int                // how many are, which use it up; of one for Unhealthy alone, without those that are only not Ready
	Own         int                // of those, how many go for a reason that it limits, or for an unknown one, or are not Ready
}

// Exceeded reports whether more nodes go for the budget's own reasons than it allows, while it is active. Nodes that go for
// other reasons use up a budget, but do not exceed it: a freeze of drift says nothing against a node that is empty.
func (s Status) Exceeded() bool { return s.Active && s.Own > s.Allowed && s.Per == 0 }

// Remaining returns how many more nodes the budget lets go.
func (s Status) Remaining() int { return max(0, s.Allowed-s.InUse) }

// Statuses returns how the budgets stand, in the order of the list. Everything that is disrupted uses up a budget,
// or, where the most specific budgets decide, what goes for reasons for which it decides. At the zero time, which nobody set,
// all are active, and allow nothing.
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
				if !b.repairs() { // which not Ready nodes wait for
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

// used returns what in flight uses up a budget.
func (s *set) used(b *compiled, shares shares, u Usage) int {
	switch {
	case !s.specific:
		return u.inFlight()
	case len(b.faults) == 0:
		return shares.using(b.index)
	}
	n := 0
	for reason, count := range u.byReason { // whatever it would decide
		if b.covers(reason) || !s.knows(reason) || b.names(reason) {
			n += count
		}
	}
	return n
}

// own returns what goes for the reasons that a budget limits, the unknown one among them.
func (s *set) own(b *compiled, now time.Time, u Usage) (n int) {
	for reason, count := range u.byReason {
		decides := !s.specific || len(b.faults) > 0 || s.deciding(now, reason).Has(b.index)
		if b.covers(reason) && decides {
			n += count
		}
	}
	return n
}
