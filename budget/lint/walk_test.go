package lint

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var walkStart = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func compiledList(t *testing.T, n int, write func(i int) budget.Budget) budget.Set {
	t.Helper()
	var list []budget.Budget
	for i := range n {
		list = append(list, write(i))
	}
	s, err := budget.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// 50 reasons in each of 50 budgets are one reason to look at, and no reason is looked at more often than the bound says.
func TestAWalkLooksOnceForAllReasonsThatTheSameBudgetsConcern(t *testing.T) {
	var reasons []candidate.Reason
	for i := range 50 {
		reasons = append(reasons, candidate.Reason(fmt.Sprintf("Drifted/R%d", i)))
	}
	s := compiledList(t, 50, func(i int) budget.Budget {
		return budget.Budget{Nodes: "5", Reasons: reasons, Schedule: fmt.Sprintf("%d-59/2 * * * *", i%2), Duration: "1m"}
	})
	l := newLinter(s, walkStart, Facts{Nodes: 100})
	times, looks := map[time.Time]bool{}, 0
	upTo, left := l.walk(reasons, func(now time.Time, _ budget.Indexes, a *budget.Alike) (enough bool) {
		if len(a.Reasons) != len(reasons) {
			t.Fatalf("%d of %d reasons", len(a.Reasons), len(reasons))
		}
		times[now] = true
		looks++
		return false
	})
	if looks != len(times) || looks*51 > mostWork || len(left) != 1 || !upTo.Before(l.end) {
		t.Errorf("%d looks at %d times, up to %v: %d left", looks, len(times), upTo, len(left))
	}
}

func TestAWalkEndsOnceItHasSeenEnough(t *testing.T) {
	s := compiledList(t, 2, func(i int) budget.Budget {
		return budget.Budget{Nodes: "5", Reasons: []candidate.Reason{candidate.Methods()[i]}, Schedule: fmt.Sprintf("%d-59/2 * * * *", i), Duration: "1m"}
	})
	l := newLinter(s, walkStart, Facts{Nodes: 100})
	looks := 0
	upTo, left := l.walk(candidate.Methods(), func(time.Time, budget.Indexes, *budget.Alike) (enough bool) {
		looks++
		return looks > 4
	})
	if looks != 7 || !upTo.Equal(l.end) || len(left) != 0 {
		t.Errorf("%d looks up to %v: %v", looks, upTo, left)
	}
}

// One walk finds whatever budgets meet: fifty that never do are not 1,225 searches.
func TestOneWalkFindsWhichSequentialBudgetsMeet(t *testing.T) {
	s := compiledList(t, 50, func(i int) budget.Budget {
		return budget.Budget{Nodes: "1", Schedule: fmt.Sprintf("%d * * * *", i), Duration: "1m", TopologyKey: "zone", Sequential: true}
	})
	l := newLinter(s, walkStart, Facts{Nodes: 100})
	looks := 0
	for _, segment := range zones(s.Limits(), l.now, l.end) {
		looks++
		if active := segment.Binding; active&(active-1) != 0 {
			t.Fatalf("%s are active together", active)
		}
	}
	if looks < 5000 || looks*50 > mostWork {
		t.Errorf("%d looks", looks)
	}
	if met := l.meetings(); len(met) != 50 { // each meets itself
		t.Error(met)
	}
}
