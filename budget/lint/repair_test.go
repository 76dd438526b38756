package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestTheAdviceForRepairThatNeverHappens(t *testing.T) {
	const ten, year, stays = `{"nodes": "10%"}, `, "2026-11-23T00:00..2027-11-24T00:00", `; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`
	const begins = "broken nodes are never repaired, and keep running pods: "
	for name, c := range map[string]struct {
		lintCase
		advice string
	}{
		"a budget for repair of 0 becomes one of 1": {lintCase{budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}`,
			want: []string{"warning never-repaired [1] Unhealthy " + year}}, `write "nodes": "1" in budgets[1]`},
		"and so does 0 %, for some conditions": {lintCase{budgets: ten + `{"nodes": "0%", "reasons": ["Unhealthy/DiskHealthy", "Unhealthy/NetworkReady"]}`,
			want: []string{"warning never-repaired [1] " + year}}, `write "nodes": "1" in budgets[1]`},
		"a freeze of everything leaves repair out": {lintCase{budgets: `{"nodes": "0"}, {"nodes": "2", "reasons": ["Unhealthy"]}`,
			want: []string{"warning never-binds [0,1]", "warning never-disruptable [0] " + year, "warning never-repaired [0] Unhealthy " + year}},
			`write "reasons": ["Drifted", "Empty", "Underutilized"] in budgets[0]`},
		"drift and repair, which the same budgets freeze, are found apart": {lintCase{budgets: ten + `{"nodes": "0", "reasons": ["Drifted", "Unhealthy"]}`,
			want: []string{"warning never-disruptable [1] Drifted " + year, "warning never-repaired [1] Unhealthy " + year}},
			`write "reasons": ["Drifted"] in budgets[1]`},
		"where nothing else limits repair, one more budget does": {lintCase{
			budgets: `{"nodes": "0", "reasons": ["Drifted", "Unhealthy"]}, {"nodes": "10%", "reasons": ["Empty", "Underutilized"]}`,
			want:    []string{"warning never-disruptable [0] Drifted " + year, "warning never-repaired [0] Unhealthy " + year}},
			`write "reasons": ["Drifted"] in budgets[0] and add {"nodes": "1", "reasons": ["Unhealthy"]}`},
		"a window of 0 beside a budget of 0 may stay": {lintCase{
			budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}, {"nodes": "0", "reasons": ["Unhealthy"], "schedule": "@daily", "duration": "1h"}`,
			want:    []string{"warning never-binds [0,1,2]", "warning never-repaired [1,2] Unhealthy " + year}}, `write "nodes": "1" in budgets[1]`},
		"of two that take turns, each allows one": {lintCase{
			budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 8 * * *", "duration": "12h"}, {"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 20 * * *", "duration": "12h"}`,
			want:    []string{"warning never-repaired [1,2] Unhealthy " + year}}, `write "nodes": "1" in budgets[1] and write "nodes": "1" in budgets[2]`},
		"not where they allow none without it, either": {lintCase{
			budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}, {"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 8 * * *", "duration": "12h"}, {"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 20 * * *", "duration": "12h"}`,
			want:    []string{"warning never-binds [0,1,2]", "warning never-binds [0,1,3]", "warning never-repaired [1,2,3] Unhealthy " + year}},
			`write "nodes": "1" in budgets[1], write "nodes": "1" in budgets[2] and write "nodes": "1" in budgets[3]`},
		"in every zone": {lintCase{budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"], ` + zoneKey + `}`,
			want: []string{"warning never-repaired [1] Unhealthy " + year}}, `write "nodes": "1" in budgets[1]`},
		"in every zone by night, and in the pool by day": {lintCase{
			budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"], "schedule": "0 8 * * *", "duration": "12h"}, {"nodes": "0", "reasons": ["Unhealthy"], ` + zoneKey + `, "schedule": "0 20 * * *", "duration": "12h"}`,
			want:    []string{"warning never-repaired [1,2] Unhealthy " + year}}, `write "nodes": "1" in budgets[1] and write "nodes": "1" in budgets[2]`},
		"where the most specific decide": {lintCase{specific: true, budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}`,
			want: []string{"warning never-repaired [1] Unhealthy " + year}}, `write "nodes": "1" in budgets[1]`},
		"to leave repair out of a freeze would freeze more": {lintCase{specific: true,
			budgets: `{"nodes": "0"}, {"nodes": "5", "reasons": ["Drifted"]}, {"nodes": "0", "reasons": ["Unhealthy/Ready"]}`,
			want:    []string{"warning never-disruptable [0] " + year, "warning never-repaired [0] Unhealthy " + year}},
			`allow at least one for that`},
		"a freeze that leaves an hour is none": {lintCase{budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"], "schedule": "@daily", "duration": "23h"}`}, ""},
		"a freeze of a pool that says nothing of repair": {lintCase{budgets: `{"nodes": "0"}`,
			want: []string{"warning never-disruptable [0] " + year}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.run(t)
			set, _ := budget.Spec{Budgets: decodeSpec(t, `{"budgets": [`+c.budgets+`]}`).Budgets, MostSpecific: c.specific}.Compile()
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
				if f.Code == "never-repaired" && !strings.HasPrefix(f.Advice, begins+c.advice) {
					t.Error(f.Advice)
				}
			}
		})
	}
}

