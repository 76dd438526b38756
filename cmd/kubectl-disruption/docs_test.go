package main

import (
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit/cmd/golden"
)

// What docs/oncall.md shows below a command is a part of what the command prints.
func TestTheOnCallPageShowsWhatIsPrinted(t *testing.T) {
	printed := map[string]result{}
	shown := 0
	for command, output := range golden.Shown(t, "../../docs/oncall.md", "kubectl disruption ") {
		if output == "" {
			t.Errorf("%s: the page does not show what it prints", command)
			continue
		}
		got, asked := printed[command]
		if !asked {
			got = ran(t, strings.Fields(command)...)
			printed[command] = got
		}
		if got.status == 2 || len(output) < 100 || !strings.Contains("\n"+got.stdout, "\n"+output+"\n") {
			t.Errorf("%s does not print\n%s\nbut\n%.3000s%s", command, output, got.stdout, got.stderr)
		}
		shown++
	}
	if shown != 10 {
		t.Errorf("the page answers %d questions", shown)
	}
}
