package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// AtMost returns the window that is open whenever at most n of the nodes may be disrupted for a reason: the union of
// the windows of the budgets that say so. Its Until tells until when that holds, or when it will.
func AtMost(s Set, nodes int, reason candidate.Reason, n int) schedule.Window {
	set := s.get()
	switch {
	case n < 0:
		return schedule.Union() // never: the least is 0
	case n >= Unlimited || !set.knows(reason):
		return schedule.Window{}
	}
	var windows []schedule.Window
	for i := range set.pool {
		if b := &set.pool[i]; b.limit.of(max(nodes, 0)) <= n && b.covers(reason) {
			windows = append(windows, b.window)
		}
	}
	return schedule.Union(windows...)
}

// Until returns the time up to which AllowedByReason stays the same number, if nothing but time changes. Zero is for
// ever, or for longer than schedule.Window.State looks ahead. Which budgets say so may change before.
func Until(s Set, now time.Time, nodes int, reason candidate.Reason) time.Time {
	allowance, _ := AllowedByReason(s, now, nodes, reason)
	_, fewer := AtMost(s, nodes, reason, allowance.Nodes-1).Until(now) // closed now; opens when the number falls
	if allowance.Nodes == Unlimited {
		return fewer
	}
	_, same := AtMost(s, nodes, reason, allowance.Nodes).Until(now) // open now; closes when it rises
	return until.First(fewer, same)
}
