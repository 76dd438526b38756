package planner

import (
	"os"
	"strings"
	"testing"
)

// What docs/plan.md shows below a command is what the command prints.
func TestThePageShowsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile("../../../docs/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, part := range strings.Split(string(page), "```sh\nkubectl disruption plan --demo ")[1:] {
		command, rest, _ := strings.Cut(part, "\n```\n")
		output, isShown := strings.CutPrefix(rest, "\n```text\n")
		if !isShown {
			continue
		}
		output, _, _ = strings.Cut(output, "\n```")
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
