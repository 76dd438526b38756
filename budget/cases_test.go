package budget_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// TestReportedBudgets holds budgets that people reported because they did not do what they meant, and what they do in
// truth with 100 nodes: checked for each minute of a week.
func TestReportedBudgets(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]struct {
		Meant   string
		Budgets []budget.Budget
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	const unlimited = budget.Unlimited
	type byReason map[candidate.Reason]int
	always := func(n byReason) func(time.Time) byReason { return func(time.Time) byReason { return n } }
	for name, c := range map[string]struct {
		broken bool
		got    func(now time.Time) byReason
	}{
		"a7026": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: 20, candidate.Underutilized: unlimited, candidate.Drifted: unlimited}
			if h := now.Hour(); 2 <= h && h < 6 {
				got[candidate.Underutilized] = 20
			}
			return got
		}},
		"a7842": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: unlimited, candidate.Underutilized: unlimited, candidate.Drifted: unlimited}
			if h := now.Hour(); 7 <= h && h < 20 {
				got[candidate.Drifted] = 20
			}
			return got
		}},
		"a8290": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: 10, candidate.Underutilized: 10, candidate.Drifted: unlimited}
			if h := now.Hour(); 12 <= h && h < 15 {
				got[candidate.Drifted] = 90
			}
			return got
		}},
		"k1866": {broken: true, got: always(byReason{candidate.Empty: 0, candidate.Underutilized: 0, candidate.Drifted: 0})},
		"k2183": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: 35, candidate.Underutilized: unlimited, candidate.Drifted: unlimited}
			if h := now.Hour(); now.Weekday() == time.Monday && 1 <= h && h < 5 {
				got[candidate.Underutilized], got[candidate.Drifted] = 35, 35
			}
			return got
		}},
		"k2374": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: 100, candidate.Underutilized: unlimited, candidate.Drifted: 0}
			if now.Hour() == 10 && now.Minute() < 10 {
				got[candidate.Drifted] = 50
			}
			return got
		}},
		"rfc-business-hours": {got: func(now time.Time) byReason {
			got := byReason{candidate.Empty: 10, candidate.Underutilized: 10, candidate.Drifted: 10}
			day, h := now.Weekday(), now.Hour()
			evening := time.Monday <= day && day <= time.Friday && h >= 17
			morning := time.Tuesday <= day && day <= time.Saturday && h < 9
			if evening || morning {
				got[candidate.Drifted] = 0
			}
			return got
		}},
	} {
		t.Run(name, func(t *testing.T) {
			budgets := cases[name].Budgets
			if len(budgets) == 0 {
				t.Fatal("no such case in testdata/cases.json")
			}
			set, err := budget.Compile(budgets)
			if (err != nil) != c.broken {
				t.Fatalf("Compile: %v", err)
			}
			from := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) // a Monday
			for now := from; now.Before(from.AddDate(0, 0, 7)); now = now.Add(time.Minute) {
				for reason, want := range c.got(now) {
					got, err := budget.AllowedByReason(set, now, 100, reason)
					if got.Nodes != want || (err != nil) != c.broken {
						t.Fatalf("%s at %s: %d allowed, want %d (%v)", reason, now.Format("Mon 15:04"), got.Nodes, want, err)
					}
				}
			}
		})
	}
}
