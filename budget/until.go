package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// AtMost reports whether at most n of the nodes may be disrupted for a reason, and until when this stays so if only
// time changes. A zero end means for ever, or beyond the limits of [schedule.Window.State]. If the most specific
// budgets decide, it may also mean that the answer stays the same for 4,000 changes of budgets. Exported for
// callers that ask when a pool closes.
func (s *Limits) AtMost(now time.Time, nodes int, reason candidate.Reason, n int) (holds bool, end time.Time) {
	switch {
	case n < 0:
		return false, end // allowances are at least 0
	case n >= Unlimited || !s.Knows(reason) || s.BrokenFor(reason) || now.IsZero():
		return true, end
	case s.Specific:
		return lasts(now, s.changing(reason, nodes, n), farthest, func(at time.Time) bool {
			return s.allowed(at, nodes, reason).Nodes <= n
		})
	}
	return s.unions.until(s.Pool, func(b *Limit) bool { return b.Limit.Of(nodes) <= n && b.Covers(reason) }, now)
}

// farthest is the number of changes of budgets after which an answer counts as lasting for ever.
const farthest = 4000

// lasts reports whether something holds now that depends on which of some budgets are active, and until when this stays
// so. Where the same ones are active, it is not asked again: windows come back, and to find out what holds is dear.
func lasts(now time.Time, budgets []*Limit, most int, holds func(time.Time) bool) (first bool, end time.Time) {
	first = holds(now)
	var same [8]Indexes // with which it holds as it does now
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
			break
		}
	}
	return first, time.Time{}
}

// Until returns when the number of Allowed next changes, if only time changes. The budgets that set it may
// change earlier. Zero means never, or beyond the limits of AtMost.
func (s *Limits) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	allowance := s.allowed(now, nodes, reason)
	_, fewer := s.AtMost(now, nodes, reason, allowance.Nodes-1) // false now, true once the number falls
	if allowance.Nodes == Unlimited {
		return fewer
	}
	_, same := s.AtMost(now, nodes, reason, allowance.Nodes) // true now, false once the number rises
	return schedule.First(fewer, same)
}