// What stands with the controls of methods is not in one list with the rest: one more budget is advised, and none is rewritten.
func TestTheAdviceForRepairBesideControls(t *testing.T) {
	set, err := decodeSpec(t, `{"defaults": {"budgets": [{"nodes": "0"}]}, "drift": {"disruptAfter": "1h"}, "budgets": [{"nodes": "0", "reasons": ["Unhealthy/Ready"]}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
		if f.Code == "never-repaired" {
			got = append(got, f.Message, f.Advice)
		}
	}
	want := []string{
		"Unhealthy is never allowed: defaults.budgets[0] is 0",
		`broken nodes are never repaired, and keep running pods: allow at least one for that at some time`,
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
			found := slices.DeleteFunc(lint.Run(set, lintNow, lint.Facts{Nodes: 100}), func(f lint.Finding) bool { return f.Code != "freeze-stops-repair" })
			if got := told(found); !slices.Equal(got, c.want) || !strings.Contains(found[0].Advice, ": "+c.advice) {
				t.Errorf("%s\n%v", got, found)
			}
		})
	}
}

// Nodes are then repaired, not all at once, and nothing else changes at any time.
func TestTheAdviceForRepairChangesRepairAlone(t *testing.T) {
	lists, applied := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		lists++
		list := rapid.OneOf(freezes(), freezesOfAll()).Draw(t, "budgets")
		for i := range list {
			if rapid.IntRange(0, 2).Draw(t, "of repair") == 0 {
				list[i].Reasons = rapid.SampledFrom([][]candidate.Reason{{"Unhealthy"}, {"Unhealthy/Ready"}, {"Drifted", "Unhealthy"}}).Draw(t, "reasons")
			}
		}
		spec := budget.Spec{Budgets: list, MostSpecific: rapid.Bool().Draw(t, "specific")}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			if f.Code != "never-repaired" && f.Code != "freeze-stops-repair" || len(f.Fixes) == 0 {
				continue
			}
			applied++
			better := spec
			better.Budgets = lint.Apply(list, f.Fixes[0])
			after, err := better.Compile()
			if err != nil {
				t.Fatalf("%v\n%v", f, err)
			}
			r := f.Reason
			if r == "" {
				r = candidate.Unhealthy
			}
			for _, other := range []candidate.Reason{"Drifted", "Empty", "Underutilized", r} {
				before, now := numbersOnly(t, set, other), numbersOnly(t, after, other)
				if same := slices.Equal(before, now); same == (other == r) {
					t.Fatalf("%v\n%s\n%s: %s\n%s", list, f, other, before, now)
				}
			}
		}
	})
	if applied == 0 && lists >= 100 {
		t.Error("no advice was applied")
	}
}

// freezesOfAll generates several freezes for all reasons, which take turns or overlap, beside one limit.
func freezesOfAll() *rapid.Generator[[]budget.Budget] {
	return rapid.Custom(func(t *rapid.T) []budget.Budget {
		list := []budget.Budget{{Nodes: "10%", Reasons: rapid.SampledFrom([][]candidate.Reason{nil, {"Unhealthy"}}).Draw(t, "limit")}}
		for range rapid.IntRange(2, 4).Draw(t, "freezes") {
			days := rapid.SampledFrom([]string{"* * *", "* * mon-fri", "* * sat,sun", "1 * *", "1 1,7 *"}).Draw(t, "days")
			list = append(list, budget.Budget{Nodes: "0", Schedule: fmt.Sprintf("0 %d %s", rapid.IntRange(0, 23).Draw(t, "hour"), days),
				Duration: rapid.SampledFrom([]string{"1h", "8h", "23h", "48h", "200h", "400h"}).Draw(t, "duration")})
		}
		return list
	})
}

// numbersOnly returns from when on how many nodes are allowed, in the year that lint checks.
func numbersOnly(t rapid.TB, set budget.Set, r candidate.Reason) (lines []string) {
	segments, err := set.Forecast(lintNow, lintNow.Add(366*24*time.Hour), 100, r)
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, s := range segments {
		if s.Nodes != last {
			lines = append(lines, fmt.Sprint(s.Start, s.Nodes))
		}
		last = s.Nodes
	}
	return lines
}
