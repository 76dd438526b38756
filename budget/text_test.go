package budget_test

import (
	"fmt"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestValuesThatPeoplePrintSayWhatTheyAre(t *testing.T) {
	compile := func(budgets ...budget.Budget) budget.Set {
		set, _ := budget.Compile(budgets)
		return set
	}
	specific, _ := budget.Spec{MostSpecific: true, Budgets: []budget.Budget{{Nodes: "5", Reasons: []candidate.Reason{"Drifted"}}, {}}}.Compile()
	for _, c := range []struct {
		name  string
		value fmt.Stringer
		want  string
	}{
		{"the zero Set", budget.Set{}, "budgets[0] is 10%"},
		{"a freeze", compile(budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}, budget.Budget{Nodes: "5"}),
			"budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC), budgets[1] is 5"},
		{"an invalid budget", compile(budget.Budget{Nodes: "many"}), "budgets[0] is many, which is invalid and allows nothing"},
		{"budgets by reason", specific, "the most specific of budgets[0] is 5 (Drifted), budgets[1] is 10%"},
		{"an allowance", budget.Allowance{Nodes: 5, Binding: 5}, "5 at once (budgets 0, 2)"},
		{"the zero Allowance", budget.Allowance{}, "0 at once"},
		{"no limit", budget.Allowance{Nodes: budget.Unlimited}, "any number at once"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	none, _ := budget.Compile([]budget.Budget{})
	if got, want := none.String(), "no budgets: nothing is limited"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
