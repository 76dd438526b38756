package disruptkit

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

// keepStarts returns the paces for whose sake starts are remembered after a decision, longest first, given those after
// the last one. Every start is remembered for as long as the first of them ([keptFor]).
//
// Those are the longest pace of the pool, and each longer one that has been gone for less than its own period. So a
// pace that is broken, shortened or left out, and comes back within its period, counts every start meanwhile. After
// that period, none of the starts that it let go would count any more, and it is as good as new. A pace counts as
// there even if its budget is broken, the list is too long, or the dialect knows no paces. If now is zero, nothing
// changes.
func keepStarts(pool budget.Set, now time.Time, last []budget.Pace) (keep []budget.Pace) {
	if now.IsZero() {
		return last
	}
	for _, p := range last {
		switch per := period(p); {
		case per <= budget.Period(pool.LongestPer()):
			continue
		case p.Gone.IsZero() || p.Gone.After(now.Add(per)): // no clock that is right wrote that
			p.Gone = now
		}
		if periodEnd(p).After(now) {
			keep = append(keep, p)
		}
	}
	slices.SortStableFunc(keep, func(a, b budget.Pace) int { return cmp.Compare(period(b), period(a)) })
	var latest time.Time // periodEnd of the longer ones
	keep = slices.DeleteFunc(keep, func(p budget.Pace) bool {
		outlived := !periodEnd(p).After(latest)
		if !outlived {
			latest = periodEnd(p)
		}
		return outlived
	})
	if pool.LongestPer() != "" {
		keep = append(keep, budget.Pace{Per: pool.LongestPer()})
	}
	return keep
}

// keptFor returns for how long starts are remembered for the sake of some paces.
func keptFor(paces []budget.Pace) (longest time.Duration) {
	for _, p := range paces {
		longest = max(longest, period(p))
	}
	return longest
}

// periodEnd returns when a pace that is gone would count no more start that it let go.
func periodEnd(p budget.Pace) time.Time { return p.Gone.Add(period(p)) }

// period returns how long a pace is. One that cannot be read, which nobody but people wrote, is 0.
func period(p budget.Pace) time.Duration { return budget.Period(p.Per) }
