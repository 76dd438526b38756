package forecast

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

// forecasted runs the program for disruptkit, unless the arguments say for whom.
func forecasted(stdin string, args ...string) result {
	if !slices.Contains(args, "--engine") {
		args = append([]string{"--engine", "disruptkit"}, args...)
	}
	if !slices.Contains(args, "--first") { // most of these tests are about all that is printed
		args = append(args, "-v")
	}
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "--first" })
	var stdout, stderr bytes.Buffer
	status := command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}, Command, args)
	return result{stdout.String(), stderr.String(), status}
}

// parseOptions returns what arguments say.
func parseOptions(args []string) (o options, err error) {
	var env command.Environment
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.addFlags(&env, flags)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	return o, o.finish(env, flags.Args())
}

func TestGolden(t *testing.T) {
	week := []string{"--from", "2026-11-23"}
	for _, test := range []struct {
		file   string // in testdata, without extension
		args   []string
		status int
	}{
		{"bundled", nil, good},
		{"rfc-business-hours", append(week, "testdata/rfc-business-hours.yaml"), good},
		{"controls", []string{"--from", "2026-12-28", "testdata/controls.yaml"}, good},
		{"deadline", []string{"--from", "2026-12-28", "testdata/deadline.yaml"}, faulty},
		{"deadline-karpenter", []string{"--engine", "karpenter", "--from", "2026-12-28", "testdata/deadline.yaml"}, good},
		{"list", append(week, "--zone", "Europe/Berlin", "--nodes", "20", "testdata/list.json"), good},
		{"clocks", []string{"--from", "2026-10-23", "--to", "2026-10-27T12:30:00+01:00", "--zone", "Europe/Berlin", "testdata/clocks.yaml"}, good},
		{"paused", []string{"--engine", "guard", "--from", "2026-12-21", "--zone", "Europe/Berlin", "testdata/paused.yaml"}, good},
		{"holidays", []string{"--from", "2026-12-24", "--to", "2026-12-28", "--zone", "Europe/Berlin", "--calendar", "../../ical/testdata/germany.ics", "testdata/holidays.yaml"}, good},
		{"repair", append(week, "testdata/repair.yaml"), good},
		{"paced", append(week, "testdata/paced.yaml"), good},
		{"dates", []string{"--from", "2026-12-21", "--to", "2026-12-24", "--zone", "Europe/Berlin", "testdata/dates.yaml"}, good},
		{"broken", append(week, "testdata/broken.yaml", "testdata/broken.json"), faulty},
		{"engines-karpenter", append(week, "--engine", "karpenter", "--reason", "Drifted,Expired", "testdata/engines.yaml"), faulty},
		{"engines-guard", append(week, "--engine", "guard", "--reason", "Drifted,Expired", "testdata/engines.yaml"), faulty},
	} {
		t.Run(test.file, func(t *testing.T) {
			got := forecasted("", test.args...)
			if got.status != test.status {
				t.Errorf("exit status %d, want %d", got.status, test.status)
			}
			golden.Check(t, test.file+".txt", got.stdout)
			golden.Check(t, test.file+".stderr.txt", got.stderr)
			if slices.Contains([]string{"bundled", "broken", "engines-guard", "holidays", "paced"}, test.file) {
				golden.Check(t, test.file+".golden.json", forecasted("", append(test.args, "-o", "json")...).stdout)
			}
		})
	}
}

