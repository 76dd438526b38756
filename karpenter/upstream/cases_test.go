// Package upstream_test tries a patch that Karpenter could adopt: cases of budgets.
package upstream_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A tree is Karpenter as go.mod has it, with a patch.
type tree struct {
	*testing.T
	dir string
}

// patched returns a tree with a patch.
func patched(t *testing.T, patch string) tree {
	t.Helper()
	if os.Getenv("UPSTREAM") == "" {
		t.Skip("it compiles Karpenter anew, which takes minutes: set UPSTREAM=1")
	}
	k := tree{t, filepath.Join(t.TempDir(), "karpenter")}
	if err := os.CopyFS(k.dir, os.DirFS(k.run(".", "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/karpenter"))); err != nil {
		t.Fatal(err)
	}
	k.run(k.dir, "patch", "-p1", "-i", must(filepath.Abs(patch)))
	return k
}

// run returns what a command says that succeeds in a directory.
func (k tree) run(dir, name string, args ...string) string {
	k.Helper()
	out, err := k.try(dir, name, args...)
	if err != nil {
		k.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (k tree) try(dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(k.Context(), name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// use lets commands build our modules with the tree instead of Karpenter.
func (k tree) use() {
	k.Helper()
	work := filepath.Join(filepath.Dir(k.dir), "go.work")
	library := must(filepath.Abs("../.."))
	text := regexp.MustCompile(`(\s)\.\.`).ReplaceAllString(string(must(os.ReadFile("../go.work"))), "${1}"+library)
	text = strings.NewReplacer("\t./", "\t"+library+"/karpenter/", "\t.\n", "\t"+library+"/karpenter\n").Replace(text)
	if err := os.WriteFile(work, []byte(text+"\nreplace sigs.k8s.io/karpenter => ./karpenter\n"), 0o644); err != nil {
		k.Fatal(err)
	}
	k.Setenv("GOWORK", work)
}
