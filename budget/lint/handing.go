package lint

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// handing says how to let a window allow more, if a single budget that is always active is in its way: that one gets
// the remaining hours or, if it is for more reasons, a second budget does for those of the window.
func (l *linter) handing(i int, rivals budget.Indexes) []way {
	at := bits.TrailingZeros64(uint64(rivals))
	own, other := l.ofPool(i), l.ofPool(at)
	if rivals != only(at) || own == nil || other == nil || own.Constant() || !other.Constant() || own.N == 0 ||
		l.list[i].Outside {
		return nil
	}
	rest := l.weekly(own.Window.Outside())
	if len(rest) != 1 {
		return nil
	}
	timed := l.list[at]
	timed.Schedule, timed.Duration = rest[0].Schedule, rest[0].Duration
	w := way{raises: true, good: func(after *linter) bool { return !l.opensFully(after) }}
	if coversReasons(own, other) {
		w.does = fmt.Sprintf(`write "schedule": %q, "duration": %q in %s, so that %s decides in its window`,
			timed.Schedule, timed.Duration, l.set.Place(at), l.set.Place(i))
		w.edits = l.replacing(at, timed)
		return []way{w}
	}
	timed.Reasons = own.Reasons
	others := slices.DeleteFunc(l.methods(), func(r candidate.Reason) bool { return !other.Covers(r) || own.Covers(r) })
	if slices.ContainsFunc(own.Reasons, func(r candidate.Reason) bool { return r != r.Method() }) {
		return nil
	}
	w.does = fmt.Sprintf(`write "reasons": %s in %s, and add %s, so that %s decides in its window`, jsonList(others),
		l.set.Place(at), l.literals(timed), l.set.Place(i))
	w.edits = append(l.edit(at, func(b *budget.Budget) { b.Reasons = others }), l.adding(timed)...)
	return []way{w}
}

// opensFully reports whether a list has no limit for a reason at some time, unlike before.
func (l *linter) opensFully(after *linter) bool {
	return slices.ContainsFunc(l.consulted(after), func(r candidate.Reason) bool {
		return l.asks(r) && !hasUnlimited(l.effective(r)) && hasUnlimited(after.effective(r))
	})
}

// ofPool returns the budget for the whole pool at a position, if it is one.
func (l *linter) ofPool(i int) *budget.Limit {
	if j := slices.IndexFunc(l.limits.pool, func(b *budget.Limit) bool { return b.Index == i }); j >= 0 {
		return l.limits.pool[j]
	}
	return nil
}
