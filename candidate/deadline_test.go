package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

func TestDeadlinesOfConditions(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name                 string
		since, deadline, now time.Time
		has, overdue         bool
	}{
		{"none", now, time.Time{}, now, false, false},
		{"ahead", now, now.Add(1), now, true, false},
		{"come", now.Add(-1), now, now, true, true},
		{"as soon as the reason holds", now, now, now, true, true},
		{"before the reason holds", now, now.Add(-1), now, false, false},
		{"of a reason of which nobody knows since when it holds", time.Time{}, now, now, true, true},
		{"without a time", now, now, time.Time{}, true, false},
	} {
		condition := candidate.Condition{Since: c.since, Deadline: c.deadline}
		if has, overdue := condition.HasDeadline(), condition.Overdue(c.now); has != c.has || overdue != c.overdue {
			t.Errorf("%s: has a deadline: %t, overdue: %t", c.name, has, overdue)
		}
	}
}
