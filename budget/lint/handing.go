package lint

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
)

// handing says to give the one budget in the way of another's window a schedule for the remaining hours.
func (l *linter) handing(i int, rivals limit.Indexes) (advice string, ok bool) {
	rest, rival, ok := l.remaining(i, rivals)
	if !ok {
		return "", false
	}
	list := l.change(rival, func(b *budget.Budget) { b.Schedule, b.Duration = rest.Schedule, rest.Duration })
	return fmt.Sprintf(`write "schedule": %q, "duration": %q in %s%s, so that this one decides in its window`,
		rest.Schedule, rest.Duration, l.set.Place(rival), l.butWhich(list)), true
}

// remaining returns the schedule for all time outside of a budget's window, and the one budget that it is for.
func (l *linter) remaining(i int, rivals limit.Indexes) (rest budget.Budget, rival int, ok bool) {
	rival = bits.TrailingZeros64(uint64(rivals))
	own, other := l.ofPool(i), l.ofPool(rival)
	if rivals != limit.Only(rival) || own == nil || other == nil || own.Constant() || !other.Constant() ||
		own.Limit.N == 0 {
		return rest, rival, false
	}
	budgets := l.weekly("", own.Window.Outside())
	if len(budgets) != 1 {
		return rest, rival, false
	}
	rest = budgets[0]
	list := l.change(rival, func(b *budget.Budget) { b.Schedule, b.Duration = rest.Schedule, rest.Duration })
	decides := false
	ok = l.proves(list, l.reasons, func(_ candidate.Reason, before, after []limit.Segment) bool {
		decides = decides || slices.ContainsFunc(after, func(s limit.Segment) bool { return s.Binding.Has(i) })
		return hasUnlimited(before) || !hasUnlimited(after)
	})
	return rest, rival, ok && decides
}

// ofPool returns the budget for the whole pool at a position, if it is one.
func (l *linter) ofPool(i int) *limit.Budget {
	for j := range l.limits.Pool {
		if l.limits.Pool[j].Index == i {
			return &l.limits.Pool[j]
		}
	}
	return nil
}
