package planner

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

// What docs/plan.md shows below a command is what the command prints.
func TestThePageShowsWhatIsPrinted(t *testing.T) {
	shown := 0
	for command, output := range golden.Shown(t, "../../../docs/plan.md", "kubectl disruption plan --demo ") {
		if output == "" {
			continue
		}
		got := ran("", append(strings.Fields(strings.ReplaceAll(command, "'", "")), "--runs", "200")...)
		if !strings.Contains(got.stdout, output) {
			t.Errorf("%s does not print\n%s\nbut\n%.2000s%s", command, output, got.stdout, got.stderr)
		}
		shown++
	}
	if shown != 4 {
		t.Errorf("the page shows the output of %d commands", shown)
	}
}

// The list of the bundled pool has two budgets, so that the third position is the one after the last.
func TestThePositionThatThePageAddsABudgetAtIsTheOneAfterTheLast(t *testing.T) {
	got := ran("", "--engine", "karpenter", "--set", `general.budgets[2]={nodes: "1"}`)
	if got.status == hopeless || !strings.Contains(got.stdout, `with general.budgets[2]={nodes: "1"}: `) {
		t.Errorf("status %d: %s%.1000s", got.status, got.stderr, got.stdout)
	}
	if got := ran("", "--engine", "karpenter", "--set", `general.budgets[3]={nodes: "1"}`); got.status != hopeless {
		t.Errorf("a position further on: status %d", got.status)
	}
}
