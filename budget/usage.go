package budget

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Usage counts the nodes of a pool that use up its budgets, by the reason for which they go. Those of the reason "", which
// is unknown, count for every reason: nodes in flight of which nobody knows why, and nodes that are not Ready. The zero
// Usage is none.
type Usage struct {
	total    int
	byReason map[candidate.Reason]int
}

// Add counts n more nodes. Usages that are copies of each other are one.
func (u *Usage) Add(reason candidate.Reason, n int) {
	if u.byReason == nil {
		u.byReason = map[candidate.Reason]int{}
	}
	u.byReason[reason] += n
	u.total += n
}

// Total returns how many nodes there are.
func (u Usage) Total() int { return u.total }

// Clone returns a copy that counts on its own.
func (u Usage) Clone() Usage {
	u.byReason = maps.Clone(u.byReason)
	return u
}

// InUse returns how many nodes use up what may be disrupted for a reason (Allowance.Remaining): all of them, where the most
// restrictive budgets decide. Where the most specific ones do, only those whose own reasons are decided by one of the same
// budgets, so that drift does not use up what is for consolidation; and those of an unknown reason. One that goes for a
// method, of which nobody knows for which child, counts for all of its children.
func InUse(s Set, now time.Time, reason candidate.Reason, u Usage) int {
	set := s.get()
	if !set.specific || reason == "" {
		return u.total
	}
	n, decide := 0, set.deciding(now, reason)
	for other, count := range u.byReason {
		if other.Covers(reason) || !set.knows(other) || set.deciding(now, other)&decide != 0 {
			n += count
		}
	}
	return n
}

// Room reports whether one more node may be disrupted for a reason while those of u are, and until when that stays so, if
// nothing but time changes. Zero is as in AtMost.
func Room(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	set := s.get()
	if !set.specific || set.allCount(reason, u) {
		full, end := AtMost(s, now, nodes, reason, u.total)
		return !full, end
	}
	reasons := slices.Sorted(maps.Keys(u.byReason))
	return lasts(now, set.sharing(append(reasons, reason), nodes, u.total), func(at time.Time) bool {
		return hasRoom(s, at, nodes, reason, u)
	})
}

// allCount reports whether all nodes use up what is allowed for a reason, whichever budgets decide.
func (s *set) allCount(reason candidate.Reason, u Usage) bool {
	for other := range u.byReason {
		if !other.Covers(reason) && s.knows(other) {
			return false
		}
	}
	return true
}

func hasRoom(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) bool {
	allowance, _ := AllowedByReason(s, now, nodes, reason)
	return allowance.Remaining(InUse(s, now, reason, u)) > 0
}

// Regroups returns when time alone may next change which other reasons share what is allowed for a reason (see InUse). Zero is
// never; always so where the most restrictive budgets decide.
func (s Set) Regroups(now time.Time, reason candidate.Reason) (next time.Time) {
	set := s.get()
	if !set.specific || reason == "" {
		return next
	}
	var involved Indexes
	own := set.mayDecide(reason)
	for _, other := range slices.Concat(candidate.Methods(), set.methods, set.named()) {
		if theirs := set.mayDecide(other); other != reason && theirs&own != 0 {
			involved |= theirs | own
		}
	}
	for i := range set.pool {
		if b := &set.pool[i]; involved.Has(b.index) {
			_, end := b.window.Until(now)
			next = until.First(next, end)
		}
	}
	return next
}

// mayDecide returns the budgets that decide for a reason at some time, as far as others are not always more specific.
func (s *set) mayDecide(reason candidate.Reason) (which Indexes) {
	least := max(general, s.always(reason))
	for i := range s.pool {
		if b := &s.pool[i]; s.rank(b, reason) >= least {
			which.add(b.index)
		}
	}
	return which
}

// named returns the reasons that budgets name, each once.
func (s *set) named() (reasons []candidate.Reason) {
	for _, list := range [][]compiled{s.pool, s.scoped} {
		for i := range list {
			for _, r := range list[i].reasons {
				if !slices.Contains(reasons, r) {
					reasons = append(reasons, r)
				}
			}
		}
	}
	return reasons
}
