package planner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/plan"
)

// result is what a run of the program leaves behind.
type result struct {
	stdout, stderr string
	status         int
}

func ran(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	if !slices.Contains(args, "--engine") { // these tests are about all that disruptkit knows
		args = append([]string{"--engine", "disruptkit"}, args...)
	}
	if !slices.Contains(args, "--runs") { // enough for quantiles
		args = append(args, "--runs", "10")
	}
	compared := slices.ContainsFunc(args, func(arg string) bool { return slices.Contains([]string{"--what-if", "--set", "--outage"}, arg) })
	if !compared && !slices.Contains(args, "--first") { // most of these tests are about all that is printed
		args = append(args, "-v")
	}
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "--first" })
	status := command.Run(context.Background(), command.Environment{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}, Command, args)
	return result{stdout.String(), stderr.String(), status}
}

// fleet returns a NodePool with three zones of drifted nodes, as kubectl prints it.
func fleet(nodesOfZone int, budgets string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web, uid: x}\nspec: {disruption: {consolidateAfter: 0s, budgets: %s}}\n", budgets)
	for i := range 3 * nodesOfZone {
		fmt.Fprintf(&s, `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: web-%[1]d, labels: {karpenter.sh/nodepool: web}, creationTimestamp: "2026-11-01T00:00:00Z"}
status: {nodeName: node-%04[1]d, providerID: "p-%[1]d", conditions: [{type: Drifted, status: "True", reason: AMIDrift, lastTransitionTime: "2026-11-20T%02[2]d:%02[3]d:00Z"}, {type: Initialized, status: "True"}, {type: Registered, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-%04[1]d, labels: {karpenter.sh/nodepool: web, karpenter.sh/initialized: "true", karpenter.sh/registered: "true", topology.kubernetes.io/zone: us-west-2%[4]c}}
spec: {providerID: "p-%[1]d"}
status: {conditions: [{type: Ready, status: "True"}]}
`, i, i/60%24, i%60, 'a'+i%3)
		fmt.Fprintf(&s, "---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: shop, name: api-%d, labels: {app: api-%d}}\nspec: {nodeName: node-%04d}\nstatus: {phase: Running, startTime: \"2026-11-01T00:00:00Z\"}\n", i, i%7, i)
	}
	s.WriteString("---\napiVersion: policy/v1\nkind: PodDisruptionBudgetList\nitems: []\n")
	return s.String()
}

// rfcs is a cluster that uses what only disruptkit has.
const rfcs = "../bundled/testdata/rfcs.json"

// parseOptions returns what arguments say.
func parseOptions(args []string) (*options, error) {
	var (
		o   options
		env command.Environment
	)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.addFlags(&env, flags)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return &o, o.finish(env)
}

const nights = `[{nodes: "10%"}, {nodes: "0", schedule: "0 6 * * *", duration: 16h}]`

const zones = `[{nodes: "0", schedule: "0 22 * * *", duration: 6h, outside: true}, {nodes: "6", reasons: [Drifted], topologyKey: topology.kubernetes.io/zone, sequential: true}]`

// inWaves is a DisruptionPolicy of all NodePools.
const inWaves = `{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: prod}, spec: {all: true, rollout: {waves: ["1", "25%%"], bake: %s}}}`

// dueFleet has deadlines that it misses, since its windows are short.
var dueFleet = strings.Replace(fleet(20, "null"), "budgets: null",
	`drift: {deadline: 30h, budgets: [{nodes: "5%"}, {nodes: "0", schedule: "0 6 * * *", duration: 22h}]}`, 1)

