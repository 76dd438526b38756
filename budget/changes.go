package budget

import (
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Changes yields, in order, the times at which any of the budgets becomes active or inactive, with the budgets that are
// active from then on. The first time is from. It continues as long as any budget changes.
func Changes(budgets []*Limit, from time.Time) iter.Seq2[time.Time, Indexes] {
	return func(yield func(time.Time, Indexes) bool) {
		var active Indexes
		ends := make([]time.Time, len(budgets)) // when each next changes
		look := func(i int, now time.Time) {
			isActive, end := budgets[i].Window.Until(now)
			active.put(budgets[i].Index, isActive)
			ends[i] = end
		}
		for i := range budgets {
			look(i, from)
		}
		for now := from; yield(now, active); {
			var next time.Time
			for _, end := range ends {
				next = schedule.First(next, end)
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

// changing returns the budgets that may change whether at most n of the nodes may go for a reason, if the most specific
// budgets decide: those that allow at most n, and those that may take precedence over them.
func (s *Limits) changing(reason candidate.Reason, nodes, n int) (budgets []*Limit) {
	decide := s.mayDecide(reason)
	tight := func(b *Limit) bool { return b.Limit.Of(nodes) <= n }
	lowest, loose := exact, false
	for i := range s.Pool {
		switch b := &s.Pool[i]; {
		case !decide.Has(b.Index):
		case tight(b):
			lowest = min(lowest, s.rank(b, reason))
		default:
			loose = true
		}
	}
	if !loose && s.always(reason) != foreign {
		return nil // some budget always decides, and all allow at most n
	}
	for i := range s.Pool {
		b := &s.Pool[i]
		if decide.Has(b.Index) && (tight(b) || s.rank(b, reason) > lowest) {
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// sharing returns the budgets that may change whether n nodes in flight for some reasons use up the allowance for one
// of them: all that may decide, except budgets without reasons that allow more than n.
func (s *Limits) sharing(reasons []candidate.Reason, nodes, n int) (budgets []*Limit) {
	var decide Indexes
	for _, r := range reasons {
		decide |= s.mayDecide(r)
	}
	for i := range s.Pool {
		b := &s.Pool[i]
		loose := len(b.Reasons) == 0 && b.Limit.Of(nodes) > n
		if !loose && decide.Has(b.Index) {
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// mayDecide returns the budgets that may decide for a reason at some time, that is, unless more specific ones are
// always active.
func (s *Limits) mayDecide(reason candidate.Reason) (which Indexes) {
	c := s.concern(reason)
	return s.mayDecideFor(&c)
}

func (s *Limits) mayDecideFor(c *Concern) (which Indexes) {
	for rank := exact; rank > foreign; rank-- {
		which |= c.ranks[rank]
		if c.ranks[rank]&s.constant != 0 {
			break
		}
	}
	return which
}

// always returns the least rank that deciding budgets for a reason have at any time.
func (s *Limits) always(reason candidate.Reason) (least rank) {
	for i := range s.Pool {
		if b := &s.Pool[i]; b.Constant() {
			least = max(least, s.rank(b, reason))
		}
	}
	return least
}
