package lint_test

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget/lint"
)

func TestAShareHasToFitIntoWhatTheOtherBudgetsAllow(t *testing.T) {
	const ten = `{"nodes": "10"}, `
	share := func(nodes, reason, more string) string {
		return `{"nodes": "` + nodes + `", "reasons": ["` + reason + `"], "guaranteed": true` + more + `}`
	}
	const night = `, "schedule": "0 22 * * *", "duration": "8h"`
	for name, c := range map[string]lintCase{
		"it does":              {budgets: ten + share("10", "Drifted", "")},
		"more than the cap":    {budgets: ten + share("11", "Drifted", ""), want: []string{"warning share-exceeds-cap [0,1]"}},
		"a percentage":         {budgets: ten + share("11%", "Drifted", ""), want: []string{"warning share-exceeds-cap [0,1]"}},
		"of a child":           {budgets: ten + share("11", "Drifted/AMIDrift", ""), want: []string{"warning share-exceeds-cap [0,1]"}},
		"more than its own":    {budgets: ten + `{"nodes": "2", "reasons": ["Drifted"]}, ` + share("4", "Drifted", ""), want: []string{"warning share-exceeds-cap [1,2]"}},
		"two that fit":         {budgets: ten + share("4", "Drifted", "") + ", " + share("6", "Empty", "")},
		"two that do not":      {budgets: ten + share("4", "Drifted", "") + ", " + share("7", "Empty", ""), want: []string{"warning share-exceeds-cap [0,1,2]"}},
		"at different times":   {budgets: ten + share("8", "Drifted", night) + ", " + share("7", "Empty", "")},
		"a cap that is higher": {budgets: `{"nodes": "5", "schedule": "0 22 * * *", "duration": "8h"}, {"nodes": "12"}, ` + share("12", "Drifted", "")},
	} {
		t.Run(name, c.run)
	}
}

func TestAShareInPercentOfAnUnknownNumberOfNodesMayFit(t *testing.T) {
	set, err := decodeSpec(t, `{"budgets": [{"nodes": "10"}, {"nodes": "11%", "reasons": ["Drifted"], "guaranteed": true}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lint.Run(set, lintNow, lint.Facts{}) {
		if strings.Contains(f.Code, "share") {
			t.Error(f)
		}
	}
}
