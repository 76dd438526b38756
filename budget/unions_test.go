package budget_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
)

// What a Set remembers of earlier answers changes none.
func TestASetAnswersTheSameHoweverOftenItIsAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var budgets []budget.Budget
		for i := range rapid.IntRange(1, 8).Draw(t, "budgets") {
			budgets = append(budgets, budget.Budget{
				Nodes:    fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "nodes")),
				Schedule: fmt.Sprintf("%d %d * * *", i, rapid.IntRange(0, 23).Draw(t, "hour")),
				Duration: fmt.Sprintf("%dh", rapid.IntRange(1, 23).Draw(t, "length")),
			})
		}
		compiled := func() budget.Set {
			set, err := budget.Compile(budgets)
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		asked, now := compiled(), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		for range 20 {
			n := rapid.IntRange(0, 5).Draw(t, "at most")
			holds, end := asked.Limits().AtMost(now, 10, "Drifted", n)
			wantHolds, want := compiled().Limits().AtMost(now, 10, "Drifted", n)
			if holds != wantHolds || !end.Equal(want) {
				t.Fatalf("at %v, at most %d: %t until %v, asked for the first time %t until %v", now, n, holds, end, wantHolds, want)
			}
			now = now.Add(time.Duration(rapid.IntRange(-60, 600).Draw(t, "minutes")) * time.Minute)
		}
	})
}
