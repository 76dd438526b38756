package fuzz_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
)

// FuzzAdmit lets Karpenter's API server have any text as spec.disruption. What it stores is stored again as it is, Compile has nothing
// against it that the server would have refused, and it has a forecast that agrees with AllowedByReason.
func FuzzAdmit(f *testing.F) {
	for _, text := range []string{
		`null`, `{}`, `{"budgets":[]}`, `{"budgets":[{"nodes":10}]}`, `{"budgets":[null]}`, `{"expireAfter":"720h","consolidateAfter":"1h30m"}`,
		`{"budgets":[{"nodes":"0","reasons":[],"schedule":"0 0 30 2 *","duration":"8h0m0s","topologyKey":"zone"}],"consolidationPolicy":"WhenEmpty"}`,
		`{"budgets":[{"nodes":"4294967301","schedule":"@daily\n","duration":"9999999h"}]}`,
	} {
		f.Add(text, int64(1_795_176_000), 100)
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64, nodes int) {
		spec, dropped, err := admission.Admit([]byte(text))
		for _, w := range dropped {
			if w.Code != candidate.CodeNoEffect || w.Message == "" {
				t.Fatalf("%+v", w)
			}
		}
		if err != nil {
			return
		}
		set, _ := spec.Compile()
		for _, w := range admission.Warnings(set) {
			if w.Code == candidate.CodeRejected || w.Code == candidate.CodeNoEffect {
				t.Fatalf("%s was admitted, and %v", text, w)
			}
		}
		checkForecast(t, set, time.Unix(seconds, 0).UTC(), nodes)
		stored, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := admission.Admit(stored); err != nil || !cmp.Equal(spec, again) {
			t.Fatalf("%s is stored as %s, and that as %+v (%v)", text, stored, again, err)
		}
	})
}
