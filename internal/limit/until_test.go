package limit

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// An answer is found that changes with the last of so many changes of budgets, and one that changes later lasts for ever.
func TestAnAnswerLastsForEverAfterSoManyChanges(t *testing.T) {
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	hourly, err := schedule.Parse("@hourly", 30*time.Minute, "")
	if err != nil {
		t.Fatal(err)
	}
	for minutes, found := range map[time.Duration]bool{30: true, 90: true, 120: true, 150: false} { // it changes each half an hour
		change := start.Add(minutes * time.Minute)
		first, end := lasts(start, []*Budget{{Window: hourly}}, 4, func(at time.Time) bool { return at.Before(change) })
		if !first || end.Equal(change) != found || end.IsZero() == found {
			t.Errorf("what changes after %d minutes ends at %v", minutes, end)
		}
	}
}
