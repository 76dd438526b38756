package budget

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Room reports whether one more node may be disrupted for a reason while those in u are being disrupted, and until when
// this stays so if only time changes. A zero end is as in Until.
func (s Set) Room(now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	return s.get().room(now, nodes, reason, u)
}

func (s *set) room(now time.Time, nodes int, reason candidate.Reason, u Usage) (room bool, end time.Time) {
	if !s.specific || now.IsZero() || s.sure(reason, u) == u.TotalFor(reason) {
		full, end := s.atMost(now, nodes, reason, u.TotalFor(reason))
		return !full, end
	}
	reasons := append(slices.Sorted(maps.Keys(u.byReason)), reason)
	return lasts(now, s.sharing(reasons, nodes, u.TotalFor(reason)), farthest/len(reasons), func(at time.Time) bool {
		return s.allowed(at, nodes, reason).Remaining(s.inUse(at, nodes, reason, u)) > 0
	})
}

// Regroups returns when time alone may next change which other reasons share the allowance for a reason (see
// InUse). Zero means never. It is always zero if the most restrictive budgets decide.
func (s Set) Regroups(now time.Time, reason candidate.Reason) (next time.Time) {
	return s.get().regroups(now, reason)
}

func (s *set) regroups(now time.Time, reason candidate.Reason) (next time.Time) {
	if !s.specific || reason == "" || now.IsZero() {
		return next
	}
	c := s.concern(reason)
	own := s.mayDecide(&c)
	involved := own // its children share them
	for _, c := range s.concerns {
		if theirs := s.mayDecide(&c); theirs&own != 0 {
			involved |= theirs
		}
	}
	for b := range s.each(involved) {
		_, end := b.Window.Until(now)
		next = schedule.First(next, end)
	}
	return next
}