// NodePools do not say how many nodes they have, and percentages are of some number.
func TestAnAssumedNumberOfNodesIsMarked(t *testing.T) {
	for _, test := range []struct {
		args    []string
		text    string
		assumed bool
	}{
		{nil, "It has 100 nodes, as is assumed (--nodes says how many).\n", true},
		{[]string{"--nodes", "100"}, "It has 100 nodes.\n", false},
		{[]string{"--nodes", "7"}, "It has 7 nodes.\n", false},
	} {
		if got := forecasted("", test.args...).stdout; !strings.Contains(got, test.text) {
			t.Errorf("%v: want %q in\n%s", test.args, test.text, got)
		}
		var answer struct {
			NodesAssumed *bool `json:"nodesAssumed"`
		}
		if err := json.Unmarshal([]byte(forecasted("", append(test.args, "-o", "json")...).stdout), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.NodesAssumed == nil || *answer.NodesAssumed != test.assumed {
			t.Errorf("%v: nodesAssumed is not %t", test.args, test.assumed)
		}
	}
}

// docs/forecast.md shows a part of what is printed for the bundled pool.
func TestThePageShowsWhatIsPrinted(t *testing.T) {
	page, err := os.ReadFile("../../../docs/forecast.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := forecasted("").stdout
	shown := 0
	for _, block := range strings.Split(string(page), "```text\n")[1:] {
		if block, _, _ = strings.Cut(block, "```"); strings.HasPrefix(block, "Findings") {
			shown++
			for part := range strings.SplitSeq(block, "…\n") {
				if !strings.Contains(printed, part) {
					t.Errorf("this is not printed:\n%s", part)
				}
			}
		}
	}
	if shown != 1 {
		t.Errorf("docs/forecast.md shows %d blocks of findings", shown)
	}
}

func TestExitStatus(t *testing.T) {
	const pool = `{"kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":`
	for _, test := range []struct {
		rule, stdin string
		args        []string
		want        int
		stderr      string // what it begins with
	}{
		{"the bundled pool is good", "", nil, good, "note: this is a bundled NodePool; for your own, leave out --demo"},
		{"a good pool", pool + `{}}}`, []string{"-"}, good, ""},
		{"a list of budgets alone", `budgets: []`, []string{"-"}, good, ""},
		{"a calendar by the name of its file", pool + `{"budgets":[{"nodes":"0","calendar":"us"}]}}}`, []string{"--calendar", "../../ical/testdata/us.ics", "-"}, good, ""},
		{"a calendar by another name", pool + `{"budgets":[{"nodes":"0","calendar":"freeze"}]}}}`, []string{"--calendar", "freeze=../../ical/testdata/us.ics", "--calendar", "../../ical/testdata/us.ics", "-"}, good, ""},
		{"a calendar that is not handed in", pool + `{"budgets":[{"nodes":"0","calendar":"us"}]}}}`, []string{"-"}, faulty, ""},
		{"two calendars of one name", "", []string{"--calendar", "../../ical/testdata/us.ics", "--calendar", "us=../../ical/testdata/germany.ics"}, hopeless, `forecast: --calendar us=../../ical/testdata/germany.ics: another calendar is called "us": write a name of its own`},
		{"a calendar that is not there", "", []string{"--calendar", "none.ics"}, hopeless, "forecast: --calendar none.ics: open none.ics: no such file or directory\n"},
		{"a calendar for Karpenter", "", []string{"--engine", "karpenter", "--calendar", "none.ics", "nodepool.yaml"}, hopeless, "forecast: --calendar has no effect in Karpenter, which has no calendars: write --engine disruptkit, guard or steward\n"},
		{"an invalid budget", pool + `{"budgets":[{"nodes":"5 %"}]}}}`, []string{"-"}, faulty, ""},
		{"a good file, and one that is not there", "", []string{"nodepool.yaml", "none.yaml"}, hopeless, "note: open none.yaml: no such file or directory\n"},
		{"a good pool, and an object of another kind", pool + `{}}}` + `{"kind":"Pod","metadata":{}}`, []string{"-"}, good, "note: standard input: objects other than NodePools are skipped: 1\n"},
		{"objects of other kinds alone", `{"kind":"Pod"}`, []string{"-"}, hopeless, "note: standard input: objects other than NodePools are skipped: 1\nforecast: the input has no readable NodePool"},
		{"empty input", "", []string{"-"}, hopeless, "forecast: standard input: the input is empty: did the command that prints it fail?\n"},
		{"a file that is not there", "", []string{"none.yaml"}, hopeless, "forecast: open none.yaml: no such file or directory\n"},
		{"a directory without manifests", "", []string{"../tell"}, hopeless,
			"forecast: ../tell has no file *.yaml, *.yml or *.json: name another directory\n"},
		{"a flag that is not there", "", []string{"-x"}, hopeless, "forecast: unknown shorthand flag: 'x' in -x: write forecast --help to see the flags\n"},
		{"a time that is none", "", []string{"--from", "Monday"}, hopeless, "forecast: --from \"Monday\" is not a time: write one such as 2026-11-23 or 2026-11-23T09:00:00Z\n"},
		{"from after to", "", []string{"--from", "2026-11-23", "--to", "2026-11-22"}, hopeless, "forecast: a forecast from 2026-11-23T00:00:00Z to 2026-11-22T00:00:00Z covers no time: write a later end\n"},
		{"an engine that is none", "", []string{"--engine", "fargate"}, hopeless, `forecast: --engine "fargate" is unknown: write karpenter, guard, steward or disruptkit`},
		{"a flag that has no effect in Karpenter", "", []string{"--engine", "karpenter", "--most-specific"}, hopeless, "forecast: --most-specific has no effect in Karpenter: "},
		{"what the API server rejects", pool + `{"budgets":[{"nodes":5}]}}}`, []string{"--engine", "karpenter", "-"}, faulty, ""},
		{"more changes than are looked at", `budgets: [{nodes: 1, schedule: "*/2 * * * *", duration: 1m}]`, []string{"-", "--from", "2026-11-23", "--to", "2036-11-20"}, hopeless, "forecast: standard input: budgets become active or inactive more than 1000000 times up to 2028-10-17T10:41:00Z: write an end before that\n"},
		{"more changes of many reasons than are printed", busyChildren(120), []string{"-", "--from", "2026-11-23"}, hopeless, "forecast: standard input: what is allowed changes more than 1000000 times, of all 123 reasons: write fewer budgets, or ask for less time or fewer reasons\n"},
		{"a zone that is none", "", []string{"--zone", "Berlin"}, hopeless, "forecast: --zone \"Berlin\" is not in the tz database: write one such as Europe/Berlin, or UTC\n"},
		{"a number of nodes that is none", "", []string{"--nodes", "-1"}, hopeless, "forecast: --nodes \"-1\" is not a number of nodes: write one from 0 to 2147483647\n"},
		{"a format that is none", "", []string{"-o", "yaml"}, hopeless, "forecast: -o \"yaml\" is unknown: write text, json or svg\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := forecasted(test.stdin, test.args...)
			if got.status != test.want || !strings.HasPrefix(got.stderr, test.stderr) {
				t.Errorf("exit status %d, want %d; stderr:\n%s", got.status, test.want, got.stderr)
			}
			rest := strings.HasPrefix(got.stderr, "note: open none.yaml") // the other file is shown
			if (got.stdout == "") != (test.want == hopeless && !rest) {
				t.Errorf("stdout:\n%s", got.stdout)
			}
		})
	}
}

// busyChildren returns budgets for so many child reasons, forty in each, that change every minute.
func busyChildren(n int) string {
	text := "budgets:"
	for i := range n {
		if i%40 == 0 {
			text += "\n- nodes: 1\n  schedule: '*/2 * * * *'\n  duration: 1m\n  reasons:"
		}
		text += fmt.Sprintf("\n  - Drifted/R%d", i)
	}
	return text
}

func TestNowIsMarkedAndItsDayIsTheFirst(t *testing.T) {
	const args = "--engine disruptkit -f - --zone Europe/Berlin --now 2026-11-25T09:30:00Z"
	today := forecasted(daily, strings.Fields(args)...).stdout
	if want := forecasted(daily, strings.Fields(args+" --from 2026-11-25")...).stdout; today != want || !strings.Contains(today, "← now") {
		t.Errorf("got\n%s\nnot\n%s", today, want)
	}
	if earlier := forecasted(daily, strings.Fields(args+" --from 2026-11-23")...).stdout; !strings.Contains(earlier, "← now") || earlier == today {
		t.Errorf("now is not marked:\n%s", earlier)
	}
	if bundled := forecasted("", "--now", "2027-01-05").stdout; !strings.Contains(bundled, "2027-01-05") {
		t.Errorf("the bundled pool is not shown at --now:\n%s", bundled)
	}
	if got := forecasted(daily, "--now", "noon", "-"); got.status != hopeless || !strings.Contains(got.stderr, `--now "noon" is not a time`) {
		t.Errorf("%+v", got)
	}
}

func answerOf(t *testing.T, got result) (answer jsonReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(got.stdout), &answer); err != nil {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	return answer
}

func TestOnePoolIsShown(t *testing.T) {
	week := []string{"--from", "2026-11-23", "testdata/list.json"}
	var names []string
	for _, line := range strings.Split(forecasted("", week...).stdout, "\n===") {
		before := strings.Split(line, "\n")
		names = append(names, before[len(before)-1])
	}
	if len(names) < 3 {
		t.Fatalf("%q", names)
	}
	got := forecasted("", append(week, "--pool", names[0])...)
	if got.status != good || strings.Count(got.stdout, "\n===") != 1 || !strings.Contains(got.stdout, "\n"+names[0]+"\n===") {
		t.Errorf("%+v", got)
	}
	got = forecasted("", append(week, "--pool", "nope")...)
	if got.status != hopeless || !strings.Contains(got.stderr, `--pool: there is no NodePool "nope": there are `) {
		t.Errorf("%+v", got)
	}
	if got := forecasted("", "--pool", "nope"); got.status != hopeless {
		t.Errorf("the bundled one is not of that name: %+v", got)
	}
}

// Two policies for one NodePool are compared by their files.
func TestNodePoolsOfOneNameAreShownWithTheirPlaces(t *testing.T) {
	const web = "kind: NodePool\nmetadata: {name: web}\nspec: {disruption: {budgets: [{nodes: %q}]}}\n"
	dir, files := t.TempDir(), []string(nil)
	for name, nodes := range map[string]string{"a.yaml": "10%", "b.yaml": "20%"} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], fmt.Appendf(nil, web, nodes), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, first := range [][]string{{"--first"}, nil} {
		got := forecasted("", append(first, files...)...).stdout
		for _, want := range []string{"a.yaml:2)", "b.yaml:2)"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in\n%s", want, got)
			}
		}
	}
}

const daily = `{"budgets": [{"nodes": "1"}, {"nodes": "0", "schedule": "0 12 * * *", "duration": "6h"}]}`
