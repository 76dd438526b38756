package upstream_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// The cases of the patch hold in Karpenter, and in disruptkit that decides as Karpenter does. A Karpenter that takes another end of a
// window, or another of several budgets, fails them.
func TestTheUpstreamCasesOfBudgets(t *testing.T) {
	k := patched(t, "budget-cases.patch")
	const api = "pkg/apis/v1"
	text := must(os.ReadFile(filepath.Join(k.dir, api, "testdata/budget_cases.json")))
	var cases []struct {
		Name    string
		Budgets []budget.Budget
		Nodes   int
		Reason  candidate.Reason
		Now     time.Time
		Allowed int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		set, _ := budget.Spec{Budgets: c.Budgets, Dialect: dialect.Karpenter}.Compile() // some are broken on purpose
		got, _ := budget.AllowedByReason(set, c.Now, c.Nodes, c.Reason)
		if n := min(got.Nodes, 1<<31-1); n != c.Allowed { // which means that nothing limits, in Karpenter
			t.Errorf("%s: %d nodes may be disrupted, want %d", c.Name, n, c.Allowed)
		}
	}

	k.use()
	told := func() (string, error) { // of the file alone: the others need more to compile
		return k.try(filepath.Join(k.dir, api), "go", "test", "-vet=off", "-v", "nodepool_budget_cases_test.go")
	}
	if out, err := told(); err != nil || strings.Count(out, "    --- PASS: TestBudgetCases/") != len(cases) {
		t.Errorf("not each of %d cases has passed: %v\n%s", len(cases), err, out)
	}
	source := filepath.Join(k.dir, api, "nodepool.go")
	sound := string(must(os.ReadFile(source)))
	for _, change := range [][2]string{
		{"return !nextHit.After(c.Now().UTC()), nil", "return nextHit.Before(c.Now().UTC()), nil"},
		{"lo.Min([]int{allowedNodes, val})", "lo.Max([]int{0, val})"},
	} {
		if !strings.Contains(sound, change[0]) {
			t.Fatalf("there is no %s", change[0])
		}
		broken := strings.Replace(sound, change[0], change[1], 1)
		if err := os.WriteFile(source, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := told(); err == nil || !strings.Contains(out, "--- FAIL: TestBudgetCases/") {
			t.Errorf("with %s, no case fails: %v\n%s", change[1], err, out)
		}
	}
}
