package budget

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Usage counts the nodes of a pool that use up its budgets: those in flight, by the reason for which they go, and those that
// are only not Ready. Nodes in flight for the reason "", which is unknown, count for every reason. Nodes that are not Ready do so,
// too, but not for Unhealthy: repair is for them, and would wait for itself. The zero Usage is none. (Karpenter:
// NodePoolStatsFromNodes.)
type Usage struct {
	total    int // of both
	notReady int
	byReason map[candidate.Reason]int
}

// Add counts n more nodes, or fewer where n is below 0, also in copies of the Usage: Clone it to count apart.
func (u *Usage) Add(reason candidate.Reason, n int) {
	if u.byReason == nil {
		u.byReason = map[candidate.Reason]int{}
	}
	u.total += n
	if u.byReason[reason] += n; u.byReason[reason] == 0 {
		delete(u.byReason, reason)
	}
}

// AddNotReady counts n more nodes that are not Ready, and not in flight; or fewer where n is below 0.
func (u *Usage) AddNotReady(n int) {
	u.total += n
	u.notReady += n
}

// String returns "4 (2 Drifted, 1 for any reason, 1 not Ready)", by reason.
func (u Usage) String() string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(u.byReason)) {
		texts = append(texts, fmt.Sprintf("%d %s", u.byReason[reason], cmp.Or(string(reason), "for any reason")))
	}
	if u.notReady != 0 {
		texts = append(texts, fmt.Sprintf("%d not Ready", u.notReady))
	}
	if len(texts) == 0 {
		return strconv.Itoa(u.total)
	}
	return fmt.Sprintf("%d (%s)", u.total, strings.Join(texts, ", "))
}

// Total returns how many nodes there are.
func (u Usage) Total() int { return u.total }

// NotReady returns how many of them are only not Ready.
func (u Usage) NotReady() int { return u.notReady }

// TotalFor returns how many of them may count for a reason: for Unhealthy, those in flight.
func (u Usage) TotalFor(reason candidate.Reason) int {
	if candidate.Unhealthy.Covers(reason) {
		return u.total - u.notReady
	}
	return u.total
}

// All yields how many nodes go for each reason, in no order. Those that are only not Ready are not among them.
func (u Usage) All() iter.Seq2[candidate.Reason, int] { return maps.All(u.byReason) }

// Clone returns a copy that counts on its own.
func (u Usage) Clone() Usage {
	u.byReason = maps.Clone(u.byReason)
	return u
}

// InUse returns how much of what may be disrupted for a reason (AllowedByReason) is used up: so much that what remains is
// what remains of the budget, of those that decide, of which least does.
//
// Where the most restrictive budgets decide, all nodes use up all of them. Where the most specific ones do, each
// counts what goes for the reasons for which it decides, so that drift does not use up what is for consolidation; and
// what goes for an unknown reason. A node that goes for a method, of which nobody knows for which child, counts for
// all of its children. Nodes that are only not Ready count for every reason but Unhealthy, whichever budgets decide.
func (s Set) InUse(now time.Time, nodes int, reason candidate.Reason, u Usage) int {
	set := s.get()
	if !set.specific || reason == "" {
		return u.TotalFor(reason)
	}
	decide := set.deciding(now, reason)
	if decide == 0 {
		return set.sure(reason, u)
	}
	shares, notReady := set.shares(now, u), u.TotalFor(reason)-u.inFlight()
	allowed, left := Unlimited, Unlimited
	for i := range set.pool {
		if b := &set.pool[i]; decide.Has(b.index) {
			n := b.limit.of(nodes)
			allowed, left = min(allowed, n), min(left, n-notReady-shares.using(b.index))
		}
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
	return n + u.TotalFor(reason) - u.inFlight()
}

// inFlight returns how many nodes are not only not Ready.
func (u Usage) inFlight() int { return u.total - u.notReady }

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
		if b := &s.pool[i]; b.names(reason) {
			which.add(b.index)
		}
	}
	return which
}
