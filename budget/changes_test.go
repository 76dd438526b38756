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
		lasts(t, s, now, end, "that there is room", truth)
	})
}

func TestUntilWhenANumberHolds(t *testing.T) {
	at := func(clock string) time.Time {
		got, err := time.Parse("2006-01-02 15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	daily := func(nodes, from, d string, named ...candidate.Reason) budget.Budget {
		return budget.Budget{Nodes: nodes, Schedule: "0 " + from + " * * *", Duration: d, Reasons: named}
	}
	never := time.Time{}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		reason  candidate.Reason
		want    time.Time
	}{
		{"a less specific budget that ends changes nothing, while a more specific one decides",
			[]budget.Budget{daily("3", "11", "2h"), {Nodes: "5", Reasons: reasons{"Drifted"}}}, "Drifted", never},
		{"nor does one that is tighter", []budget.Budget{daily("0", "14", "2h"), {Nodes: "5", Reasons: reasons{"Drifted"}}}, "Drifted/AMIDrift", never},
		{"a more specific one that comes decides, also where it is looser", []budget.Budget{{Nodes: "3"}, daily("9", "15", "2h", "Drifted")},
			"Drifted", at("2026-11-20 15:00")},
		{"a child's own comes, with the same number", []budget.Budget{{Nodes: "3"}, daily("3", "15", "2h", "Drifted/AMIDrift")}, "Drifted/AMIDrift", never},
		{"a child's own is nothing to its method", []budget.Budget{{Nodes: "3"}, daily("9", "15", "2h", "Drifted/AMIDrift")}, "Drifted", never},
		{"a method's own ends, and the next less specific one has the same number", []budget.Budget{{Nodes: "3"}, daily("3", "11", "3h", "Drifted")}, "Drifted", never},
		{"it ends, and so has that", []budget.Budget{daily("3", "9", "8h"), daily("3", "11", "3h", "Drifted")}, "Drifted", at("2026-11-20 17:00")},
		{"a method's own comes before a child's own does, and allows more than both that and what is for all",
			[]budget.Budget{{Nodes: "0"}, daily("0", "20", "2h", "Drifted/AMIDrift"), daily("9", "15", "2h", "Drifted")}, "Drifted/AMIDrift", at("2026-11-20 15:00")},
		{"nothing decides before tomorrow", []budget.Budget{daily("3", "11", "1h", "Drifted")}, "Drifted", at("2026-11-21 11:00")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := specific(t, c.budgets...).Until(aFriday, 100, c.reason); !got.Equal(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
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

// Those of other reasons change nothing, whatever they allow.
func TestBudgetsOfOtherReasonsThatChangeAllTheTimeHideNothing(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "0", Schedule: "*/10 * * * *", Duration: "5m", Reasons: reasons{"Empty"}},
		budget.Budget{Nodes: "9", Reasons: reasons{"Empty"}},
		budget.Budget{Nodes: "0", Schedule: "0 0 24 12 *", Duration: "72h", Reasons: reasons{"Drifted"}}, budget.Budget{Nodes: "5"})
	want := time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)
	if got := set.Until(aFriday, 100, "Drifted"); !got.Equal(want) {
		t.Errorf("Until: %v, want %v", got, want)
	}
	if room, got := set.Room(aFriday, 100, "Drifted", usage(map[candidate.Reason]int{"Drifted": 1, "Expired": 1})); !room || !got.Equal(want) {
		t.Errorf("Room: %t until %v, want %v", room, got, want)
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

// Who uses up what changes, too, though the allowance does not.
func TestUntilWhenThereIsRoom(t *testing.T) {
	window := func(b budget.Budget) budget.Budget { b.Schedule, b.Duration = "0 15 * * *", "2h"; return b }
	three := map[candidate.Reason]int{"Drifted": 3}
	at := func(hour int) time.Time { return time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name     string
		budgets  []budget.Budget
		inFlight map[candidate.Reason]int
		room     bool
		end      time.Time
	}{
		{"drift in flight gets a budget of its own, larger than all that there is", []budget.Budget{{Nodes: "3"}, window(budget.Budget{Nodes: "50", Reasons: reasons{"Drifted"}})},
			three, false, at(15)},
		{"what is asked for gets one", []budget.Budget{{Nodes: "3"}, window(budget.Budget{Nodes: "50", Reasons: reasons{"Empty"}})}, three, false, at(15)},
		{"that of drift in flight ends, and it shares from then on",
			[]budget.Budget{{Nodes: "3"}, {Nodes: "50", Reasons: reasons{"Drifted"}, Schedule: "0 11 * * *", Duration: "3h"}}, three, true, at(14)},
		{"a budget for all begins, of just as many as are in flight", []budget.Budget{window(budget.Budget{Nodes: "3"})}, three, true, at(15)},
		{"or of one more", []budget.Budget{window(budget.Budget{Nodes: "4"})}, three, true, time.Time{}},
		{"nobody knows why they go, whatever begins", []budget.Budget{{Nodes: "3"}, window(budget.Budget{Nodes: "3", Reasons: reasons{"Empty"}})},
			map[candidate.Reason]int{"": 3}, false, time.Time{}},
		{"nobody knows of some of them", []budget.Budget{{Nodes: "3"}, window(budget.Budget{Nodes: "3", Reasons: reasons{"Empty"}})},
			map[candidate.Reason]int{"": 2, "Drifted": 1}, false, at(15)},
		{"they go for what is asked for", []budget.Budget{{Nodes: "3"}, window(budget.Budget{Nodes: "3", Reasons: reasons{"Drifted"}})},
			map[candidate.Reason]int{"Empty": 3}, false, time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			room, end := specific(t, c.budgets...).Room(aFriday, 100, "Empty", usage(c.inFlight))
			if room != c.room || !end.Equal(c.end) {
				t.Errorf("%t until %v, want %t until %v", room, end, c.room, c.end)
			}
		})
	}
}
