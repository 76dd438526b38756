package fuzz_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// FuzzBudgets decodes any text as spec.disruption.budgets. What is broken says what to write and allows nothing; what
// is not survives being encoded.
func FuzzBudgets(f *testing.F) {
	for _, text := range []string{
		`null`, `[]`, `[{}]`, `[{"nodes":"10%"}]`, `[{"nodes":5},{"nodes":"0","schedule":"0 9 * * mon-fri","duration":"8h"}]`,
		`[{"nodes":"0","schedule":"0 0 * * sat-sun","duration":"24h"}]`,
		`[{"reasons":["Drifted","Drift:AMIDrift"],"nodes":"1","topologyKey":"topology.kubernetes.io/zone","sequential":true}]`,
		`[{"schedule":"30 2 * * *","duration":"1h30m","timeZone":"America/New_York","outside":true}]`,
		`[{"nodes":"99999999999999999999"},{"nodes":"-1"},{"duration":"99999999h","schedule":"TZ=0"}]`,
	} {
		f.Add(text, int64(1_795_176_000), 100)
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64, nodes int) {
		var budgets []budget.Budget
		if err := json.Unmarshal([]byte(text), &budgets); err != nil {
			return
		}
		set, err := budget.Compile(budgets)
		if (err != nil) != (len(set.Warnings()) > 0) {
			t.Fatalf("error %v, warnings %v", err, set.Warnings())
		}
		for _, w := range set.Warnings() {
			if w.Field == "" || !strings.Contains(w.Message, "write") && !strings.Contains(w.Message, "leave") && !strings.Contains(w.Message, "delete") {
				t.Errorf("%s helps nobody", w.Error())
			}
		}
		now := time.Unix(seconds, 0)
		for _, reason := range append(candidate.Methods(), "Drifted/AMIDrift", "") {
			allowance, err := budget.AllowedByReason(set, now, nodes, reason)
			if err != nil && allowance.Nodes != 0 || allowance.Nodes < 0 {
				t.Fatalf("%s: %d, %v", reason, allowance.Nodes, err)
			}
			until := set.Until(now, nodes, reason)
			if !until.IsZero() && until.Before(now) {
				t.Fatalf("%s: until %v, it is %v", reason, until, now)
			}
		}
		back, err := json.Marshal(budgets)
		if err != nil {
			t.Fatal(err)
		}
		var again []budget.Budget
		if err := json.Unmarshal(back, &again); err != nil {
			t.Fatalf("%s: %v", back, err)
		}
		if diff := cmp.Diff(budgets, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzReason parses any text as a reason. What parses is in its normal form, and its method covers it.
func FuzzReason(f *testing.F) {
	for _, text := range []string{"Drifted", "Drift:AMIDrift", "Drifted/Drifted", "consolidation", "Expired/", "/", ":", "Empty/a:b", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reason, err := candidate.ParseReason(text)
		if err != nil {
			if reason != "" || !strings.Contains(err.Error(), "write") {
				t.Fatalf("%q: %q, %v", text, reason, err)
			}
			return
		}
		if again, err := candidate.ParseReason(string(reason)); again != reason || err != nil {
			t.Fatalf("%q is %q, which is %q, %v", text, reason, again, err)
		}
		if !reason.Method().Covers(reason) {
			t.Fatalf("%q does not cover %q", reason.Method(), reason)
		}
	})
}
