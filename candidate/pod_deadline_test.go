package candidate_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/schedule"
)

// A node with a termination grace period, for a reason that is not eventual: its pods block it until it is overdue.
func TestPodsBlockUntilTheirNodeIsOverdue(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	noon := schedule.MustParse("0 12 * * *", time.Hour, "")
	n := candidate.Node{Name: "a", Pool: "default", HasGracePeriod: true, Pods: []candidate.Pod{
		{Name: "job", Terms: candidate.Terms{Protect: candidate.Forever}}, {Name: "web", Terms: candidate.Terms{Window: noon}},
	}}
	c := candidate.Condition{Reason: candidate.Empty, Since: now.Add(-time.Hour), Deadline: now.Add(3 * time.Hour)}

	v := fixture.Open(candidate.Rules{}, now).Judge(&n, c)
	if len(v.Blockers) != 1 || !v.Blockers[0].Until.Equal(c.Deadline) || v.Blockers[0].ForGood || v.Waived {
		t.Errorf("%+v", v.Blockers)
	}
	if closes := now.Add(time.Hour); !v.Until.Equal(closes) {
		t.Errorf("the window closes at %v", v.Until)
	}
	if v := fixture.Open(candidate.Rules{}, c.Deadline).Judge(&n, c); len(v.Blockers) > 0 || !v.Waived {
		t.Errorf("overdue: %v", v.Blockers)
	}
	n.HasGracePeriod = false
	for _, at := range []time.Time{now, c.Deadline} {
		if v := fixture.Open(candidate.Rules{}, at).Judge(&n, c); len(v.Blockers) == 0 || !v.Blockers[0].ForGood {
			t.Errorf("without a grace period: %v", v.Blockers)
		}
	}
}
