package lint

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// handing says to give the one budget in the way of another's window a schedule for the remaining hours.
func (l *linter) handing(i int, rivals budget.Indexes) (advice string, ok bool) {
	rival := bits.TrailingZeros64(uint64(rivals))
	own, other := l.ofPool(i), l.ofPool(rival)
	if rivals != only(rival) || own == nil || other == nil || own.Constant() || !other.Constant() ||
		own.N == 0 {
		return "", false
	}
	rest := l.weekly("", own.Window.Outside())
	if len(rest) != 1 {
		return "", false
	}
	list := l.change(rival, func(b *budget.Budget) { b.Schedule, b.Duration = rest[0].Schedule, rest[0].Duration })
	decides := false
	if !l.proves(l.compiled(list), l.reasons, func(_ candidate.Reason, before, after []budget.Segment) bool {
		decides = decides || slices.ContainsFunc(after, func(s budget.Segment) bool { return s.Binding.Has(i) })
		return hasUnlimited(before) || !hasUnlimited(after)
	}) || !decides {
		return "", false
	}
	return fmt.Sprintf(`write "schedule": %q, "duration": %q in %s%s, so that this one decides in its window`,
		rest[0].Schedule, rest[0].Duration, l.set.Place(rival), l.butWhich(list)), true
}

// ofPool returns the budget for the whole pool at a position, if it is one.
func (l *linter) ofPool(i int) *budget.Limit {
	if j := slices.IndexFunc(l.limits.pool, func(b *budget.Limit) bool { return b.Index == i }); j >= 0 {
		return l.limits.pool[j]
	}
	return nil
}