func TestGolden(t *testing.T) {
	big := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, big, fleet(40, nights))
	turns := filepath.Join(t.TempDir(), "turns.yaml")
	write(t, turns, strings.Replace(fleet(40, zones), "labels: {app: api-2}", "labels: {app: api-2}, annotations: {karpenter.sh/do-not-disrupt: \"true\"}", 1))
	due := filepath.Join(t.TempDir(), "due.yaml")
	write(t, due, dueFleet)
	more := filepath.Join("testdata", "twice.yaml")
	waves, shorter := filepath.Join(t.TempDir(), "waves.yaml"), filepath.Join(t.TempDir(), "shorter.yaml")
	write(t, waves, fleet(4, `[{nodes: "4"}]`)+"---\n"+fmt.Sprintf(inWaves, "2h"))
	write(t, shorter, fmt.Sprintf(inWaves, "10m"))
	for _, test := range []struct {
		file string
		args []string
	}{
		{"demo.txt", []string{"--engine", "karpenter", "--first"}},
		{"rfcs.txt", []string{"-f", rfcs, "--now", "2026-11-20T10:30:00Z"}},
		{"rfcs.json", []string{"-f", rfcs, "--now", "2026-11-20T10:30:00Z", "-o", "json"}},
		{"turns.txt", []string{"-f", turns, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--launch", "2m,4m"}},
		{"turns.svg", []string{"-f", turns, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--launch", "2m,4m", "-o", "svg", "--runs", "50"}}, // README.md shows it
		{"by.txt", []string{"--engine", "karpenter", "--by", "2026-11-20T12:00:00Z", "--try=false"}},
		{"late.txt", []string{"-f", due, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m"}},
		{"karpenter.txt", []string{"-f", turns, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--engine", "karpenter"}},
		{"what-if.txt", []string{"-f", big, "--now", "2026-11-20T18:00:00Z", "--drain", "5m,20m,45m", "--what-if", more}},
		{"waves.txt", []string{"-f", waves, "--engine", "guard", "--now", "2026-11-20T18:00:00Z", "--what-if", shorter, "--try=false"}},
		{"units.txt", []string{"-f", "../decide/testdata/units.yaml", "--engine", "guard", "--now", "2026-11-20T10:30:00Z"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			got := ran("", test.args...)
			if got.status == hopeless {
				t.Fatalf("exit status %d, stderr:\n%s", got.status, got.stderr)
			}
			golden.Check(t, test.file, got.stdout)
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestExitStatus(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(1, nights))
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	write(t, broken, fleet(1, `[{nodes: x}]`))
	waves := filepath.Join(t.TempDir(), "waves.yaml")
	write(t, waves, fmt.Sprintf(inWaves, "soon"))
	other := filepath.Join(t.TempDir(), "other.yaml")
	write(t, other, "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {}\n---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: b}\nspec: {}\n")
	for _, test := range []struct {
		rule   string
		args   string
		status int
		stderr string
	}{
		{"help is good", "-h", good, ""},
		{"a good fleet", "-f " + file, good, ""},
		{"an invalid budget", "-f " + broken, faulty, `nodes "x"`},
		{"a flag that is not there", "-x", hopeless, "write plan --help to see the flags"},
		{"an argument that is not a flag", "fleet.yaml", hopeless, `"fleet.yaml" is not a flag: to read a file, write -f fleet.yaml`},
		{"a file that is not there", "-f none.yaml", hopeless, "none.yaml"},
		{"a format that is none", "-o png", hopeless, `-o "png" is unknown: write text, json or svg`},
		{"a time that is none", "--now today", hopeless, `--now "today" is not a time: write one such as`},
		{"a drain that is none", "--drain long", hopeless, `--drain: "long" is not a duration: write one such as 90s or 3m`},
		{"a file of drains that is not there", "--drain @none", hopeless, "none: no such file"},
		{"two files of what-if", "--what-if a.yaml --what-if b.yaml", hopeless, "it is for one file, and a.yaml is written already"},
		{"a horizon in the past", "--horizon -1h", hopeless, `--horizon "-1h" is not a duration from 1m0s to ten years`},
		{"every fault is named", "--drain x --launch y", hopeless, "--drain: \"x\" is not a duration: write one such as 90s or 3m\n--launch: \"y\""},
		{"a policy of other pools", "--what-if " + other, hopeless, ": the cluster has no NodePool \"a\"; there are batch, general\n"},
		{"a DisruptionPolicy that is broken", "-f " + file + " --what-if " + waves, faulty, `DisruptionPolicy/prod: spec.rollout.bake: bake "soon" is not a duration`},
		{"a feature gate of a controller that does not run", "--terminate-first", hopeless, "--terminate-first is a feature gate of Karpenter's own controller"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := ran("", strings.Fields(test.args)...)
			if got.status != test.status || !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("exit status %d, stderr:\n%s", got.status, got.stderr)
			}
			if (got.status == hopeless) == (got.stdout != "") {
				t.Errorf("stdout:\n%s", got.stdout)
			}
		})
	}
}

// As terraform has it: 0 is the same, 2 differs, and 1 is an error.
func TestTheDetailedExitStatusReportsWhetherAChangeChangesAnything(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	write(t, file, fleet(1, nights))
	for args, want := range map[string]struct {
		status int
		says   string
	}{
		"--set web.budgets[0].nodes=10%": {0, "nothing changes"},
		"--set web.budgets[0].nodes=0":   {2, "fewer nodes done"},
		"--set x":                        {1, `--set "x": write NODEPOOL.PATH=VALUE`},
		"":                               {1, "also write --what-if, --set or --outage"},
	} {
		got := ran("", append([]string{"-f", file, "--detailed-exitcode"}, strings.Fields(args)...)...)
		if got.status != want.status || !strings.Contains(got.stdout+got.stderr, want.says) {
			t.Errorf("%s: exit status %d: %s%s", args, got.status, got.stdout, got.stderr)
		}
	}
}

// At 22:30 the roll is on time. Then a PodDisruptionBudget holds it up, and at midnight somebody takes it out.
func TestARollIsComparedWithItsPlan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	at := func(clock string) time.Time {
		t.Helper()
		when, err := time.Parse("2 Jan 2006 15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	o, err := parseOptions([]string{"-f", file, "--runs", "20", "--engine", "disruptkit", "--drain", "10m"})
	if err != nil {
		t.Fatal(err)
	}
	var (
		out  strings.Builder
		w    *watch
		seen *measured
	)
	pdb := func(allowed int) string {
		return strings.TrimSuffix(fleet(0, nights), "---\napiVersion: policy/v1\nkind: PodDisruptionBudgetList\nitems: []\n") +
			fmt.Sprintf("---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: shop, name: api}\nspec: {selector: {}}\nstatus: {disruptionsAllowed: %d}\n", allowed)
	}
	// snapshot writes the fleet without the nodes that are gone.
	snapshot := func(gone, allowed int, clock string) {
		t.Helper()
		var kept []string
		for _, doc := range strings.Split(fleet(10, nights), "---\n")[1:] {
			of := -1
			for i := range gone {
				if strings.Contains(doc, fmt.Sprintf("node-%04d", i)) {
					of = i
				}
			}
			if of < 0 && !strings.Contains(doc, "BudgetList") {
				kept = append(kept, doc)
			}
		}
		write(t, file, pdb(allowed)+"---\n"+strings.Join(kept, "---\n"))
		if err := os.Chtimes(file, at(clock), at(clock)); err != nil {
			t.Fatal(err)
		}
	}
	see := func(gone, allowed int, clock string) {
		t.Helper()
		snapshot(gone, allowed, clock)
		s, err := o.snapshot(command.Environment{}, at(clock))
		if err != nil {
			t.Fatal(err)
		}
		var (
			r    plan.Range
			text string
		)
		if seen == nil {
			seen = newMeasured(s.in.Nodes, s.in.Now)
		}
		r = o.sample(s, seen)
		if w == nil {
			w = newWatch(r, s.in.Now)
			text = w.beginning()
		} else {
			text = w.see(s.in, r)
		}
		fmt.Fprintf(&out, "%s  %s\n", clock, text)
	}
	see(0, 3, "20 Nov 2026 21:30")
	see(6, 3, "20 Nov 2026 22:25")
	see(6, 0, "20 Nov 2026 22:40")
	see(6, 0, "20 Nov 2026 23:40")
	see(6, 3, "20 Nov 2026 23:50")
	see(20, 3, "20 Nov 2026 23:52")
	see(30, 3, "21 Nov 2026 00:20")
	golden.Check(t, "watch.txt", out.String())
}

func TestProgressIsShownOnceItTakesLong(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		want     string
	}{
		{false, "planning: three\nplanning: thirteen\n"},
		{true, "\rplanning: three\x1b[K\rplanning: four\x1b[K\rplanning: thirteen\x1b[K\r\x1b[K"},
	} {
		var out bytes.Buffer
		now := time.Time{}
		p := &progress{out: &out, terminal: test.terminal, clock: func() time.Time { return now }, next: now.Add(time.Second)}
		for _, say := range []struct {
			at   int
			text string
		}{{100, "one"}, {900, "two"}, {1000, "three"}, {1250, "four"}, {1300, "five"}, {11000, "thirteen"}} {
			now = time.Time{}.Add(time.Duration(say.at) * time.Millisecond)
			p.say(say.text)
		}
		p.done()
		if out.String() != test.want {
			t.Errorf("terminal %v: %q, want %q", test.terminal, out.String(), test.want)
		}
	}
}
