package budget

import (
	"testing"
	"time"
)

// An answer is found that changes with the last of so many changes of budgets, and one that changes later lasts for ever.
func TestAnAnswerLastsForEverAfterSoManyChanges(t *testing.T) {
	s := compiledList(t, 1, func(int) Budget { return Budget{Nodes: "1", Schedule: "@hourly", Duration: "30m"} })
	for minutes, found := range map[time.Duration]bool{30: true, 90: true, 120: true, 150: false} { // it changes each half an hour
		change := walkStart.Add(minutes * time.Minute)
		first, end := lasts(walkStart, s.at(1), 4, func(at time.Time) bool { return at.Before(change) })
		if !first || end.Equal(change) != found || end.IsZero() == found {
			t.Errorf("what changes after %d minutes ends at %v", minutes, end)
		}
	}
}
