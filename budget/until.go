package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// AtMost reports whether at most n of the nodes may be disrupted for a reason, and until when that stays so, if
// nothing but time changes. Zero is for ever, or for longer than schedule.Window.State looks ahead; where the most
// specific budgets decide, than some thousand times at which budgets become active or inactive.
func (s Set) AtMost(now time.Time, nodes int, reason candidate.Reason, n int) (holds bool, end time.Time) {
	set := s.get()
	switch {
	case n < 0:
		return false, end // the least is 0
	case n >= Unlimited || !set.knows(reason) || set.brokenFor(reason) || now.IsZero():
		return true, end
	case set.specific:
		return lasts(now, set.changing(reason, nodes, n), farthest, func(at time.Time) bool {
			allowance, _ := AllowedByReason(s, at, nodes, reason)
			return allowance.Nodes <= n
		})
	}
	var tight []schedule.Window
	for i := range set.pool {
		if b := &set.pool[i]; b.limit.of(nodes) <= n && b.covers(reason) {
			tight = append(tight, b.window)
		}
	}
	return schedule.Union(tight...).Until(now)
}

// farthest is how many times budgets may become active or inactive before something counts as lasting for ever.
const farthest = 4000

// lasts reports whether something holds that depends on the activity of budgets, and until when that stays so.
func lasts(now time.Time, budgets []*compiled, most int, holds func(time.Time) bool) (first bool, end time.Time) {
	first = holds(now)
	n := 0
	for at := range changes(budgets, now) {
		if holds(at) != first {
			return first, at
		}
		if n++; n > most {
			break
		}
	}
	return first, time.Time{}
}

// brokenFor reports whether a broken budget lets nothing go for a reason.
func (s *set) brokenFor(reason candidate.Reason) bool {
	return slices.ContainsFunc(s.broken, func(b compiled) bool { return b.covers(reason) })
}

// Until returns the time up to which AllowedByReason stays the same number, if nothing but time changes. Zero is for
// ever, or for longer than schedule.Window.State looks ahead. Which budgets say so may change before.
func (s Set) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	allowance, _ := AllowedByReason(s, now, nodes, reason)
	_, fewer := s.AtMost(now, nodes, reason, allowance.Nodes-1) // not now; once the number falls
	if allowance.Nodes == Unlimited {
		return fewer
	}
	_, same := s.AtMost(now, nodes, reason, allowance.Nodes) // so now; no longer once it rises
	return until.First(fewer, same)
}
