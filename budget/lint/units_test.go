package lint_test

import (
	"slices"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
)

func TestAUnitThatIsLargerThanAllBudgetsAllowIsFound(t *testing.T) {
	for _, test := range []struct {
		name  string
		spec  budget.Spec
		unit  int
		found bool
	}{
		{"a unit of four under a limit of two", budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}}, 4, true},
		{"under a percentage", budget.Spec{Budgets: []budget.Budget{{Nodes: "10%"}}}, 4, true},
		{"one that fits", budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, 4, false},
		{"one that fits at night", budget.Spec{Budgets: []budget.Budget{{Nodes: "2", Schedule: "0 6 * * *", Duration: "12h"}, {Nodes: "4"}}}, 4, false},
		{"one that is disrupted alone", budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Oversized: "alone"}, 4, false},
		{"no units", budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}}, 0, false},
		{"no budget that allows any", budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}}, 4, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, _ := test.spec.Compile()
			all := lint.Run(set, lintNow, lint.Facts{Nodes: 20, Unit: test.unit})
			found := slices.ContainsFunc(all, func(f lint.Finding) bool { return f.Code == "unit-exceeds-cap" })
			if found != test.found {
				t.Errorf("found is %v: %v", found, all)
			}
		})
	}
}
