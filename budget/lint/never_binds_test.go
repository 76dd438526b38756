package lint_test

import (
	"testing"

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
