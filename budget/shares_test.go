package budget_test

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestAReasonHasOneShareAndOnlyWhereTheMostRestrictiveDecide(t *testing.T) {
	share := func(reasons ...candidate.Reason) budget.Budget {
		return budget.Budget{Nodes: "2", Guaranteed: true, Reasons: reasons}
	}
	for _, c := range []struct {
		name string
		spec budget.Spec
		want string // in the error; "": it compiles
	}{
		{"two reasons", budget.Spec{Budgets: []budget.Budget{{}, share("Drifted"), share("Empty")}}, ""},
		{"one reason twice", budget.Spec{Budgets: []budget.Budget{{}, share("Empty", "Drifted"), share("Drifted")}},
			"budgets[2].reasons: reason Drifted already has guaranteed nodes in budgets[1]: write one such budget for each reason"},
		{"a child after its method", budget.Spec{Budgets: []budget.Budget{share("Drifted"), share("Drifted/AMIDrift")}}, "reason Drifted/AMIDrift already has"},
		{"a method after its child", budget.Spec{Budgets: []budget.Budget{share("Drifted/AMIDrift"), share("Drifted")}}, "reason Drifted already has"},
		{"the most specific decide", budget.Spec{Budgets: []budget.Budget{{}, share("Drifted")}, MostSpecific: true}, "leave guaranteed out"},
	} {
		set, err := c.spec.Compile()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if got, _ := budget.AllowedByReason(set, friday, 100, "Drifted/AMIDrift"); err != nil && got.Nodes > 2 || err == nil && got.Nodes != 10 {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
