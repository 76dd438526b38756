package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/plan"
)

func TestWithReplacesOneBudgetAndKeepsAllElse(t *testing.T) {
	list := []budget.Budget{{Nodes: "10%"}, {Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}}
	controls := budget.Spec{
		Budgets: list[:1], ConsolidationPolicy: "WhenEmpty",
		Drift:     budget.Control{DisruptAfter: "1h", Budgets: []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"AMIDrift"}}, {Nodes: "3"}}},
		Emptiness: budget.Control{Budgets: []budget.Budget{{Nodes: "x"}}},
	}
	for _, test := range []struct {
		rule string
		spec budget.Spec
		at   int
		with budget.Budget
		want string
	}{
		{"the first", budget.Spec{Budgets: list}, 0, budget.Budget{Nodes: "20%"}, "budgets[0] is 20%, budgets[1] is 0 (0 9 * * * for 8h, UTC)"},
		{"the last", budget.Spec{Budgets: list}, 1, budget.Budget{Nodes: "1"}, "budgets[0] is 10%, budgets[1] is 1"},
		{"the default", budget.Spec{}, 0, budget.Budget{Nodes: "20%"}, "budgets[0] is 20%"},
		{"a position behind the list", budget.Spec{Budgets: list}, 2, budget.Budget{}, "budgets[0] is 10%, budgets[1] is 0 (0 9 * * * for 8h, UTC)"},
		{"a position before the list", budget.Spec{Budgets: list}, -1, budget.Budget{}, "budgets[0] is 10%, budgets[1] is 0 (0 9 * * * for 8h, UTC)"},
		{"no budgets", budget.Spec{Budgets: []budget.Budget{}}, 0, budget.Budget{}, ""},
		{"one of a control", controls, 2, budget.Budget{Nodes: "4"}, "the most specific of budgets[0] is 10%, " +
			"drift.budgets[0] is 2 (Drifted/AMIDrift), drift.budgets[1] is 4 (Drifted), emptiness.budgets[0] is x (Empty), which is invalid"},
		{"a broken one is mended", controls, 3, budget.Budget{Nodes: "5"}, "the most specific of budgets[0] is 10%, " +
			"drift.budgets[0] is 2 (Drifted/AMIDrift), drift.budgets[1] is 3 (Drifted), emptiness.budgets[0] is 5 (Empty)"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			set, _ := test.spec.Compile()
			before := described(set)
			got, err := plan.WithBudget(set, test.at, test.with)
			if described(got) != test.want {
				t.Errorf("got  %s\nwant %s", described(got), test.want)
			}
			if (err != nil) != (got.Broken() != 0) {
				t.Errorf("the error is %v", err)
			}
			if described(set) != before {
				t.Errorf("the set has changed: %s", described(set))
			}
			for _, r := range candidate.Methods() {
				if set.Minimum(r).Held != got.Minimum(r).Held {
					t.Errorf("%s: disruptAfter has changed from %s to %s", r, set.Minimum(r).Held, got.Minimum(r).Held)
				}
			}
		})
	}
}

// Karpenter has no controls, so a position is one in the list, or in its default.
func TestWithReplacesWhatKarpenterReads(t *testing.T) {
	spec := budget.Spec{Defaults: budget.Control{Budgets: []budget.Budget{{Nodes: "0"}}}, Dialect: dialect.Karpenter}
	set, _ := spec.Compile()
	for at, want := range map[int]string{0: "budgets[0] is 3", 1: "budgets[0] is 10%"} {
		if got, _ := plan.WithBudget(set, at, budget.Budget{Nodes: "3"}); described(set) != "budgets[0] is 10%" || described(got) != want {
			t.Errorf("%d: %s became %s, want %s", at, described(set), described(got), want)
		}
	}
	if got, _ := plan.WithoutBudget(set, 0); described(got) != "" {
		t.Errorf("without: %s", described(got))
	}
}

func TestWithoutTakesOneBudgetOutAndKeepsAllElse(t *testing.T) {
	list := []budget.Budget{{Nodes: "10%"}, {Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}}
	controls := budget.Spec{
		Budgets:   list[:1],
		Drift:     budget.Control{DisruptAfter: "1h", Budgets: []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"AMIDrift"}}, {Nodes: "3"}}},
		Emptiness: budget.Control{Budgets: []budget.Budget{{Nodes: "x"}}},
	}
	const all = "the most specific of budgets[0] is 10%, drift.budgets[0] is 2 (Drifted/AMIDrift), drift.budgets[1] is 3 (Drifted), " +
		"emptiness.budgets[0] is x (Empty), which is invalid"
	for _, test := range []struct {
		rule string
		spec budget.Spec
		at   int
		want string
	}{
		{"the first", budget.Spec{Budgets: list}, 0, "budgets[0] is 0 (0 9 * * * for 8h, UTC)"},
		{"the last", budget.Spec{Budgets: list}, 1, "budgets[0] is 10%"},
		{"the only one", budget.Spec{Budgets: list[:1]}, 0, ""},
		{"the default", budget.Spec{}, 0, ""},
		{"a position behind the list", budget.Spec{Budgets: list}, 2, "budgets[0] is 10%, budgets[1] is 0 (0 9 * * * for 8h, UTC)"},
		{"a position before the list", budget.Spec{Budgets: list}, -1, "budgets[0] is 10%, budgets[1] is 0 (0 9 * * * for 8h, UTC)"},
		{"one of a control", controls, 1, "the most specific of budgets[0] is 10%, drift.budgets[0] is 3 (Drifted), " +
			"emptiness.budgets[0] is x (Empty), which is invalid"},
		{"a broken one", controls, 3, "the most specific of budgets[0] is 10%, drift.budgets[0] is 2 (Drifted/AMIDrift), drift.budgets[1] is 3 (Drifted)"},
		{"behind the controls", controls, 4, all},
	} {
		t.Run(test.rule, func(t *testing.T) {
			set, _ := test.spec.Compile()
			before := described(set)
			got, err := plan.WithoutBudget(set, test.at)
			if described(got) != test.want || (err != nil) != (got.Broken() != 0) {
				t.Errorf("got  %s (%v)\nwant %s", described(got), err, test.want)
			}
			if described(set) != before {
				t.Errorf("the set has changed: %s", described(set))
			}
			for _, r := range candidate.Methods() {
				if set.Minimum(r).Held != got.Minimum(r).Held {
					t.Errorf("%s: disruptAfter has changed from %s to %s", r, set.Minimum(r).Held, got.Minimum(r).Held)
				}
			}
		})
	}
}

// described lists the budgets of a Set.
func described(set budget.Set) string {
	var texts []string
	for i := range set.Budgets() {
		text := set.Place(i) + " is " + set.Describe(i, time.Time{})
		if set.Broken().Has(i) {
			text += ", which is invalid"
		}
		texts = append(texts, text)
	}
	text := strings.Join(texts, ", ")
	if set.MostSpecific() {
		text = "the most specific of " + text
	}
	return text
}
