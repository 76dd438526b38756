package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What somebody reads without scrolling.
const screenLines, screenColumns = 24, 80

// platform are the questions of somebody who looks after NodePools, of the bundled cluster: the command that answers each,
// and what the answer says.
var platform = []struct{ asks, command, says string }{
	{"which are allowed", "decide --pool batch", "Drifted"},
	{"why not", "why ip-10-0-45-14", "blocked"},
	{"when is it done, and what helps", "plan", "What would help most"},
	{"this weekend", "forecast --from 2026-11-28 --to 2026-11-30", "general"},
	{"other budgets", "plan --set general.budgets[1]=null", "earlier"},
	{"a Friday in Berlin", "forecast --from 2026-11-27 --zone Europe/Berlin", "Europe/Berlin"},
	{"who blocks", "blockers", "data/postgres"},
	{"who expires in the freeze", "plan --expire 2026-11-20/2026-12-04", "while budgets[1] of general is 0"},
	{"is the repository fine", "lint FILE", "2 NodePools, for Karpenter"},
	{"compare two policies", "plan --set general.budgets[0].nodes=20%", "general"},
	{"a picture", "plan -o svg", "<svg"},
	{"metrics, and a pipeline", "metrics", "karpenter_nodepool_active_budgets{"},
}

// Whoever asks reads the answer on the first screen of 80 columns.
func TestAnAnswerIsOnTheFirstScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	file := filepath.FromSlash("../internal/bundled/cluster.json")
	answers := map[string]string{}
	for _, q := range platform {
		args := strings.Fields(strings.Replace(q.command, "FILE", file, 1))
		switch args[0] {
		case "lint":
		case "forecast":
			args = append(args, file, "--now", "2026-11-20T10:30:00Z")
		default:
			args = append(args, "--demo")
		}
		if answers[q.command] == "" {
			answers[q.command] = ran(t, args...).stdout
		}
		line, column := stands(answers[q.command], q.says)
		t.Logf("%-38s %-48s line %2d, column %2d", q.asks, q.command, line, column)
		if line == 0 || line > screenLines || column > screenColumns {
			t.Errorf("%s: %q is not on the first screen of %s (line %d, column %d):\n%.3000s", q.asks, q.says, q.command, line, column, answers[q.command])
		}
	}
}

// shown is a command of a page, and the part of its answer that the page shows.
var shown = regexp.MustCompile("(?s)```sh\nkubectl disruption ([^\n]*)\n```\n\n```text\n(.*?)```")

// The pages show what the commands print, and the answers to the ten questions of docs/oncall.md are on the first screen.
func TestThePagesShowWhatIsPrinted(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for page, count := range map[string]int{"oncall.md": 10, "plan.md": 1} {
		text, err := os.ReadFile(filepath.FromSlash("../../docs/" + page))
		if err != nil {
			t.Fatal(err)
		}
		blocks := shown.FindAllStringSubmatch(string(text), -1)
		if len(blocks) != count {
			t.Errorf("%s shows %d answers", page, len(blocks))
		}
		for _, block := range blocks {
			printed := ran(t, strings.Fields(strings.ReplaceAll(block[1], "'", ""))...).stdout
			lines := strings.SplitAfter(printed, "\n")
			if first := strings.Join(lines[:min(len(lines), screenLines)], ""); !strings.Contains(words(first), words(block[2])) {
				t.Errorf("%s: this is not on the first screen of %s:\n%s\nbut\n%s", page, block[1], block[2], printed)
			}
		}
	}
}

// stands returns the line and the column, from 1, at which a text stands that may be wrapped; 0: nowhere.
func stands(answer, text string) (line, column int) {
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	lines := strings.Split(answer, "\n")
	for i, l := range lines {
		rest := words(strings.Join(lines[i:min(len(lines), i+3)], " "))
		if at := strings.Index(rest, text); at >= 0 && at < len(words(l)) {
			return i + 1, utf8.RuneCountInString(l) - utf8.RuneCountInString(strings.TrimLeft(l, " ")) + utf8.RuneCountInString(rest[:at]) + 1
		}
	}
	return 0, 0
}

// Of a fleet, each command answers on one screen, unless -v or a name asks for more.
func TestTheAnswersOfAFleetFitAScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	file := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(file, bigCluster(300, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"decide", "why batch-1", "why web-3", "status", "plan", "blockers", "forecast"} {
		got := ran(t, append(strings.Fields(command), "-f", file, "--now", scaleNow.Format(time.RFC3339), "--engine", "karpenter")...)
		rows := 0
		for line := range strings.Lines(got.stdout) {
			rows += 1 + (utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))-1)/screenColumns // a command to be copied is not broken
		}
		if got.status == 2 || rows < 5 || rows > screenLines {
			t.Errorf("%s: exit status %d, %d rows\n%s%s", command, got.status, rows, got.stdout, got.stderr)
		}
	}
}
