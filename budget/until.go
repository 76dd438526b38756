package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Until returns when the number of AllowedByReason next changes, if only time changes. The budgets that set the number
// may change earlier. Zero means never, or beyond the limits of [schedule.Window.State]. If the most specific budgets
// decide, it may also mean that the number stays the same for 4,000 changes of budgets.
func (s Set) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	return s.Compiled().Until(now, nodes, reason)
}
