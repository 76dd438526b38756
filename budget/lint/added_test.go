package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
)

// Lint advises the same about a list of budgets, whoever wrote it.
func TestLintAdvisesWhatSomebodyAddsAsWell(t *testing.T) {
	for advice, list := range map[string]string{
		"leave reasons out of note budgets[0]": `{"budgets": [{"nodes": "1", "reasons": ["Drifted"]}]}`,
		"in note budgets[1]":                   `{"budgets": [{"nodes": "50%"}, {"nodes": "0", "reasons": ["Unhealthy"]}]}`,
	} {
		told := func(a budget.Addition) string {
			spec := decodeSpec(t, list)
			spec.Addition = a
			set, _ := spec.Compile()
			return fmt.Sprint(lint.Run(set, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), lint.Facts{Nodes: 10}))
		}
		want, got := told(budget.Addition{}), told(budget.Addition{Name: "note"})
		if diff := cmp.Diff(want, strings.ReplaceAll(got, "note budgets", "budgets")); diff != "" || !strings.Contains(got, advice) {
			t.Errorf("%s\n%s\n%s", list, diff, got)
		}
	}
}

// A budget that a fix would leave a minute of its six hours a month is as good as deleted: the fix is not given.
func TestNoFixLeavesAnotherBudgetAMoment(t *testing.T) {
	for own, given := range map[string]bool{"5h59m": false, "5h30m": false, "3h": true} {
		spec := decodeSpec(t, `{"budgets": [{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 0 * * *", "duration": "`+own+`"},
			{"nodes": "2", "reasons": ["Drifted/AMIDrift"], "schedule": "0 0 1 * *", "duration": "6h"}]}`)
		spec.MostSpecific = true
		set, _ := spec.Compile()
		for _, f := range lint.Run(set, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), lint.Facts{Nodes: 100}) {
			if f.Code == "takes-the-place" && given != (len(f.Fixes) > 0) {
				t.Errorf("%s: %v", own, f)
			}
		}
	}
}
