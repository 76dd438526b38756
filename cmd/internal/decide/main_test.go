package decide

import (
	"bytes"
	"context"
	"os"
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

func decided(stdin string, args ...string) result {
	if !slices.Contains(args, "--engine") { // these tests are about all that disruptkit knows
		args = append([]string{"--engine", "disruptkit"}, args...)
	}
	var stdout, stderr bytes.Buffer
	status := command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}, Command, args)
	return result{stdout.String(), stderr.String(), status}
}

// rfcs is a cluster that uses what only disruptkit has.
const rfcs = "../bundled/testdata/rfcs.json"

// parseOptions returns what arguments say.
func parseOptions(args []string) (options, error) {
	var (
		o   options
		env command.Environment
	)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.addFlags(&env, flags)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	err := o.Finish(env, o.reasons)
	return o, err
}

func TestGolden(t *testing.T) {
	const now = "2026-11-20T10:30:00Z"
	for _, test := range []struct {
		file   string
		args   []string
		status int
	}{
		{"demo.first.txt", []string{"--engine", "karpenter"}, good},
		{"demo.table.txt", []string{"--engine", "karpenter", "-v"}, good},
		{"rfcs.first.txt", []string{"-f", rfcs, "--now", now}, good},
		{"rfcs.table.txt", []string{"-v", "-f", rfcs, "--now", now}, good},
		{"rfcs.json", []string{"-o", "json", "-f", rfcs, "--now", now}, good},
		{"night.table.txt", []string{"-f", rfcs, "--now", "2026-11-20T23:30:00Z", "--reason", "Drift"}, good},
		{"probes.table.txt", []string{"-v", "-f", "testdata/probes.yaml", "--now", now}, faulty},
		{"broken.table.txt", []string{"-v", "-f", "testdata/broken.yaml", "--now", now}, faulty},
		{"engines-karpenter.table.txt", []string{"--engine", "karpenter", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"engines-guard.table.txt", []string{"--engine", "guard", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted"}, faulty},
		{"engines-guard.json", []string{"--engine", "guard", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted", "-o", "json"}, faulty},
		{"rejected.table.txt", []string{"--engine", "guard", "-f", rfcs, "--now", now, "--reason", "Unhealthy"}, faulty}, // the API server rejects a NodePool
		{"policies.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/policies.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"paced.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/paced.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"spread.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/spread.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"waves.table.txt", []string{"--engine", "guard", "-f", "testdata/waves.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"units.table.txt", []string{"--engine", "guard", "-f", "testdata/units.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"calendar.table.txt", []string{"-f", "testdata/calendar.yaml", "--now", "2026-12-25T12:00:00Z", "--zone", "Europe/Berlin", "--calendar", "../../ical/testdata/germany.ics", "--reason", "Drifted"}, good},
		{"dated.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/dated.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"broken.json", []string{"-f", "testdata/broken.yaml", "--now", now, "-o", "json"}, faulty},
	} {
		t.Run(test.file, func(t *testing.T) {
			got := decided("", test.args...)
			if got.status != test.status {
				t.Errorf("exit status %d, want %d", got.status, test.status)
			}
			golden.Check(t, test.file, got.stdout)
			golden.Check(t, strings.SplitN(test.file, ".", 2)[0]+".stderr.txt", got.stderr)
		})
	}
}

// "a broken object is named (kind/name, field) and the rest still decided, with exit status 1; unreadable input is exit
// status 2."
func TestExitStatus(t *testing.T) {
	const pool = `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":`
	for _, test := range []struct {
		rule, stdin string
		args        []string
		want        int
		stderr      string // what it begins with
	}{
		{"the bundled cluster is good", "", nil, good, "note: this is a bundled cluster; for your own, leave out --demo"},
		{"a good cluster in a file", "", []string{"-f", rfcs}, good, "Pod/render/frames-29397018-w2gqz: karpenter.sh/disruption-schedule: cron expression"},
		{"nothing but unknown kinds", `{"kind":"Secret"}`, []string{"-f", "-"}, hopeless, "decide: the input has nothing that decisions depend on: 1 Secret"},
		{"unknown kinds are good", `{"kind":"List","items":[{"kind":"Secret"},{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}]}`, []string{"-f", "-"}, good, "note: skipped, since decisions do not depend on them: 1 Secret"},
		{"a List of nothing", `{"kind":"List","items":[]}`, []string{"-f", "-"}, hopeless, "decide: the input is an empty List"},
		{"an invalid budget", pool + `{"budgets":[{"nodes":"5 %"}]}}}`, []string{"-f", "-"}, faulty, ""},
		{"a broken object", `{"kind":"Node","metadata":{"name":5}}`, []string{"-f", "-"}, faulty, ""},
		{"a PodDisruptionBudget that selects nothing is good", `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"x"}}`, []string{"-f", "-"}, good, ""},
		{"an annotation that is not valid is good, since it is ignored", `{"kind":"Pod","metadata":{"name":"x","annotations":{"karpenter.sh/do-not-disrupt":"yes"}}}`, []string{"-f", "-"}, good, ""},
		{"a flag that is neither", "", []string{"--fail-closed=maybe"}, hopeless, "decide: --fail-closed \"maybe\" is neither true nor false"},
		{"an engine that is none", "", []string{"--engine", "fargate"}, hopeless, `decide: --engine "fargate" is unknown: write karpenter, guard, steward or disruptkit`},
		{"a flag that the guard does not have", "", []string{"--engine", "guard", "--most-specific"}, hopeless, "decide: --most-specific has no effect on the guard: "},
		{"what the API server rejects", pool + `{"budgets":[{"nodes":5}]}}}`, []string{"--engine", "karpenter", "-f", "-"}, faulty, ""},
		{"two pools of a name", pool + `{}}}` + pool + `{}}}`, []string{"-f", "-"}, faulty, ""},
		{"empty input", "", []string{"-f", "-"}, hopeless, "decide: the input is empty: did the command that prints it fail?\nto print what is read here, write: kubectl get nodepools,"},
		{"unreadable input", "{", []string{"-f", "-"}, hopeless, "decide: the JSON ends in the middle"},
		{"a file that is not there", "", []string{"-f", "testdata/none.json"}, hopeless, "decide: open testdata/none.json"},
		{"a flag that is not there", "", []string{"-x"}, hopeless, "decide: unknown shorthand flag: 'x' in -x: write decide --help to see the flags\n"},
		{"an argument that is not a flag", "", []string{"cluster.json"}, hopeless, "decide: \"cluster.json\" is not a flag: to read a file, write -f cluster.json\n"},
		{"a directory", "", []string{"-f", "testdata"}, hopeless, "decide: testdata is a directory: name a file in it\n"},
		{"what kubectl says when it fails", "error: You must be logged in to the server", []string{"-f", "-"}, hopeless, "decide: line 1 is a message of kubectl, so objects may be missing: error: You must be logged in to the server"},
		{"a format that is none", "", []string{"-o", "yaml"}, hopeless, "decide: -o \"yaml\" is unknown: write text, name or json\n"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := decided(test.stdin, test.args...)
			if got.status != test.want || !strings.HasPrefix(got.stderr, test.stderr) {
				t.Errorf("exit status %d, want %d; stderr:\n%s", got.status, test.want, got.stderr)
			}
			if (got.stdout == "") != (test.want == hopeless) {
				t.Errorf("stdout:\n%s", got.stdout)
			}
		})
	}
}

func TestThatProbesDoNotRunIsSaid(t *testing.T) {
	const pool = "---\nkind: NodePool\nmetadata: {name: a}\nspec: {disruption: {disruptionProbes: [{host: a, port: 80}]}}\n"
	const want = "note: decide does not run disruptionProbes, so it blocks pools that have any; the guard and the steward run them\n"
	if got := decided(pool, "-f", "-").stderr; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
	if got := decided("").stderr; strings.Contains(got, "disruptionProbes") {
		t.Errorf("of a cluster without probes: %s", got)
	}
}

// What README.md shows of the output is in the output.
func TestTheREADMEShowsWhatIsPrinted(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/demo.table.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```text\n")
	block, _, found := strings.Cut(block, "```")
	for part := range strings.SplitSeq(block, "…\n") {
		if !found || !strings.Contains(string(golden), part) {
			t.Errorf("this is not in testdata/demo.table.txt:\n%s", part)
		}
	}
}
