package fuzz_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// FuzzSpec decodes any text as spec.disruption, with per-method controls. What decodes survives being encoded, is the same
// as its flat list, and has a forecast, or the error of AllowedByReason, and findings that explain themselves.
func FuzzSpec(f *testing.F) {
	for _, text := range []string{
		`null`, `{}`, `{"budgets":[]}`, `{"budgets":null,"consolidationPolicy":"WhenEmpty","consolidateAfter":"Never"}`,
		`{"budgets":[{"nodes":50,"method":"Drift","reason":"NodeImageDrift"},{"nodes":25,"method":"Drift"}]}`,
		`{"defaults":{"budgets":[{"nodes":"10%","schedule":"0 0 1 * *","duration":"1h"}]},"consolidation":{"consolidationPolicy":"WhenUnderutilized","disruptAfter":"30m"},
		 "drift":{"disruptAfter":"1h","budgets":[{"nodes":"20%"},{"nodes":"10%","reason":"AMIDrift","schedule":"0 0 * * 0","duration":"2h"}]},"expiration":{"disruptAfter":"Never"}}`,
		`{"drift":{"budgets":[{"nodes":"5","reasons":["Empty"]},{"nodes":"1","reasons":["drifted"]}],"disruptAfter":"soon"}}`,
		`{"emptiness":{"budgets":[]},"defaults":{"budgets":[]}}`,
		`{"budgets":[{"nodes":"0","schedule":"0 17 * * mon-fri","duration":"16h"},{"nodes":"1","topologyKey":"zone","sequential":true}]}`,
	} {
		f.Add(text, int64(1_795_176_000), 100)
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64, nodes int) {
		var spec budget.Spec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			return
		}
		set, err := spec.Compile()
		checkForecast(t, set.In(dialect.Karpenter), time.Unix(seconds, 0).UTC(), nodes)
		if (err != nil) != (len(set.Warnings()) > 0) {
			t.Fatalf("error %v, warnings %v", err, set.Warnings())
		}
		now := time.Unix(seconds, 0).UTC()
		checkFlat(t, set, err, now, nodes)
		checkEncoded(t, spec)
		checkForecast(t, set, now, nodes)
		for _, finding := range lint.Run(set, now, lint.Facts{Nodes: nodes}) {
			if finding.Code == "" || finding.Severity == "" || finding.Message == "" || finding.Advice == "" {
				t.Fatalf("%+v explains nothing", finding)
			}
		}
	})
}

// checkFlat compares a good set with that of its flat list.
func checkFlat(t *testing.T, set budget.Set, err error, now time.Time, nodes int) {
	flat, flatErr := budget.Spec{Budgets: set.Budgets(), MostSpecific: set.MostSpecific()}.Compile()
	if err != nil {
		return
	}
	if flatErr != nil {
		t.Fatalf("%v: %v", set.Budgets(), flatErr)
	}
	for _, r := range append(candidate.Methods(), "Drifted/AMIDrift", "") {
		want, _ := budget.AllowedByReason(set, now, nodes, r)
		if got, _ := budget.AllowedByReason(flat, now, nodes, r); got != want {
			t.Fatalf("%s: %+v, flat %+v", r, want, got)
		}
	}
}

func checkEncoded(t *testing.T, spec budget.Spec) {
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var again budget.Spec
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if diff := cmp.Diff(spec, again); diff != "" {
		t.Fatal(diff)
	}
}

func checkForecast(t *testing.T, set budget.Set, now time.Time, nodes int) {
	for _, r := range append(candidate.Methods(), "Drifted/AMIDrift") {
		segments, err := set.Forecast(now, now.Add(24*time.Hour), nodes, r)
		if err != nil {
			if _, now := budget.AllowedByReason(set, now, nodes, r); now == nil || now.Error() != err.Error() {
				t.Fatalf("%s: %v, now %v", r, err, now)
			}
			continue // such as a reason that is one letter from one that the text names
		}
		end := now
		for _, s := range segments {
			if !s.Start.Equal(end) {
				t.Fatalf("%s: a segment begins at %v, the one before ends at %v", r, s.Start, end)
			}
			for _, at := range []time.Time{s.Start, s.End.Add(-1)} {
				if want, _ := budget.AllowedByReason(set, at, nodes, r); want != s.Allowance {
					t.Fatalf("%s at %v: %+v, forecast %+v", r, at, want, s.Allowance)
				}
			}
			end = s.End
		}
		if !end.Equal(now.Add(24 * time.Hour)) {
			t.Fatalf("%s: it ends at %v", r, end)
		}
	}
}
