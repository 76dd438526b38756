package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/budget/lint"
)

// What stands with the controls of methods is not in one list with the rest: one more budget is advised, and none is rewritten.
func TestTheAdviceForRepairBesideControls(t *testing.T) {
	set, err := decodeSpec(t, `{"defaults": {"budgets": [{"nodes": "0"}]}, "drift": {"disruptAfter": "1h"}, "budgets": [{"nodes": "0", "reasons": ["Unhealthy/Ready"]}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
		if f.Code == lint.CodeNeverRepaired {
			got = append(got, f.Message, f.Advice)
		}
	}
	want := []string{
		"Unhealthy is always blocked up to Wed 2027-11-24 00:00 UTC: defaults.budgets[0] is 0",
		`broken nodes are never repaired, and keep running pods: add {"nodes": "1", "reasons": ["Unhealthy"]}; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`,
	}
	if !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestTheAdviceForRepairNamesEveryFreezeThatStopsIt(t *testing.T) {
	const ten, two = `{"nodes": "10%"}, `, `{"nodes": "2", "reasons": ["Unhealthy"]}, `
	const each = `write "reasons": ["Drifted", "Empty", "Underutilized"] in `
	for name, c := range map[string]lintCase{
		"at different times of a day": {budgets: two + `{"nodes": "0", "schedule": "0 2 * * *", "duration": "1h"}, {"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "1h"}`,
			want:   []string{"warning freeze-stops-repair [2] Unhealthy 2026-11-23T00:00..2026-11-23T01:00"},
			advice: each + "budgets[1] and " + each + "budgets[2]"},
		"and one in the shade of another": {budgets: two + `{"nodes": "0", "schedule": "0 2 * * *", "duration": "1h"}, {"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 8 * * *", "duration": "1h"}, {"nodes": "0", "schedule": "0 8 * * *", "duration": "2h"}`,
			want:   []string{"warning freeze-stops-repair [1] Unhealthy 2026-11-23T02:00..2026-11-23T03:00"},
			advice: each + "budgets[1] and " + each + "budgets[3]"},
		"but not a short one if no budget names repair": {budgets: ten + `{"nodes": "0", "schedule": "0 0 1 1 *", "duration": "336h"}, {"nodes": "0", "schedule": "0 2 1 3 *", "duration": "1h"}, {"nodes": "0", "schedule": "0 0 1 7 *", "duration": "240h"}`,
			want:   []string{"info freeze-stops-repair [1] Unhealthy 2027-01-01T00:00..2027-01-15T00:00"},
			advice: each + "budgets[1] and " + each + "budgets[3]"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`).Compile()
			if err != nil {
				t.Fatal(err)
			}
			found := slices.DeleteFunc(lint.Run(set, lintNow, lint.Facts{Nodes: 100}), func(f lint.Finding) bool { return f.Code != lint.CodeFreezeStopsRepair })
			if got := told(found); !slices.Equal(got, c.want) || !strings.HasSuffix(found[0].Advice, ": "+c.advice) {
				t.Errorf("%s\n%v", got, found)
			}
		})
	}
}
