package budget

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

const farthest = 4000 // changes, after which a search gives up

// Until returns when the number of AllowedByReason next changes, if only time changes. The budgets that set the number
// may change earlier. Zero means never, or beyond the limits of [schedule.Window.State], or after more than 4,000
// changes of the deciding budgets.
func (s Set) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	set := s.get()
	n := set.allowed(now, nodes, reason).Nodes
	_, fewer, _ := set.atMost(now, nodes, reason, n-1) // false now, true once the number falls
	_, same, _ := set.atMost(now, nodes, reason, n)    // true now, false once the number rises
	return schedule.First(fewer, same)
}

// atMost reports whether at most n of the nodes may be disrupted for a reason, and when that ends if only time changes.
// A zero end is as in Until. If it gave up, looked is the end of its search.
func (s *set) atMost(now time.Time, nodes int, reason candidate.Reason, n int) (holds bool, end, looked time.Time) {
	c := s.concern(reason)
	switch {
	case n < 0:
		return false, end, end // allowances are at least 0
	case n >= Unlimited || c.typo || c.refuse || now.IsZero():
		return true, end, end
	}
	tight := s.which(func(b *Limit) bool { return b.Of(nodes) <= n })
	for at, i := now, 0; ; i++ {
		is, change := s.atMostNow(&c.pool, tight, at)
		if i == 0 {
			holds = is
		}
		switch {
		case is != holds:
			return holds, at, end
		case change.IsZero():
			return holds, end, end
		case i == farthest:
			return holds, end, soon(now, change)
		}
		at = change
	}
}

// atMostNow reports whether a tight budget is active among those that decide at a time, and when that may change.
func (s *set) atMostNow(pool *ranked, tight Indexes, at time.Time) (is bool, change time.Time) {
	all, rank := pool.all(), exact
	active := s.active(at, all)
	for rank > foreign && pool[rank]&active == 0 {
		rank--
	}
	others := all & tight // the budgets that would change the answer
	if is = pool[rank]&active&tight != 0; is {
		others = all &^ tight
	}
	until := func(which Indexes) {
		_, end := s.union(which).Until(at)
		change = schedule.First(change, end)
	}
	switch {
	case others&active != 0: // they are hidden by more specific ones
		until(pool[rank])
		until(pool[rank] & tight)
		for above := rank + 1; above <= exact; above++ {
			if pool[above]&others != 0 {
				until(pool[above])
			}
		}
	case is:
		until(others)
		until(all & tight)
	default:
		until(others)
	}
	return is, change
}

// A union is the window of several budgets together.
type union struct {
	of     Indexes
	window schedule.Window
}

// mostUnions is how many unions a set caches: consecutive decisions need the same few.
const mostUnions = 16

// union returns the window in which any of some budgets is active. It is cached, because a window that never changes
// takes thousands of spans to compute, and caches that itself.
func (s *set) union(of Indexes) schedule.Window {
	var last []union
	if kept := s.unions.Load(); kept != nil {
		last = *kept
	}
	for _, u := range last {
		if u.of == of {
			return u.window
		}
	}
	var windows []schedule.Window
	for b := range s.each(of) {
		windows = append(windows, b.Window)
	}
	u := union{of, schedule.Union(windows...)}
	last = slices.Insert(slices.Clone(last[:min(len(last), mostUnions-1)]), 0, u)
	s.unions.Store(&last)
	return u.window
}

// mayDecide returns the budgets that may decide for a reason at some time: those without a more specific one that is
// always active.
func (s *set) mayDecide(c *concern) (which Indexes) {
	for rank := exact; rank > foreign; rank-- {
		which |= c.pool[rank]
		if c.pool[rank]&s.constant != 0 {
			break
		}
	}
	return which
}

// list returns the limits at some positions.
func (s *set) list(which Indexes) []*Limit { return slices.Collect(s.each(which)) }

// lasts reports whether something holds now that depends on which of some budgets are active, and when that ends. It
// calls holds, which is slow, only for combinations of active budgets that it has not had lately. If it gives up within
// a year and something holds, end is the end of its search.
func lasts(now time.Time, budgets []*Limit, most int, holds func(time.Time) bool) (first bool, end time.Time) {
	first = holds(now)
	var same [8]Indexes // the last combinations with the same result as now
	known, n := 0, 0
	for at, active := range Changes(budgets, now) {
		if !slices.Contains(same[:min(known, len(same))], active) {
			if known > 0 && holds(at) != first {
				return first, at
			}
			same[known%len(same)] = active
			known++
		}
		if n++; n > most {
			if first {
				end = soon(now, at)
			}
			break
		}
	}
	return first, end
}

// soon returns the time at which a search gave up, or zero if that is more than a year ahead.
func soon(now, at time.Time) (never time.Time) {
	if at.Sub(now) > wording.Year {
		return never
	}
	return at
}

// Changes yields, in order, the times at which any of the budgets becomes active or inactive, with the budgets that are
// active from then on. The first time is from. It ends when no budget changes any more.
func Changes(budgets []*Limit, from time.Time) iter.Seq2[time.Time, Indexes] {
	return func(yield func(time.Time, Indexes) bool) {
		var active Indexes
		ends := make([]time.Time, len(budgets)) // when each next changes
		look := func(i int, now time.Time) {
			b := budgets[i]
			isActive, end := b.Window.Until(now)
			if ends[i] = end; isActive != active.Has(b.Index) {
				active ^= 1 << b.Index
			}
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

// sharing returns the budgets that may change whether n nodes in flight for some reasons use up the allowance for one
// of them: all that may decide, except budgets without reasons that allow more than n.
func (s *set) sharing(reasons []candidate.Reason, nodes, n int) []*Limit {
	var decide Indexes
	for _, r := range reasons {
		c := s.concern(r)
		decide |= s.mayDecide(&c)
	}
	return s.list(decide &^ s.which(func(b *Limit) bool { return len(b.Reasons) == 0 && b.Of(nodes) > n }))
}
