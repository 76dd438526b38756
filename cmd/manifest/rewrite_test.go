package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

const commented = `# of the web team
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: web}
spec:
  disruption:
    consolidateAfter: 0s
    budgets: # in order
      # by day
      - nodes: 10%   # usual
        reasons: # these
          - Drifted
          - Empty
      # by night
      - schedule: "@daily" # midnight
        duration: 24h
        nodes: '20%'
      - {nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h} # work
  limits: {cpu: 10}
---
kind: Other
`

// rewritten writes a file, and returns it with fixes.
func rewritten(t rapid.TB, name, content string, fixes ...lint.Fix) (before, after string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rewrite")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Policy{}.ReadPools(path, strings.NewReader(content))
	if err != nil || len(f.Pools) != 1 {
		t.Fatal(err, f)
	}
	patch, err := f.Pools[0].Rewrite(fixes...)
	if err != nil {
		return content, err.Error()
	}
	return content, string(patch.After())
}

func edited(list []budget.Budget, i int, change func(*budget.Budget)) lint.Edit {
	b := list[i]
	change(&b)
	return lint.Edit{At: i, With: []budget.Budget{b}}
}

func TestARewrittenListKeepsCommentsAndOrder(t *testing.T) {
	f, err := Policy{}.ReadPools("pools.yaml", strings.NewReader(commented))
	if err != nil {
		t.Fatal(err)
	}
	list := f.Pools[0].Spec.Budgets
	for name, c := range map[string]struct {
		edits    []lint.Edit
		old, new string
	}{
		"a field": {[]lint.Edit{edited(list, 0, func(b *budget.Budget) { b.Nodes = "1" })}, `nodes: 10%   # usual`, `nodes: "1" # usual`},
		"a list": {[]lint.Edit{edited(list, 0, func(b *budget.Budget) { b.Reasons = []candidate.Reason{"Drifted"} })},
			"10%   # usual\n        reasons: # these\n          - Drifted\n          - Empty\n", "10% # usual\n        reasons: # these\n          - Drifted\n"},
		"the first fields": {[]lint.Edit{edited(list, 1, func(b *budget.Budget) { b.Schedule, b.Duration = "", "" })},
			"- schedule: \"@daily\" # midnight\n        duration: 24h\n        nodes: '20%'", "- nodes: '20%'"},
		"one more field": {[]lint.Edit{edited(list, 1, func(b *budget.Budget) { b.Reasons = []candidate.Reason{"Drifted", "Empty"} })},
			"nodes: '20%'\n", "nodes: '20%'\n        reasons: [Drifted, Empty]\n"},
		"in braces": {[]lint.Edit{edited(list, 2, func(b *budget.Budget) { b.Reasons, b.Duration = []candidate.Reason{"Drifted"}, "9h" })},
			`duration: 8h} # work`, `duration: 9h, reasons: [Drifted]} # work`},
		"the first budget": {[]lint.Edit{{At: 0}}, "      - nodes: 10%   # usual\n        reasons: # these\n          - Drifted\n          - Empty\n", ""},
		"the last budget":  {[]lint.Edit{{At: 2}}, "      - {nodes: \"0\", schedule: \"0 9 * * mon-fri\", duration: 8h} # work\n", ""},
		"one more": {[]lint.Edit{{At: 3, With: []budget.Budget{{Nodes: "1", Schedule: "0 0 * * sat,sun", Duration: "24h"}}}},
			"# work\n", "# work\n      - {nodes: \"1\", schedule: \"0 0 * * sat,sun\", duration: 24h}\n"},
	} {
		before, after := rewritten(t, "pools.yaml", commented, lint.Fix{Edits: c.edits})
		want := strings.Replace(before, c.old, c.new, 1)
		if diff := cmp.Diff(want, after); diff != "" || want == before {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// An empty list gets its first budget.
func TestAnEmptyListGetsABudget(t *testing.T) {
	fix := lint.Fix{Edits: []lint.Edit{{At: 0, With: []budget.Budget{{Nodes: "10%"}, {Nodes: "1", Reasons: []candidate.Reason{"Drifted"}}}}}}
	for content, want := range map[string]string{
		"budgets: []\n":          "budgets: [{nodes: \"10%\"}, {nodes: \"1\", reasons: [Drifted]}]\n",
		"budgets: [ ]  # none\n": "budgets: [{nodes: \"10%\"}, {nodes: \"1\", reasons: [Drifted]} ]  # none\n",
		"{\"budgets\": []}":      `{"budgets": [{"nodes": "10%"}, {"nodes": "1", "reasons": ["Drifted"]}]}`,
		"budgets:\n  []\n":       "budgets:\n  [{nodes: \"10%\"}, {nodes: \"1\", reasons: [Drifted]}]\n",
	} {
		if before, after := rewritten(t, "pools.yaml", content, fix); after != strings.Replace(before, content, want, 1) && after != want {
			t.Errorf("%q: %q", before, after)
		}
	}
}

// However a list is written, the file then has the wanted one, and all else as before: Rewrite reads it again.
func TestAListCanBeRewrittenHoweverItIsWritten(t *testing.T) {
	for name, content := range map[string]string{
		"bare.yaml":   "budgets:\n- nodes: \"0\"\n  schedule: \"0 9 * * mon-fri\"\n  duration: 8h\n- nodes: 10%",
		"flow.yaml":   `{budgets: [{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}, {nodes: 10%}]}`,
		"crlf.yaml":   "budgets:\r\n- nodes: \"0\"\r\n  schedule: \"0 9 * * mon-fri\"\r\n  duration: 8h\r\n- nodes: 10%\r\n",
		"mark.yaml":   "\ufeffbudgets:\n- {nodes: \"0\", schedule: \"0 9 * * mon-fri\", duration: 8h}\n- {nodes: 10%}\n",
		"one.json":    `{"budgets": [{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "10%"}]}`,
		"pretty.json": "{\n  \"budgets\": [\n    {\n      \"nodes\": \"0\",\n      \"schedule\": \"0 9 * * mon-fri\",\n      \"duration\": \"8h\"\n    },\n    {\"nodes\": \"10%\"}\n  ]\n}\n",
	} {
		list := []budget.Budget{{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}, {Nodes: "10%"}}
		rapid.Check(t, func(t *rapid.T) {
			var fix lint.Fix
			for i := range list {
				switch rapid.IntRange(0, 3).Draw(t, "edit") {
				case 0:
					fix.Edits = append(fix.Edits, edited(list, i, func(b *budget.Budget) {
						b.Nodes = rapid.SampledFrom([]string{"1", "20%"}).Draw(t, "nodes")
						b.Reasons = rapid.SampledFrom([][]candidate.Reason{nil, {"Drifted", "Empty"}}).Draw(t, "reasons")
						if rapid.Bool().Draw(t, "always") {
							b.Schedule, b.Duration = "", ""
						}
					}))
				case 1:
					if i == 0 {
						fix.Edits = append(fix.Edits, lint.Edit{At: i})
					}
				}
			}
			fix.Edits = append(fix.Edits, lint.Edit{At: 2, With: []budget.Budget{{Nodes: "5", Reasons: []candidate.Reason{"Empty"}}}})
			ends := func(text string) bool { return strings.Count(text, "\r") == strings.Count(text, "\n") }
			if before, after := rewritten(t, name, content, fix); !strings.Contains(after, "Empty") || ends(before) != ends(after) {
				t.Fatalf("%s: %v\n%s", name, fix, after)
			}
		})
	}
}
