package lint

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestAGapIsAnHourAtMostBetweenClosuresOfFourTimesItsLengthByDifferentBudgets(t *testing.T) {
	const hour = time.Hour
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		before, open, after time.Duration
		by, then            budget.Indexes
		gap                 bool
	}{
		{4 * hour, hour, 4 * hour, only(0), only(1), true},
		{24 * hour, hour + time.Minute, 24 * hour, only(0), only(1), false},
		{4*hour - time.Minute, hour, 24 * hour, only(0), only(1), false},
		{24 * hour, hour, 4*hour - time.Minute, only(0), only(1), false},
		{2 * hour, 30 * time.Minute, 2 * hour, only(0), only(1), true},
		{24 * hour, hour, 24 * hour, only(0), only(0), false},
		{24 * hour, hour, 24 * hour, only(0) | only(2), only(1) | only(2), false},
	} {
		phases := []phase{
			{Span: schedule.Span{Start: start, End: start.Add(row.before)}, last: row.by},
			{Span: schedule.Span{Start: start.Add(row.before), End: start.Add(row.before + row.open)}, open: true},
			{Span: schedule.Span{Start: start.Add(row.before + row.open), End: start.Add(row.before + row.open + row.after)}, first: row.then},
		}
		if got := isGap(phases, 1); got != row.gap {
			t.Errorf("open for %s after %s by %v and before %s by %v: %t", row.open, row.before, row.by, row.after, row.then, got)
		}
	}
}
