package disruptkit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// decide is the example of README.md.
func decide(now time.Time, nodes []candidate.Node) (next time.Time, err error) {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"},
		{Nodes: "10%"},
	})
	in := disruptkit.Input{Now: now, Nodes: nodes, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node, c.Blockers)
	}
	return d.NextChange, err
}

func Example() {
	now := time.Date(2026, 11, 23, 7, 30, 0, 0, time.UTC) // a Monday, 08:30 in Berlin
	nodes := []candidate.Node{{
		Name: "a", Pool: "default", Initialized: true, Ready: true,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}}
	for range 2 {
		next, err := decide(now, nodes)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println("next change:", next)
		now = next
	}
	// Output:
	// drain a
	// next change: 2026-11-23 08:00:00 +0000 UTC
	// keep a [budget/allows-none: 0 of 1 nodes may go now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	// next change: 2026-11-23 16:00:00 +0000 UTC
}

// judgePods is the other one.
func judgePods(now time.Time, node candidate.Node, annotations, labels map[string]string, pdbs []candidate.PDB) (disruptkit.Input, []candidate.Warning, error) {
	var parser candidate.Parser
	started, pools := now.Add(-time.Hour), []disruptkit.Pool{{Name: "default"}}

	terms, warnings := parser.Terms("ml", "train-0", annotations)
	node.Pods = append(node.Pods, candidate.Pod{Namespace: "ml", Name: "train-0", Labels: labels, Terms: terms, Started: started})
	rules, err := candidate.Compile(pdbs, nil)
	in := disruptkit.Input{Now: now, Nodes: []candidate.Node{node}, Pools: pools, Rules: rules}
	return in, warnings, err
}

// A pod with disruption schedules, and a PodDisruptionBudget that is spent.
func Example_pods() {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	node := candidate.Node{
		Name: "a", Pool: "default", Initialized: true, Ready: true,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}
	annotations := map[string]string{
		"karpenter.sh/disruption-schedule":          "0 2 * * 6; 0 22 * * 1-5",
		"karpenter.sh/disruption-schedule-duration": "4h; 8h",
		"karpenter.sh/disruption-block-schedule":    "0 0 24 12 *",
		"karpenter.sh/disruption-block-duration":    "72h",
		"karpenter.sh/disruption-schedule-timezone": "Europe/Berlin",
	}
	labels := map[string]string{"app": "train"}
	pdbs := []candidate.PDB{{Namespace: "ml", Name: "train", Selector: &candidate.Selector{MatchLabels: labels}}}
	in, warnings, err := judgePods(now, node, annotations, labels, pdbs)
	fmt.Println(warnings, err)
	for _, b := range disruptkit.Decide(in, candidate.Drifted).Blocked[0].Blockers {
		fmt.Println(b)
	}
	// Output:
	// [] <nil>
	// pod/allows-none: pod ml/train-0 has PDB ml/train, which allows no disruption now
	// pod/outside-schedule: pod ml/train-0 may go only when its disruption schedule lets it: (0 2 * * 6 for 4h, Europe/Berlin or 0 22 * * 1-5 for 8h, Europe/Berlin) and outside (0 0 24 12 * for 72h, Europe/Berlin) (until 2026-11-20T21:00:00Z)
}

// The code that README.md shows is the code that runs above, and so is what it prints.
func TestTheExamplesOfTheREADMERun(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source := string(file)
	blocks := strings.Split(string(readme), "```go\n")[1:]
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		indented := "\t" + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n\t")
		if !strings.Contains(source, indented) {
			t.Errorf("this is not in readme_test.go:\n%s", block)
		}
	}
	printed := 0
	for line := range strings.Lines(string(readme)) {
		if text, ok := strings.CutPrefix(line, "    pod/"); ok {
			printed++
			if !strings.Contains(source, "\t// pod/"+text) {
				t.Errorf("this is not printed by readme_test.go: pod/%s", text)
			}
		}
	}
	if len(blocks) != 2 || printed != 2 {
		t.Errorf("%d blocks of code and %d lines of what it prints are found", len(blocks), printed)
	}
}
