package lint_test

import (
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
)

// Programs point at the subject: at the budget that the advice says to delete, not at the tighter one beside it.
func TestTheSubjectOfNeverBindsIsTheBudgetToDelete(t *testing.T) {
	for budgets, want := range map[string]string{
		`{"nodes": "10%"}, {"nodes": "20%"}`: "1",
		`{"nodes": "20%"}, {"nodes": "10%"}`: "0",
		`{"nodes": "10%"}, {"nodes": "2", "per": "1h", "reasons": ["Drifted"]}, {"nodes": "2", "per": "24h"}`: "1",
		`{"nodes": "10%"}, {"nodes": "2", "per": "24h"}, {"nodes": "2", "per": "1h", "reasons": ["Drifted"]}`: "2",
	} {
		set, err := decodeSpec(t, `{"budgets": [`+budgets+`]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			if f.Code != "never-binds" {
				continue
			}
			if found = true; f.Subject.String() != want || f.Subject&^f.Budgets != 0 {
				t.Errorf("%s: the subject is %s of %s, want %s", budgets, f.Subject, f.Budgets, want)
			}
		}
		if !found {
			t.Errorf("%s: not found", budgets)
		}
	}
}

// For some number of nodes, however large, a budget may be the tightest.
func TestABudgetThatIsTheTightestForSomeNumberOfNodesBinds(t *testing.T) {
	numbers := []string{"0", "1", "5", "99", "100", "101", "150", "3000", "0%", "1%", "2%", "33%", "34%", "50%", "99%", "100%"}
	for _, a := range numbers {
		for _, b := range numbers {
			for _, c := range []string{"", "7", "51%"} {
				texts := slices.DeleteFunc([]string{a, b, c}, func(text string) bool { return text == "" })
				var list []budget.Budget
				for _, nodes := range texts {
					list = append(list, budget.Budget{Nodes: nodes})
				}
				set, err := budget.Compile(list)
				if err != nil {
					t.Fatal(err)
				}
				var idle budget.Indexes
				for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
					if f.Code == "never-binds" {
						idle |= f.Subject
					}
				}
				rest := slices.Clone(list)
				for i := len(rest) - 1; i >= 0; i-- {
					if idle.Has(i) {
						rest = slices.Delete(rest, i, i+1)
					}
				}
				for _, nodes := range []int{1, 2, 3, 50, 99, 100, 149, 200, 301, 5000, 1_000_000} {
					want, _ := budget.AllowedByReason(set, lintNow, nodes, "Drifted")
					without, _ := budget.Compile(rest)
					if got, _ := budget.AllowedByReason(without, lintNow, nodes, "Drifted"); got.Nodes != want.Nodes {
						t.Errorf("%v without %s: %d of %d nodes instead of %d", texts, idle, got.Nodes, nodes, want.Nodes)
					}
				}
			}
		}
	}
}
