package lint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
)

func TestLintOfDeadlines(t *testing.T) {
	const nights = `{"nodes": "0", "schedule": "0 2 * * sun", "duration": "2h", "outside": true}`
	for _, c := range []struct {
		name, spec string
		want       []string // the findings on deadlines
	}{
		{"windows that are closer than the deadline", `{"drift": {"deadline": "336h", "budgets": [{"nodes": "5"}, ` + nights + `]}}`, nil},
		{"windows that are farther apart", `{"drift": {"deadline": "100h", "budgets": [{"nodes": "5"}, ` + nights + `]}}`,
			[]string{"warning short-deadline: Drifted is overdue after 100h (deadline), but only in windows that are up to 166h apart, so nodes are disrupted outside of them: drift.budgets[1] is 0 (Drifted; outside 0 2 * * sun for 2h, UTC) → write a deadline that is longer than the time between windows, such as 190h"}},
		{"disruptAfter leaves as long as the windows are apart", `{"drift": {"deadline": "266h", "disruptAfter": "100h", "budgets": [{"nodes": "5"}, ` + nights + `]}}`, nil},
		{"disruptAfter leaves less", `{"drift": {"deadline": "265h", "disruptAfter": "100h", "budgets": [{"nodes": "5"}, ` + nights + `]}}`,
			[]string{"warning short-deadline: Drifted is overdue after 265h (deadline) and allowed after 100h (disruptAfter), but only in windows that are up to 166h apart, so nodes are disrupted outside of them: drift.budgets[1] is 0 (Drifted; outside 0 2 * * sun for 2h, UTC) → write a deadline that is longer than the time between windows, such as 290h"}},
		{"only the method with the deadline", `{"budgets": [{"nodes": "5"}, ` + nights + `], "drift": {"deadline": "100h"}, "consolidation": {"deadline": "200h"}}`,
			[]string{"warning short-deadline: Drifted is overdue after 100h (deadline), but only in windows that are up to 166h apart, so nodes are disrupted outside of them: budgets[1] is 0 (outside 0 2 * * sun for 2h, UTC) → write a deadline that is longer than the time between windows, such as 190h"}},
		{"expiration that no budget names", `{"budgets": [{"nodes": "5"}, ` + nights + `], "expiration": {"deadline": "100h"}}`,
			[]string{"warning short-deadline: Expired is overdue after 100h (deadline), but only in windows that are up to 166h apart, so nodes are disrupted outside of them: budgets[1] is 0 (outside 0 2 * * sun for 2h, UTC) → write a deadline that is longer than the time between windows, such as 190h", "info expired-unasked: Expired is overdue after 100h (deadline), and Karpenter consults no budget before it expires nodes → it has an effect only in autoscalers that do"}},
		{"expiration, which has no deadline of its own", `{"budgets": [{"nodes": "5"}, ` + nights + `], "defaults": {"deadline": "100h"}, "expiration": {"deadline": "Never"}}`, []string{"warning short-deadline: Drifted, Empty and Underutilized are overdue after 100h (deadline), but only in windows that are up to 166h apart, so nodes are disrupted outside of them: budgets[1] is 0 (outside 0 2 * * sun for 2h, UTC) → write a deadline that is longer than the time between windows, such as 190h"}},
		{"no windows", `{"drift": {"deadline": "1h", "budgets": [{"nodes": "5"}]}}`, nil},
		{"nodes are disrupted only once they are overdue", `{"drift": {"deadline": "100h", "budgets": [{"nodes": "0"}]}, "consolidation": {"budgets": [{"nodes": "0"}]}}`, []string{
			"info only-overdue: Drifted is allowed only once overdue, 100h after the reason began to hold (deadline), and then 10 at once: drift.budgets[0] is 0 (Drifted) → if that is not intended, write a schedule and a duration, or more nodes",
			"info never-disruptable: Underutilized is never allowed: consolidation.budgets[0] is 0 (Underutilized) → pods are never packed onto fewer or cheaper nodes: write a schedule and a duration, or more nodes",
		}},
		{"one at a time, where nothing gives more", `{"budgets": [], "drift": {"deadline": "100h", "budgets": [{"nodes": "0"}]}}`, []string{
			"info only-overdue: Drifted is allowed only once overdue, 100h after the reason began to hold (deadline), and then 1 at once: drift.budgets[0] is 0 (Drifted) → if that is not intended, write a schedule and a duration, or more nodes",
		}},
		{"zones of 0 block overdue nodes as well", `{"drift": {"deadline": "100h", "budgets": [{"nodes": "5"}, {"nodes": "0", "topologyKey": "zone"}]}}`, []string{
			"warning never-disruptable: Drifted is never allowed: drift.budgets[1] is 0 per zone (Drifted) → nodes are never replaced for that, not even for a security fix: write a schedule and a duration, or more nodes",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decodeSpec(t, c.spec).Compile()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
				switch f.Code {
				case "short-deadline", "expired-unasked", "only-overdue", "never-disruptable":
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
