package budget

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// An answer is found that changes with the last of so many changes of budgets. If it changes later, what holds lasts up to there, and what
// does not hold never does.
func TestAnAnswerLastsAsLongAsItIsLookedFor(t *testing.T) {
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	hourly, err := schedule.Parse("@hourly", 30*time.Minute, "")
	if err != nil {
		t.Fatal(err)
	}
	for minutes, found := range map[time.Duration]bool{30: true, 90: true, 120: true, 150: false} { // it changes each half an hour
		change := start.Add(minutes * time.Minute)
		once, err := schedule.Parse(change.Format("4 15 2 1 *"), time.Hour, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, holds := range []bool{true, false} {
			first, end := lasts(start, []*Limit{{Window: hourly}, {Index: 1, Window: once}}, 4, func(at time.Time) bool { return schedule.InWindow(once, at) != holds })
			want := change
			if !found && holds {
				want = start.Add(2 * time.Hour)
			} else if !found {
				want = time.Time{}
			}
			if first != holds || !end.Equal(want) {
				t.Errorf("what is %t, and changes after %d minutes, ends at %v", holds, minutes, end)
			}
		}
	}
}

// Six budgets are active at times, some of them together: more states than are remembered. Only the last of them is another answer.
func TestWhatIsRememberedOfStatesChangesNoAnswer(t *testing.T) {
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	var budgets []*Limit
	for i, text := range []string{"@hourly", "0 */2 * * *", "0 */3 * * *", "0 */5 * * *", "0 */7 * * *", "0 */11 * * *"} {
		w, err := schedule.Parse(text, 30*time.Minute, "")
		if err != nil {
			t.Fatal(err)
		}
		budgets = append(budgets, &Limit{Index: i, Window: w})
	}
	all := func(at time.Time) (active Indexes) {
		for _, b := range budgets {
			if schedule.InWindow(b.Window, at) {
				active.Add(b.Index)
			}
		}
		return active
	}
	seen := map[Indexes]bool{}
	for at := start; at.Before(start.Add(24 * time.Hour)); at = at.Add(30 * time.Minute) {
		state := all(at)
		if seen[state] {
			continue
		}
		seen[state] = true
		first, end := lasts(start, budgets, farthest, func(at time.Time) bool { return all(at) != state })
		if at.Equal(start) != !first || !at.Equal(start) && !end.Equal(at) {
			t.Errorf("%s are active first at %v: %t until %v", state, at, first, end)
		}
	}
	if len(seen) < 9 {
		t.Errorf("%d states are fewer than are remembered", len(seen))
	}
}
