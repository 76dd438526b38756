package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
)

func TestLintOfSoaks(t *testing.T) {
	const nights = `{"nodes": "0", "schedule": "0 2 * * *", "duration": "2h", "outside": true}`
	past := func(which, soak, lasts string) []string {
		return []string{"warning soaks-past-window: Drifted, Empty and Underutilized are allowed by " + which + ", whose slots soak for " + soak +
			", but only for " + lasts + " at a time: so each window has one batch of nodes → write a shorter soak, more nodes, or a longer window"}
	}
	for _, c := range []struct {
		name, budgets string
		want          []string
	}{
		{"a soak without windows", `{"nodes": "1", "soak": "720h"}`, nil},
		{"a soak that is shorter than the window", `{"nodes": "1", "soak": "119m"}, ` + nights, nil},
		{"a soak as long as the window", `{"nodes": "1", "soak": "2h"}, ` + nights, past("budgets[0] is 1, soak 2h", "2h", "2h")},
		{"a soak as long as the budget's own window", `{"nodes": "1", "soak": "3h", "schedule": "0 8 * * *", "duration": "3h"}, {"nodes": "2"}`,
			past("budgets[0] is 1, soak 3h (0 8 * * * for 3h, UTC)", "3h", "3h")},
		{"a soak of one day in a window of dates", `{"nodes": "1", "soak": "24h", "from": "2026-12-23", "to": "2026-12-24"}, {"nodes": "2"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`).Compile()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 10}) {
				if f.Code == "soaks-past-window" {
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of two budgets with the same number, the one that soaks makes a difference, whichever is first.
func TestABudgetThatSoaksBinds(t *testing.T) {
	for _, budgets := range []string{`{"nodes": "1"}, {"nodes": "1", "soak": "10m"}`, `{"nodes": "2", "soak": "10m"}, {"nodes": "1"}`} {
		set, _ := decodeSpec(t, `{"budgets": [`+budgets+`]}`).Compile()
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 10}) {
			for i := range f.Subject.All() {
				if f.Code == "never-binds" && set.Budgets()[i].Soak != "" {
					t.Error(f)
				}
			}
		}
	}
}
