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
)

// A Usage counts the nodes of a pool that use up its budgets: those in flight, by reason, and those that are merely not
// Ready, or missing. Nodes in flight for the reason "", which means unknown, count for every reason. Nodes that are
// merely not Ready count for every reason except Unhealthy: otherwise they would block their own repair. So do those
// that are missing: the broken ones among those that are left have to be replaced all the more. The zero Usage has no
// nodes. (Karpenter: NodePoolStatsFromNodes, which knows of no missing nodes.)
type Usage struct {
	total    int // of byReason and notReady
	notReady int // missing ones included
	missing  int
	byReason map[candidate.Reason]int
}

// Add counts n more nodes, or fewer if n is below 0. It may change copies of the Usage, too: use Clone for an
// independent copy.
func (u *Usage) Add(reason candidate.Reason, n int) {
	if u.byReason == nil {
		u.byReason = map[candidate.Reason]int{}
	}
	u.total += n
	if u.byReason[reason] += n; u.byReason[reason] == 0 {
		delete(u.byReason, reason)
	}
}

// AddNotReady counts n more nodes that are not Ready and not in flight, or fewer if n is below 0.
func (u *Usage) AddNotReady(n int) {
	u.total += n
	u.notReady += n
}

// AddMissing counts n more nodes that are missing.
func (u *Usage) AddMissing(n int) {
	u.AddNotReady(n)
	u.missing += n
}

// Merge counts the nodes of another Usage, too.
func (u *Usage) Merge(other Usage) {
	for reason, n := range other.byReason {
		u.Add(reason, n)
	}
	u.AddNotReady(other.notReady)
	u.missing += other.missing
}

// String returns "4 (2 Drifted, 1 for any reason, 1 not Ready)", by reason.
func (u Usage) String() string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(u.byReason)) {
		texts = append(texts, fmt.Sprintf("%d %s", u.byReason[reason], cmp.Or(string(reason), "for any reason")))
	}
	if n := u.NotReady(); n != 0 {
		texts = append(texts, fmt.Sprintf("%d not Ready", n))
	}
	if u.missing != 0 {
		texts = append(texts, fmt.Sprintf("%d missing", u.missing))
	}
	if len(texts) == 0 {
		return strconv.Itoa(u.total)
	}
	return fmt.Sprintf("%d (%s)", u.total, strings.Join(texts, ", "))
}

// Total returns the number of nodes.
func (u Usage) Total() int { return u.total }

// NotReady returns how many of the nodes are merely not Ready. Exported for reports of what uses up a budget.
func (u Usage) NotReady() int { return u.notReady - u.missing }

// Missing returns how many nodes are missing.
func (u Usage) Missing() int { return u.missing }

// TotalFor returns how many of the nodes may count for a reason. For Unhealthy, these are the nodes in flight.
func (u Usage) TotalFor(reason candidate.Reason) int {
	if candidate.Unhealthy.Covers(reason) {
		return u.total - u.notReady
	}
	return u.total
}

// All yields the number of nodes in flight for each reason, in no particular order.
func (u Usage) All() iter.Seq2[candidate.Reason, int] { return maps.All(u.byReason) }

// Clone returns an independent copy.
func (u Usage) Clone() Usage {
	u.byReason = maps.Clone(u.byReason)
	return u
}

// InUse returns how much of the allowance for a reason (Allowed) is used up. The rest is what remains of the
// deciding budget with the least left.
//
// If the most restrictive budgets decide, all nodes count against all of them. If the most specific ones decide, each
// counts only nodes that go for reasons for which it decides, or for an unknown reason, so that drift does not use up
// the budget for consolidation. A node that goes for a method counts for all its children, since its child is unknown.
// Nodes that are merely not Ready count for every reason except Unhealthy, whichever budgets decide.
func (s Set) InUse(now time.Time, nodes int, reason candidate.Reason, u Usage) int {
	return s.get().inUse(now, nodes, reason, u)
}

func (s *set) inUse(now time.Time, nodes int, reason candidate.Reason, u Usage) int {
	if !s.specific || reason == "" {
		return u.TotalFor(reason)
	}
	c := s.concern(reason)
	decide := c.pool.deciding(s.active(now, c.pool.all()))
	if decide == 0 {
		return s.sure(reason, u)
	}
	shares, notReady := s.shares(now, u), u.TotalFor(reason)-u.inFlight()
	allowed, left := Unlimited, Unlimited
	for b := range s.each(decide) {
		n := b.Of(nodes)
		allowed, left = min(allowed, n), min(left, n-notReady-shares.using(b.Index))
	}
	return allowed - left
}

// sure returns how many nodes count for a reason whichever budgets decide.
func (s *set) sure(reason candidate.Reason, u Usage) (n int) {
	for other, count := range u.byReason {
		if other.Covers(reason) || s.concern(other).typo {
			n += count
		}
	}
	return n + u.TotalFor(reason) - u.inFlight()
}

// inFlight returns the number of nodes in flight.
func (u Usage) inFlight() int { return u.total - u.notReady }

// A share is a number of nodes that count against some budgets.
type share struct {
	budgets Indexes
	nodes   int
}

type shares []share

// using returns how many nodes count against a budget.
func (all shares) using(i int) (n int) {
	for _, s := range all {
		if s.budgets.Has(i) {
			n += s.nodes
		}
	}
	return n
}

// shares returns which active budgets nodes count against, if the most specific decide.
func (s *set) shares(now time.Time, u Usage) shares {
	active := s.active(now, s.pool)
	all := make(shares, 0, len(u.byReason))
	for reason, n := range u.byReason {
		budgets := ^Indexes(0) // an unknown reason counts against all
		if c := s.concern(reason); reason != "" && !c.typo {
			budgets = c.pool.deciding(active) | s.which(func(b *Limit) bool { return b.Names(reason) })
		}
		all = append(all, share{budgets, n})
	}
	return all
}
