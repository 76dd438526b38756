package budget_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// lasts checks that something is the same before an end, but not at it.
func lasts[T comparable](t *rapid.T, s slowSpec, now, end time.Time, what string, at func(time.Time) T) {
	first := at(now)
	for range 4 {
		if then := s.drawBetween(t, now, end); at(then) != first {
			t.Fatalf("%s is %v at %v and %v at %v, before %v", what, first, now, at(then), then, end)
		}
	}
	if !end.IsZero() && (!end.After(now) || at(end) == first) {
		t.Fatalf("%s is %v at %v, and still at %v", what, first, now, end)
	}
}

func TestUntilIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		now, reason, nodes := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawReason(t), rapid.IntRange(0, 200).Draw(t, "nodes")
		end := set.Until(now, nodes, reason)
		lasts(t, s, now, end, "the allowance", func(at time.Time) int {
			allowed, _ := s.allowed(t, at, nodes, reason)
			return allowed
		})
	})
}

func TestRoomIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		now, reason, nodes := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawReason(t), rapid.IntRange(0, 200).Draw(t, "nodes")
		users := drawUsers(t)
		room, end := set.Room(now, nodes, reason, usageOf(users))
		truth := func(at time.Time) bool {
			allowed, _ := s.allowed(t, at, nodes, reason)
			return allowed > s.inUse(t, at, nodes, reason, users)
		}
		if room != truth(now) {
			t.Fatalf("there is room: %t", room)
		}
		if room && end.After(s.horizon(now)) { // it may have given up there
			end = time.Time{}
		}
		lasts(t, s, now, end, "that there is room", truth)
	})
}

// The number changes once a year; another budget becomes active every ten minutes, and decides nothing that matters.
func TestBudgetsThatChangeAllTheTimeDoNotHideOneThatSeldomDoes(t *testing.T) {
	busy := budget.Budget{Nodes: "9", Schedule: "*/10 * * * *", Duration: "5m", Reasons: reasons{"Drifted"}}
	freeze := budget.Budget{Nodes: "0", Schedule: "0 0 24 12 *", Duration: "72h", Reasons: reasons{"Drifted"}}
	want := time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)
	for name, spec := range map[string]budget.Spec{
		"the most restrictive decide": {Budgets: []budget.Budget{busy, freeze, {Nodes: "9"}}},
		"the most specific decide":    {Budgets: []budget.Budget{busy, freeze, {Nodes: "9"}}, MostSpecific: true},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Until(aFriday, 100, "Drifted"); !got.Equal(want) {
				t.Errorf("Until: %v, want %v", got, want)
			}
			if room, got := set.Room(aFriday, 100, "Drifted", budget.Usage{}); !room || !got.Equal(want) {
				t.Errorf("Room: %t until %v, want %v", room, got, want)
			}
		})
	}
}

// Budgets for all come and go behind one for the reason, which ends in 19 years. (Found by the law of NextChange.)
func TestBudgetsThatAreHiddenChangeNothing(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "6", From: "2045-04-02", Outside: true, Reasons: reasons{"Drifted"}},
		budget.Budget{Nodes: "82%", Schedule: "* 8-13 * * *", Duration: "1m"}, budget.Budget{Nodes: "0%", Schedule: "0 1 * * *", Duration: "1h"})
	if got, want := set.Until(aFriday, 0, "Drifted"), time.Date(2045, 4, 2, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("Until: %v, want %v", got, want)
	}
}

// What is for all falls to 0 in a month, but is hidden every other half hour until then, and when it does.
func TestAFreezeBehindABudgetThatComesAndGoesIsFound(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "9", Schedule: "0 * * * *", Duration: "30m", Reasons: reasons{"Drifted"}},
		budget.Budget{Nodes: "0", Schedule: "0 0 24 12 *", Duration: "72h"})
	want := time.Date(2026, 12, 24, 0, 30, 0, 0, time.UTC)
	if got := set.Until(aFriday, 100, "Drifted"); !got.Equal(aFriday.Truncate(time.Hour).Add(30 * time.Minute)) {
		t.Errorf("Until: %v", got)
	}
	if room, got := set.Room(aFriday, 100, "Drifted", usage(map[candidate.Reason]int{"Empty": 1})); !room || !got.Equal(want) {
		t.Errorf("Room: %t until %v, want %v", room, got, want)
	}
}
