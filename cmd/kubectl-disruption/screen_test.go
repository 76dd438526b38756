package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What somebody reads without scrolling.
const screenLines, screenColumns = 24, 80

// question is one of a person, the command that answers it, and what the answer says.
type question struct{ asks, command, says string }

// onCall are the ten questions of docs/oncall.md, of the bundled cluster.
var onCall = []question{
	{"which nodes may be disrupted now", "decide", "Drifted, allowed now: ip-10-0-36-243"},
	{"what happens next", "decide", "Fri 17:00 (in 6h30m)"},
	{"why is this node blocked", "why ip-10-0-108-90", "budgets[1] is 0 (Drifted; 0 9 * * mon-fri for 8h, UTC)"},
	{"what can I do", "why ip-10-0-108-90", "→ Wait for the window to open, or change the budget."},
	{"what is in flight, or not Ready", "decide", "in use: for Drifted, draining since"},
	{"how far is the roll", "status", "37 of 50 nodes up to date"},
	{"is it stuck, since when, and on what", "status", "general: 1 node stuck (nothing of the NodePool has moved since Fri 20 Nov"},
	{"when will it be done", "plan", "19 done by Fri 20 Nov 17:10"},
	{"what takes the time", "plan", "Main cause: budgets allow no node for 6h24m of 6h40m"},
	{"what would make it faster", "plan", "What would help most to be done earlier:"},
	{"which nodes are never replaced", "plan", "ip-10-0-108-90.us-west-2.compute.internal, never: pod data/postgres-0"},
	{"when are unhealthy nodes replaced", "plan --reason Unhealthy --repair usual", "5 done by Fri 20 Nov 11:01"},
	{"what does this code mean", "explain paused", "Somebody has paused disruption"},
	{"how do I stop everything", "explain paused", "kubectl disruption pause and resume"},
}

// platform are the twelve questions of somebody who looks after NodePools, of the same cluster.
var platform = []question{
	{"which are allowed", "decide --pool batch", "Drifted"},
	{"why not", "why ip-10-0-45-14", "blocked"},
	{"when is it done, and what helps", "plan", "What would help most"},
	{"this weekend", "forecast --from 2026-11-28 --to 2026-11-30", "general"},
	{"other budgets", "plan --set general.budgets[1]=null", "earlier"},
	{"a Friday in Berlin", "forecast --from 2026-11-27 --zone Europe/Berlin", "Europe/Berlin"},
	{"who blocks", "blockers", "data/postgres"},
	{"who expires in the freeze", "plan --engine karpenter", "while budgets[1] of general is 0"},
	{"is the repository fine", "lint FILE", "2 NodePools, for disruptkit"},
	{"compare two policies", "plan --set general.budgets[0].nodes=20%", "general"},
	{"a picture", "plan -o svg", "<svg"},
	{"metrics, and a pipeline", "metrics", "karpenter_nodepool_active_budgets{"},
}

// Whoever asks reads the answer on the first screen of 80 columns.
func TestAnAnswerIsOnTheFirstScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	file := filepath.FromSlash("../internal/bundled/cluster.json")
	answers := map[string]string{}
	for _, q := range append(onCall, platform...) {
		args := strings.Fields(strings.Replace(q.command, "FILE", file, 1))
		switch args[0] {
		case "explain", "lint":
		case "forecast":
			args = append(args, file, "--now", "2026-11-20T10:30:00Z")
		default:
			args = append(args, "-f", file, "--now", "2026-11-20T10:30:00Z")
		}
		if !strings.Contains(q.command, "--engine") && args[0] != "explain" {
			args = append(args, "--engine", "disruptkit")
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
	if err := os.WriteFile(file, bigCluster(300), 0o600); err != nil {
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
