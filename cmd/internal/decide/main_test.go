package decide

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
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
	err := o.finish(env)
	return o, err
}

func TestGolden(t *testing.T) {
	const now = "2026-11-20T10:30:00Z"
	for _, test := range []struct {
		file   string
		args   []string
		status int
	}{
		{"bundled.table.txt", nil, good},
		{"bundled.json", []string{"-o", "json"}, good},
		{"night.table.txt", []string{"--now", "2026-11-20T23:30:00Z", "--reason", "Drift"}, good},
		{"probes.table.txt", []string{"-f", "testdata/probes.yaml", "--now", now}, faulty},
		{"broken.table.txt", []string{"-f", "testdata/broken.yaml", "--now", now}, faulty},
		{"engines-karpenter.table.txt", []string{"--engine", "karpenter", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"engines-guard.table.txt", []string{"--engine", "guard", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted"}, faulty},
		{"engines-guard.json", []string{"--engine", "guard", "-f", "testdata/engines.yaml", "--now", now, "--reason", "Drifted", "-o", "json"}, faulty},
		{"rejected.table.txt", []string{"--engine", "guard", "--reason", "Unhealthy"}, faulty}, // the API server rejects a bundled NodePool
		{"policies.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/policies.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"paced.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/paced.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"waves.table.txt", []string{"--engine", "guard", "-f", "testdata/waves.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"calendar.table.txt", []string{"-f", "testdata/calendar.yaml", "--now", "2026-12-25T12:00:00Z", "--zone", "Europe/Berlin", "--calendar", "../../ical/testdata/germany.ics", "--reason", "Drifted"}, good},
		{"dated.table.txt", []string{"--engine", "disruptkit", "-f", "testdata/dated.yaml", "--now", now, "--reason", "Drifted"}, good},
		{"dated-why.txt", []string{"--engine", "disruptkit", "-f", "testdata/dated.yaml", "--now", now, "--reason", "Drifted", "--node", "n-2"}, good},
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
		{"a good cluster in a file", "", []string{"-f", "../bundled/cluster.json"}, good, "Pod/render/frames-29397018-w2gqz: karpenter.sh/disruption-schedule: cron expression"},
		{"nothing but unknown kinds", `{"kind":"Secret"}`, []string{"-f", "-"}, hopeless, "decide: the input has nothing that decisions depend on: 1 Secret"},
		{"unknown kinds are good", `{"kind":"List","items":[{"kind":"Secret"},{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}]}`, []string{"-f", "-"}, good, "note: skipped, since decisions do not depend on them: 1 Secret"},
		{"a List of nothing", `{"kind":"List","items":[]}`, []string{"-f", "-"}, hopeless, "decide: the input is an empty List"},
		{"a broken budget", pool + `{"budgets":[{"nodes":"5 %"}]}}}`, []string{"-f", "-"}, faulty, ""},
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
		{"what kubectl says when it fails", "error: You must be logged in to the server", []string{"-f", "-"}, hopeless, "decide: the input has no Kubernetes object: document 1: kind: the object has no kind"},
		{"a format that is none", "", []string{"-o", "yaml"}, hopeless, "decide: -o \"yaml\" is unknown: write table, text, wide or json\n"},
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

func TestPoolsWithProbesThatDoNotRunAreNamed(t *testing.T) {
	const (
		pool = "---\nkind: NodePool\nmetadata: {name: %s}\nspec: {disruption: {disruptionProbes: [%s]}}\n"
		good = "{host: a, port: 80}"
		none = "{host: a}"
	)
	input := ""
	for i, name := range strings.Split("f d b h g a e c", " ") {
		input += fmt.Sprintf(pool, name, []string{good, good + "," + none, none, ""}[i/2])
	}
	const want = "note: decide does not run disruptionProbes, so it blocks pools that have any: NodePool/b, NodePool/d, NodePool/f, NodePool/h; " +
		"to run them, write kubectl disruption probe -f FILE\n"
	if got := decided(input, "-f", "-").stderr; !strings.Contains(got, want) {
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
	golden, err := os.ReadFile("testdata/bundled.table.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```text\n")
	block, _, found := strings.Cut(block, "```")
	if !found || !strings.Contains(string(golden), block) {
		t.Errorf("this is not in testdata/bundled.table.txt:\n%s", block)
	}
}

// candidate.Rules.FailClosed: "makes annotations that are not valid block their pod".
func TestAnnotationsThatAreNotValidHoldBackTheirNodeIfToldSo(t *testing.T) {
	const node, held = "ip-10-0-44-26.", "pod: render/frames-29397018-w2gqz has invalid annotations, which by policy block it\n"
	open, closed := decided("", "--reason", "Underutilized"), decided("", "--reason", "Underutilized", "--fail-closed")
	allowed := func(r result) bool {
		before, _, _ := strings.Cut(r.stdout, "\nBLOCKED ")
		return strings.Contains(before, node)
	}
	if !allowed(open) || strings.Contains(open.stdout, held) {
		t.Errorf("without --fail-closed:\n%s", open.stdout)
	}
	if allowed(closed) || !strings.Contains(closed.stdout, held) {
		t.Errorf("with --fail-closed:\n%s", closed.stdout)
	}
	if open.stderr != closed.stderr || closed.status != good {
		t.Errorf("with --fail-closed exit status %d, and on standard error:\n%s", closed.status, closed.stderr)
	}
}

// The disruption-controls-by-method RFC: what names a method has a budget of its own.
func TestTheMostSpecificBudgetsDecideWhereToldSo(t *testing.T) {
	input := strings.NewReplacer(`{"nodes":"1"}`, `{"nodes":"1"},{"nodes":"2","action":"Drift"}`).Replace(zonal(`{"nodes":"1"}`, "", "a1* a2* a3*"))
	const hint = "NodePool/p: spec.disruption.budgets[1]: 2 (Drift) never decides, since budgets[0] never allows more than 1; " +
		"if the most specific budget is meant to decide, write --most-specific\n"
	for _, test := range []struct {
		args   []string
		goes   string
		stderr string
	}{
		{nil, "Drifted: 1 may go now, 2 blocked", hint},
		{[]string{"--most-specific"}, "Drifted: 2 may go now, 1 blocked", ""},
	} {
		got := decided(input, append(test.args, "-f", "-")...)
		if got.status != good || got.stderr != test.stderr || !strings.Contains(got.stdout, test.goes) {
			t.Errorf("%v: exit status %d, standard error %q, %s", test.args, got.status, got.stderr, got.stdout)
		}
		json := decided(input, append(test.args, "-f", "-", "-o", "json")...).stdout
		if strings.Contains(json, `"code": "most-specific"`) != (test.stderr != "") {
			t.Errorf("%v: the hint is no warning: %s", test.args, json)
		}
	}
}

// A block scalar ends in a line break, and where nobody checks names they may be anything.
func TestWhateverThingsAreCalledRowsAreRows(t *testing.T) {
	const cluster = `
kind: NodePool
metadata: {name: "we\tb\e[31m"}
spec:
  disruption:
    budgets:
    - nodes: "0"
      schedule: |
        0 9 * * *
      duration: 8h
    - {nodes: "1", topologyKey: topology.kubernetes.io/zone}
---
kind: NodePool
metadata: {name: "free\t", generation: 1}
spec: {disruption: {budgets: [], disruptionProbes: [{host: a, port: 80}]}}
---
kind: "Od\td"
metadata: {name: a}
---
kind: NodeClaim
metadata: {name: c, labels: {karpenter.sh/nodepool: "we\tb\e[31m", topology.kubernetes.io/zone: "z\n1"}, creationTimestamp: 2026-11-20T10:00:00Z}
status:
  nodeName: "node\n\u202e1"
  conditions:
  - {type: Initialized, status: "True", lastTransitionTime: 2026-11-20T10:00:00Z}
  - {type: Drifted, status: "True", lastTransitionTime: 2026-11-20T10:00:00Z}
---
kind: NodeClaim
metadata: {name: d, labels: {karpenter.sh/nodepool: "go\r"}, creationTimestamp: 2026-11-20T10:00:00Z}
status:
  nodeName: "go\n1"
  conditions:
  - {type: Initialized, status: "True", lastTransitionTime: 2026-11-20T10:00:00Z}
  - {type: Drifted, status: "True", lastTransitionTime: 2026-11-20T10:00:00Z}
---
kind: Node
metadata: {name: "go\n1", labels: {karpenter.sh/initialized: "true"}}
status: {conditions: [{type: Ready, status: "True"}]}
---
kind: NodeClaim
metadata: {name: e, labels: {karpenter.sh/nodepool: "go\r"}}
status: {nodeName: "in use\t"}
---
kind: Node
metadata: {name: "in use\t"}
---
kind: Node
metadata: {name: "stray\t", labels: {karpenter.sh/nodepool: "go\r"}}
---
kind: NodePool
metadata: {name: "go\r"}
spec: {disruption: {budgets: [{nodes: "5"}]}}
---
kind: Node
metadata: {name: "node\n\u202e1", labels: {karpenter.sh/initialized: "true", topology.kubernetes.io/zone: "z\n1"}}
spec: {unschedulable: [1, "\u202e"]}
status: {conditions: [{type: Ready, status: "True"}]}
---
kind: Pod
metadata: {namespace: "te\tam", name: "p\e[0m", annotations: {karpenter.sh/do-not-disrupt: "true"}}
spec: {nodeName: "node\n\u202e1"}
`
	got := decided(cluster, "-f", "-", "--now", "2026-11-20T10:30:00Z")
	if strings.ContainsFunc(got.stdout+got.stderr, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) {
		t.Errorf("%q\n%q", got.stdout, got.stderr)
	}
	for _, want := range []string{
		`"node\n\u202e1"`, `"we\tb\x1b[31m"`, `"te\tam/p\x1b[0m" is annotated`, `"0 9 * * *\n" for 8h, UTC`, `"we\tb\x1b[31m", budgets[1]: 1 per`, "\n\"go\\n1\"", `"go\r"`, `"in use\t"`, "\n\"z\\n1\"  ",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%s is not in\n%s", want, got.stdout)
		}
	}
}
