package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestLintOfWaves(t *testing.T) {
	const repeats = `info wave-repeats: Drifted: the wave 5% is as large as the wave 1 before it: of 10 nodes, either is 1 → delete it, or write a larger one`
	past := func(method, all, times, deadline string) string {
		return "warning bakes-past-deadline: " + method + ": the waves bake for " + all + " in all (" + times + "), and nodes are overdue after " + deadline +
			" (deadline): the last ones are disrupted later than that, since waves block overdue nodes as well → write a shorter bake, fewer waves, or a later deadline"
	}
	again := func(method, bake string) string {
		return "info bake-starts-again: " + method + ": the waves bake for " + bake + ", and the bake starts again whenever a probe has denied: " +
			"if one denies once a day, the bake never ends → write a bake that is shorter than the time between two denials"
	}
	for _, c := range []struct {
		name, spec string
		nodes      int
		want       []string
	}{
		{"waves that grow", `"drift": {"rollout": {"waves": ["1", "50%"]}}`, 10, nil},
		{"waves of one node each", `"drift": {"rollout": {"waves": ["1", "5%"]}}`, 10, []string{repeats}},
		{"in a pool whose size is not known", `"drift": {"rollout": {"waves": ["1", "1%"]}}`, 0, nil},
		{"waves that are broken", `"drift": {"rollout": {"waves": ["0", "0"]}}`, 10, nil},
		{"bakes within the deadline", `"drift": {"deadline": "49h", "rollout": {"waves": ["1", "50%"], "bake": "24h"}}`, 10, nil},
		{"bakes until the deadline", `"drift": {"deadline": "48h", "rollout": {"waves": ["1", "50%"], "bake": "24h"}}`, 10,
			[]string{past("Drifted", "48h", "2 × 24h", "48h")}},
		{"a bake that nobody has written", `"drift": {"deadline": "5m", "rollout": {"waves": ["1"]}}`, 10,
			[]string{past("Drifted", "10m", "1 × 10m", "5m")}},
		{"a wave as large as the pool does not bake", `"drift": {"deadline": "48h", "rollout": {"waves": ["1", "10"], "bake": "24h"}}`, 10, nil},
		{"waves that are done together bake once", `"drift": {"deadline": "48h", "rollout": {"waves": ["1", "5%"], "bake": "24h"}}`, 10, []string{repeats}},
		{"the defaults of all methods", `"defaults": {"deadline": "24h", "rollout": {"waves": ["1"], "bake": "24h"}}`, 10,
			[]string{past("Drifted", "24h", "1 × 24h", "24h"), past("Expired", "24h", "1 × 24h", "24h")}},
		{"a bake of a day, without probes", `"drift": {"rollout": {"waves": ["1"], "bake": "24h"}}`, 10, nil},
		{"probes: a bake of a day", `"drift": {"rollout": {"waves": ["1"], "bake": "24h"}}`, 10, []string{again("Drifted", "24h")}},
		{"probes: a bake of less", `"drift": {"rollout": {"waves": ["1"], "bake": "23h59m"}}`, 10, nil},
		{"probes: one wave of all does not bake", `"drift": {"rollout": {"waves": ["10"], "bake": "48h"}}`, 10, nil},
		{"probes: a bake that is broken", `"drift": {"rollout": {"waves": ["0"], "bake": "48h"}}`, 10, nil},
		{"probes: the defaults of all methods", `"defaults": {"rollout": {"waves": ["1"], "bake": "720h"}}`, 10,
			[]string{again("Drifted", "720h"), again("Expired", "720h")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := decodeSpec(t, `{"budgets": [{"nodes": "50%"}], `+c.spec+`}`).Compile()
			var got []string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: c.nodes, Probed: strings.HasPrefix(c.name, "probes:")}) {
				if f.Code == "bake-starts-again" || f.Code == "wave-repeats" || f.Code == "bakes-past-deadline" {
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASpreadIsShorterThanTheDeadline(t *testing.T) {
	for drift, want := range map[string]bool{
		`{"deadline": "72h", "budgets": [{"nodes": "2", "spread": "168h"}]}`:   true,
		`{"deadline": "168h", "budgets": [{"nodes": "2", "spread": "168h"}]}`:  false,
		`{"deadline": "Never", "budgets": [{"nodes": "2", "spread": "168h"}]}`: false,
		`{"budgets": [{"nodes": "2", "spread": "168h"}]}`:                      false,
		`{"deadline": "72h", "budgets": [{"nodes": "2"}]}`:                     false,
	} {
		set, err := decodeSpec(t, `{"drift": `+drift+`}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(lint.Run(set, lintNow, lint.Facts{Nodes: 100}), func(f lint.Finding) bool {
			return f.Code == "spread-past-deadline" && f.Reason == candidate.Drifted
		})
		if found != want {
			t.Errorf("%s: found: %t", drift, found)
		}
	}
}
