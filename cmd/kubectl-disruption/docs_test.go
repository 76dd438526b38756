package main

import (
	"os"
	"strings"
	"testing"
)

// What docs/oncall.md shows below a command is a part of what the command prints.
func TestTheOnCallPageShowsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile("../../docs/oncall.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]result{}
	shown := 0
	for _, part := range strings.Split(string(page), "```sh\nkubectl disruption ")[1:] {
		command, rest, _ := strings.Cut(part, "\n```\n")
		output, isShown := strings.CutPrefix(rest, "\n```text\n")
		if !isShown {
			t.Errorf("%s: the page does not show what it prints", command)
			continue
		}
		output, _, _ = strings.Cut(output, "\n```")
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
