package lint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// Karpenter reads some budgets in another way than people mean them.
func TestKarpentersQuirksAreFound(t *testing.T) {
	for _, c := range []struct {
		name         string
		budget       budget.Budget
		code, want   string
		sound        budget.Budget // which has none
		adviceBegins string
	}{
		{"a schedule that never hits", budget.Budget{Nodes: "2", Schedule: "0 0 30 2 *", Duration: "8h"}, lint.CodeNeverCloses,
			"budgets[0] is 2 (0 0 30 2 * for 8h, UTC), and Karpenter treats it as always active, since its schedule never hits",
			budget.Budget{Nodes: "2", Schedule: "0 0 29 2 *", Duration: "8h"}, "cron expression"},
		{"an empty list of reasons", budget.Budget{Nodes: "2", Reasons: []candidate.Reason{}}, lint.CodeForNothing,
			"budgets[0] is 2, and has an empty list of reasons, which in Karpenter means no reason at all", budget.Budget{Nodes: "2"}, ""},
		{"a reason that is none", budget.Budget{Nodes: "2", Reasons: []candidate.Reason{"Drift"}}, lint.CodeForNothing,
			"budgets[0] is 2 (Drift), and Karpenter consults no budget for that", budget.Budget{Nodes: "2", Reasons: []candidate.Reason{"Drifted"}}, ""},
		{"a count of more than 32 bits", budget.Budget{Nodes: "4294967298"}, lint.CodeCountWraps,
			"budgets[0] is 4294967298, and Karpenter keeps the lowest 32 bits of that, which are 2", budget.Budget{Nodes: "2147483647"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for b, want := range map[*budget.Budget]string{&c.budget: c.want, &c.sound: ""} {
				var got, advice string
				set, _ := budget.Spec{Budgets: []budget.Budget{*b}, Dialect: dialect.Karpenter}.Compile()
				for _, f := range lint.Run(set, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), lint.Facts{Nodes: 10}) {
					if f.Code == c.code {
						got, advice = f.Message, f.Advice
					}
				}
				if got != want || want != "" && !strings.HasPrefix(advice, c.adviceBegins) {
					t.Errorf("%s: %s; %s", b, got, advice)
				}
			}
		})
	}
}
