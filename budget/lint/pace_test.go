package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
)

func TestABudgetOfOneLimitsNothingOfOneNode(t *testing.T) {
	set, err := decodeSpec(t, `{"budgets": [{"nodes": "1"}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	all := lint.Run(set, lintNow, lint.Facts{Nodes: 1})
	if want := "budgets[0] is 1, and limits nothing: the only node may be disrupted at once"; !strings.Contains(fmt.Sprint(all), want) {
		t.Errorf("%v, want %s", all, want)
	}
}

func TestLintOfPaces(t *testing.T) {
	for _, c := range []struct {
		name, budgets string
		want          []string // the findings on paces
	}{
		{"a pace beside a limit is as it should be", `{"nodes": "10%"}, {"nodes": "2", "per": "1h"}`, nil},
		{"a pace alone", `{"nodes": "2", "per": "1h"}`,
			[]string{`warning pace-alone: Drifted, Empty and Underutilized are limited only by a pace, which says how many nodes start, not how many are in flight at once: budgets[0] is 2 per 1h → nodes that take longer than that pile up: add {"nodes": "10%", "reasons": ["Drifted", "Empty", "Underutilized"]}`}},
		{"a pace that lets all nodes start at once", `{"nodes": "10%"}, {"nodes": "100", "per": "1h"}`,
			[]string{"info limits-nothing: budgets[1] is 100 per 1h, and limits nothing: all 100 nodes may start within that time → write a lower number, if that is not intended"}},
		{"or all nodes, however many", `{"nodes": "10%"}, {"nodes": "100%", "per": "1h", "reasons": ["Drifted"]}`,
			[]string{"info limits-nothing: budgets[1] is 100% per 1h (Drifted), and limits nothing: all nodes may start within that time → write \"nodes\": \"10%\" in budgets[1] if that is not intended"}},
		{"or all but one", `{"nodes": "10%"}, {"nodes": "99", "per": "1h"}`, nil},
		{"a pace that another outpaces", `{"nodes": "10%"}, {"nodes": "2", "per": "1h", "reasons": ["Drifted"]}, {"nodes": "2", "per": "24h"}`,
			[]string{"warning never-binds: budgets[1] is 2 per 1h (Drifted), and never blocks a node: budgets[2] is 2 per 24h, and always tighter → delete budgets[1], or write a lower number"}},
		{"the same twice", `{"nodes": "10%"}, {"nodes": "2", "per": "1h"}, {"nodes": "2", "per": "1h"}`,
			[]string{"warning never-binds: budgets[2] is 2 per 1h, and never blocks a node: budgets[1] is 2 per 1h, and always tighter → delete budgets[2], or write a lower number"}},
		{"a pace for other reasons outpaces none", `{"nodes": "10%"}, {"nodes": "2", "per": "1h", "reasons": ["Drifted", "Empty"]}, {"nodes": "2", "per": "24h", "reasons": ["Empty"]}`, nil},
		{"nor does a higher one within a shorter time", `{"nodes": "10%"}, {"nodes": "4", "per": "2h"}, {"nodes": "2", "per": "1h"}`, nil},
		{"four hours of a night for 100 nodes", `{"nodes": "10%"}, {"nodes": "0", "schedule": "0 2 * * sat", "duration": "4h", "outside": true}, {"nodes": "2", "per": "1h"}`,
			[]string{"info slow-pace: Drifted, Empty and Underutilized are allowed to start 8 of 100 nodes in the 4h that an opening usually lasts, so all of them need about 13 openings, up to Sat 2027-02-20 06:00 UTC: budgets[2] is 2 per 1h → write a higher number, or longer windows, if that is not intended"}},
		{"and enough of them", `{"nodes": "10%"}, {"nodes": "0", "schedule": "0 2 * * sat", "duration": "4h", "outside": true}, {"nodes": "25", "per": "1h"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`).Compile()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
				switch f.Code {
				case lint.CodePaceAlone, "slow-pace", "limits-nothing", "never-binds", lint.CodeUnlimitedSpan:
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A pace is tighter than another one whose window lies in its own, and only as long as it lasts.
func TestAPaceIsTighterWhileItIsActive(t *testing.T) {
	const night = `"schedule": "0 22 * * *", "duration": "8h"`
	for tighter, want := range map[string]bool{
		`"per": "2h"`:           true,
		`"per": "2h", ` + night: true,
		`"per": "2h", "schedule": "0 20 * * *", "duration": "12h"`: true,
		`"per": "2h", "schedule": "0 23 * * *", "duration": "8h"`:  false,
		`"per": "2h", "to": "2028-06-01"`:                          false,
		`"per": "30m"`:                                             false,
	} {
		set, err := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, {"nodes": "2", "per": "1h", `+night+`}, {"nodes": "1", `+tighter+`}]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		if findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100}); (ofCode(findings, "never-binds") > 0) != want {
			t.Errorf("%s: %v", tighter, findings)
		}
	}
}
