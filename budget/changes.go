package budget

import (
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// changes yields, in order, the times from from on at which one of the budgets becomes active or inactive, and those that
// are active from then on; from is the first of these times. It goes on as long as any budget changes.
func changes(budgets []*compiled, from time.Time) iter.Seq2[time.Time, Indexes] {
	return func(yield func(time.Time, Indexes) bool) {
		var active Indexes
		ends := make([]time.Time, len(budgets)) // up to when each stays as it is
		look := func(i int, now time.Time) {
			isActive, end := budgets[i].window.Until(now)
			active.put(budgets[i].index, isActive)
			ends[i] = end
		}
		for i := range budgets {
			look(i, from)
		}
		for now := from; yield(now, active); {
			var next time.Time
			for _, end := range ends {
				next = until.First(next, end)
			}
			if next.IsZero() {
				return
			}
			now = next
			for i := range budgets {
				if ends[i].Equal(now) {
					look(i, now)
				}
			}
		}
	}
}

// changing returns the budgets the activity of which may change whether at most n of the nodes may go for a reason,
// where the most specific decide: those that say so, and those that may take the place of these.
func (s *set) changing(reason candidate.Reason, nodes, n int) (budgets []*compiled) {
	decide := s.mayDecide(reason)
	tight := func(b *compiled) bool { return b.limit.of(nodes) <= n }
	lowest, loose := exact, false
	for i := range s.pool {
		switch b := &s.pool[i]; {
		case !decide.Has(b.index):
		case tight(b):
			lowest = min(lowest, s.rank(b, reason))
		default:
			loose = true
		}
	}
	if !loose && s.always(reason) != foreign {
		return nil // whoever decides says so, and somebody always does
	}
	for i := range s.pool {
		b := &s.pool[i]
		if !b.constant() && decide.Has(b.index) && (tight(b) || s.rank(b, reason) > lowest) {
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// sharing returns the budgets the activity of which may change whether n nodes that go for some reasons use up what
// may go for one of them: all that may decide, but for those that name no reason, and allow more.
func (s *set) sharing(reasons []candidate.Reason, nodes, n int) (budgets []*compiled) {
	var decide Indexes
	for _, r := range reasons {
		decide |= s.mayDecide(r)
	}
	for i := range s.pool {
		b := &s.pool[i]
		loose := len(b.reasons) == 0 && b.limit.of(nodes) > n
		if !loose && !b.constant() && decide.Has(b.index) {
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// mayDecide returns the budgets that decide for a reason at some time, as far as others are not always more specific.
func (s *set) mayDecide(reason candidate.Reason) (which Indexes) {
	c := s.concern(reason)
	return s.mayDecideFor(&c)
}

func (s *set) mayDecideFor(c *concern) (which Indexes) {
	for rank := exact; rank > foreign; rank-- {
		which |= c.ranks[rank]
		if c.ranks[rank]&s.constant != 0 {
			break
		}
	}
	return which
}

// constant reports whether a budget is always active.
func (b *compiled) constant() bool { return b.window == schedule.Window{} }

// always returns how specific the budgets at least are that decide for a reason, at all times.
func (s *set) always(reason candidate.Reason) (least rank) {
	for i := range s.pool {
		if b := &s.pool[i]; b.constant() {
			least = max(least, s.rank(b, reason))
		}
	}
	return least
}
