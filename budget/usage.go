package budget

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
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

// All yields how many nodes go for each reason, in no order.
func (u Usage) All() iter.Seq2[candidate.Reason, int] { return maps.All(u.byReason) }

// Clone returns a copy that counts on its own.
func (u Usage) Clone() Usage {
	u.byReason = maps.Clone(u.byReason)
	return u
}

// InUse returns how much of what may be disrupted for a reason (AllowedByReason) is used up: so much that what is left of it is
// what is left of each budget that decides. Where the most restrictive budgets decide, all nodes use up all of them. Where the most
// specific ones do, each counts what goes for the reasons for which it decides, so that drift does not use up what is for
// consolidation; and what goes for an unknown reason. One that goes for a method, of which nobody knows for which child,
// counts for all of its children.
func InUse(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) int {
	set := s.get()
	if !set.specific || reason == "" {
		return u.total
	}
	shares := set.shares(now, u)
	decide := set.deciding(now, reason)
	allowed, left := Unlimited, Unlimited
	for i := range set.pool {
		if b := &set.pool[i]; decide.Has(b.index) {
			n := b.limit.of(max(nodes, 0))
			allowed, left = min(allowed, n), min(left, n-shares.using(b.index))
		}
	}
	if decide == 0 {
		return set.sure(reason, u)
	}
	return allowed - left
}

// sure returns how many nodes use up what is allowed for a reason, whichever budgets decide.
func (s *set) sure(reason candidate.Reason, u Usage) (n int) {
	for other, count := range u.byReason {
		if other.Covers(reason) || !s.knows(other) {
			n += count
		}
	}
	return n
}

// A share is how many nodes use up some budgets.
type share struct {
	budgets Indexes
	nodes   int
}

type shares []share

// using returns how many nodes use up a budget.
func (all shares) using(i int) (n int) {
	for _, s := range all {
		if s.budgets.Has(i) {
			n += s.nodes
		}
	}
	return n
}

// shares returns which of the active budgets nodes use up, where the most specific decide.
func (s *set) shares(now time.Time, u Usage) shares {
	var active Indexes
	for i := range s.pool {
		if b := &s.pool[i]; schedule.InWindow(b.window, now) {
			active.add(b.index)
		}
	}
	all := make(shares, 0, len(u.byReason))
	for reason, n := range u.byReason {
		budgets := ^Indexes(0) // nobody knows of which
		if reason != "" && s.knows(reason) {
			budgets = s.mostSpecific(reason, func(b *compiled) bool { return active.Has(b.index) }) | s.ofChildren(reason)
		}
		all = append(all, share{budgets, n})
	}
	return all
}

// ofChildren returns the budgets that name a reason or children of it.
func (s *set) ofChildren(reason candidate.Reason) (which Indexes) {
	for i := range s.pool {
		if b := &s.pool[i]; slices.ContainsFunc(b.reasons, reason.Covers) {
			which.add(b.index)
		}
	}
	return which
}

// Room reports whether one more node may be disrupted for a reason while those of u are, and until when that stays so, if
// nothing but time changes. Zero is as in AtMost.
func Room(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	set := s.get()
	if !set.specific || set.sure(reason, u) == u.total {
		full, end := AtMost(s, now, nodes, reason, u.total)
		return !full, end
	}
	reasons := append(slices.Sorted(maps.Keys(u.byReason)), reason)
	return lasts(now, set.sharing(reasons, nodes, u.total), farthest/len(reasons), func(at time.Time) bool {
		return hasRoom(s, at, nodes, reason, u)
	})
}

func hasRoom(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) bool {
	allowance, _ := AllowedByReason(s, now, nodes, reason)
	return allowance.Remaining(InUse(s, now, nodes, reason, u)) > 0
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
