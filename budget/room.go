package budget

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// Room reports whether one more node may be disrupted for a reason while those in u are being disrupted, and until when
// this stays so if only time changes. A zero end is as in [Set.AtMost].
func (s Set) Room(now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	set := s.get()
	if !set.specific || now.IsZero() || set.sure(reason, u) == u.TotalFor(reason) {
		full, end := s.AtMost(now, nodes, reason, u.TotalFor(reason))
		return !full, end
	}
	reasons := append(slices.Sorted(maps.Keys(u.byReason)), reason)
	return lasts(now, set.sharing(reasons, nodes, u.TotalFor(reason)), farthest/len(reasons), func(at time.Time) bool {
		return hasRoom(s, at, nodes, reason, u)
	})
}

func hasRoom(s Set, now time.Time, nodes int, reason candidate.Reason, u Usage) bool {
	allowance, _ := AllowedByReason(s, now, nodes, reason)
	return allowance.Remaining(s.InUse(now, nodes, reason, u)) > 0
}

// Regroups returns when time alone may next change which other reasons share the allowance for a reason (see
// [Set.InUse]). Zero means never. It is always zero if the most restrictive budgets decide.
func (s Set) Regroups(now time.Time, reason candidate.Reason) (next time.Time) {
	set := s.get()
	if !set.specific || reason == "" || now.IsZero() {
		return next
	}
	own := set.mayDecide(reason)
	involved := own // its children share them
	for i := range set.alikes {
		if theirs := set.mayDecideFor(&set.alikes[i].concern); theirs&own != 0 {
			involved |= theirs
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
