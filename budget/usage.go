package budget

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Usage counts the nodes of a pool that use up its budgets: see [Set]. Missing nodes count as if they were not Ready.
// The zero Usage has no nodes. (Karpenter: NodePoolStatsFromNodes, which has no missing nodes.)
type Usage struct {
	InFlight map[candidate.Reason]int // by reason; "" means unknown, and counts for every reason
	NotReady int                      // not Ready, and not in flight
	Missing  int                      // nodes that the pool should have and does not have

	// Demand is how many nodes only budgets block, by the position of the guaranteed budget for their reason. See
	// [Set.Reserved].
	Demand map[int]int
}

// Add counts n more nodes in flight, or fewer if n is below 0. It may also change copies of the Usage, which share
// InFlight.
func (u *Usage) Add(reason candidate.Reason, n int) {
	if u.InFlight == nil {
		u.InFlight = map[candidate.Reason]int{}
	}
	if u.InFlight[reason] += n; u.InFlight[reason] == 0 {
		delete(u.InFlight, reason)
	}
}

// For returns how many of the nodes may count for a reason: all, or, for Unhealthy, those in flight.
func (u Usage) For(reason candidate.Reason) (n int) {
	for _, count := range u.InFlight {
		n += count
	}
	return n + u.idle(reason)
}

// idle returns how many nodes that are not in flight count for a reason.
func (u Usage) idle(reason candidate.Reason) int {
	if candidate.Unhealthy.Covers(reason) {
		return 0
	}
	return u.NotReady + u.Missing
}

// InUse returns how much of the allowance for a reason (AllowedByReason) is used up. The rest is what remains of the
// deciding budget with the least left. [Set] has which nodes count against which budgets.
func (s Set) InUse(now time.Time, nodes int, reason candidate.Reason, u Usage) int {
	set := s.get()
	if !set.specific || reason == "" {
		return u.For(reason)
	}
	c, active := set.concern(reason), set.active(now, set.pool)
	decide := c.pool.deciding(active)
	if decide == 0 {
		return set.sure(reason, u)
	}
	using := map[int]int{} // by the position of the budget
	for other, n := range u.InFlight {
		for i := range (decide & set.against(other, active)).All() {
			using[i] += n
		}
	}
	allowed, left := Unlimited, Unlimited
	for b := range set.each(decide) {
		n := b.Of(nodes)
		allowed, left = min(allowed, n), min(left, n-u.idle(reason)-using[b.Index])
	}
	return allowed - left
}

// against returns which budgets a node in flight for a reason counts against, if the most specific decide.
func (s *set) against(reason candidate.Reason, active Indexes) Indexes {
	c := s.concern(reason)
	if reason == "" || c.typo {
		return ^Indexes(0)
	}
	return c.pool.deciding(active) | s.which(func(b *Limit) bool { return b.Names(reason) })
}

// sure returns how many nodes count for a reason whichever budgets decide.
func (s *set) sure(reason candidate.Reason, u Usage) (n int) {
	for other, count := range u.InFlight {
		if other.Covers(reason) || s.concern(other).typo {
			n += count
		}
	}
	return n + u.idle(reason)
}

// Room reports whether the budgets allow one more node for a reason while those in u are in flight, and when that ends
// if only time changes. A zero end is as in Until. If room is true, and budgets change too often to compute a year, end
// is a time before which room stays true.
func (s Set) Room(now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	set := s.get()
	if len(set.shares) > 0 && !now.IsZero() {
		c := set.concern(reason)
		return lasts(now, append(set.list(c.pool.all()), set.shares...), farthest, func(at time.Time) bool {
			reserved, _ := s.Reserved(at, nodes, reason, u)
			return set.allowed(at, nodes, reason).Remaining(u.For(reason)+reserved) > 0
		})
	}
	if !set.specific || now.IsZero() || set.sure(reason, u) == u.For(reason) {
		full, end, looked := set.atMost(now, nodes, reason, u.For(reason))
		if !full && end.IsZero() {
			end = looked
		}
		return !full, end
	}
	reasons := append(slices.Sorted(maps.Keys(u.InFlight)), reason)
	return lasts(now, set.sharing(reasons, nodes, u.For(reason)), farthest/len(reasons), func(at time.Time) bool {
		return set.allowed(at, nodes, reason).Remaining(s.InUse(at, nodes, reason, u)) > 0
	})
}

// Regroups returns when time alone may next change which other reasons share the allowance for a reason (see
// InUse). Zero means never. It is always zero if the most restrictive budgets decide.
func (s Set) Regroups(now time.Time, reason candidate.Reason) (next time.Time) {
	set := s.get()
	if !set.specific || reason == "" || now.IsZero() {
		return next
	}
	c := set.concern(reason)
	own := set.mayDecide(&c)
	involved := own // its children share them
	for _, c := range set.concerns {
		if theirs := set.mayDecide(&c); theirs&own != 0 {
			involved |= theirs
		}
	}
	for b := range set.each(involved) {
		_, end := b.Window.Until(now)
		next = schedule.First(next, end)
	}
	return next
}
