package planner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// statusOf runs status once.
func statusOf(args ...string) result {
	var stdout, stderr bytes.Buffer
	env := command.Environment{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	status := command.Run(context.Background(), env, StatusCommand, append(args, "--runs", "10"))
	return result{stdout.String(), stderr.String(), status}
}

func TestStatusGolden(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, policy, machines(webPool, machine{name: "a"}, machine{name: "b", drifted: true}, machine{name: "c", drifted: true, pod: forGood})+`---
apiVersion: disruptkit.dev/v1alpha1
kind: DisruptionPolicy
metadata: {name: cap}
spec: {all: true, budgets: [{nodes: "0", schedule: "0 9 * * *", duration: 8h}]}
`)
	ofPolicy := []string{"-f", policy, "--now", "2026-11-20T12:00:00Z", "--engine", "disruptkit", "-o"}
	for file, args := range map[string][]string{
		"status-policy.txt": append(ofPolicy, "text"), "status-policy.json": append(ofPolicy, "json"),
		"status-units.txt":  {"-f", "../decide/testdata/units.yaml", "--now", "2026-11-20T10:30:00Z", "--engine", "guard"},
		"status-demo.txt":   nil,
		"status-rfcs.json":  {"-f", rfcs, "--now", "2026-11-20T10:30:00Z", "-o", "json", "--engine", "disruptkit"},
		"status-batch.json": {"batch", "-o", "json", "--engine", "karpenter"},
		"status-batch.txt":  {"nodepool/batch", "--engine", "karpenter", "--zone", "Europe/Berlin", "--drain", "1m,3m,20m"},
	} {
		got := statusOf(args...)
		if got.status == hopeless {
			t.Fatalf("%s: %s", file, got.stderr)
		}
		golden.Check(t, file, got.stdout)
	}
}

// A machine of pool web is a NodeClaim and its Node at 12:00.
type machine struct {
	name    string
	claim   string // of its NodeClaim, besides its name: YAML in braces
	drifted bool
	ready   string // "": True
	since   string // since when; "": that is unknown
	pod     string // its annotations
	node    string // a condition of its Node that is True
}

// machines returns what kubectl prints of some.
func machines(pool string, all ...machine) string {
	var s strings.Builder
	fmt.Fprintf(&s, "apiVersion: karpenter.sh/v1\nkind: NodePool\n%s\n", pool)
	for _, m := range all {
		ready := m.ready
		if ready == "" {
			ready = "True"
		}
		conditions := fmt.Sprintf("{type: Drifted, status: %q, reason: Drifted, lastTransitionTime: \"2026-11-20T08:00:00Z\"}", map[bool]string{true: "True", false: "False"}[m.drifted])
		claim := m.claim
		if !strings.Contains(claim, "creationTimestamp") {
			claim += `, creationTimestamp: "2026-11-01T00:00:00Z"`
		}
		if at, rest, found := strings.Cut(claim, "disrupted: "); found {
			claim, conditions = at+strings.TrimPrefix(rest[len(`"2026-11-20T10:00:00Z"`):], ", "), conditions+`, {type: DisruptionReason, status: "True", reason: Drifted, lastTransitionTime: `+rest[:len(`"2026-11-20T10:00:00Z"`)]+"}"
		}
		on := ""
		if m.since != "" {
			ready += `", lastTransitionTime: "` + m.since
		}
		if m.node != "" {
			on = fmt.Sprintf(", {type: %s, status: \"True\"}", m.node)
		}
		fmt.Fprintf(&s, `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: %[1]s, labels: {karpenter.sh/nodepool: web}%[2]s}
status: {nodeName: %[1]s, conditions: [%[3]s, {type: Initialized, status: "True"}, {type: Registered, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {karpenter.sh/nodepool: web, karpenter.sh/initialized: "true", karpenter.sh/registered: "true"}}
spec: {taints: [%[6]s]}
status: {conditions: [{type: Ready, status: "%[4]s"}%[7]s]}
---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: api-%[1]s, annotations: {%[5]s}}
spec: {nodeName: %[1]s}
status: {phase: Running, startTime: "2026-11-01T00:00:00Z"}
`, m.name, claim, conditions, ready, m.pod, map[bool]string{true: "{key: karpenter.sh/disrupted, effect: NoSchedule}"}[strings.Contains(conditions, "DisruptionReason")], on)
	}
	s.WriteString("---\napiVersion: policy/v1\nkind: PodDisruptionBudgetList\nitems: []\n")
	return s.String()
}

const webPool = `metadata: {name: web}
spec: {disruption: {consolidateAfter: Never, budgets: [{nodes: "1"}]}}`

const pdbPool = webPool + `
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: shop, name: api}
spec: {selector: {}}
status: {disruptionsAllowed: 0}`

// statusFor returns the options of status with some arguments.
func statusFor(t *testing.T, args ...string) *statusOptions {
	t.Helper()
	var (
		o   statusOptions
		env = command.Environment{Cluster: func(string) (io.ReadCloser, error) { return nil, io.EOF }}
	)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.add(&env, flags)
	if err := flags.Parse(append(args, "--runs", "10")); err != nil {
		t.Fatal(err)
	}
	o.pools = flags.Args()
	if err := o.finish(env); err != nil {
		t.Fatal(err)
	}
	return &o
}

// snapshotOf reads objects at a time.
func snapshotOf(t *testing.T, o *statusOptions, objects string, at time.Time) snapshot {
	t.Helper()
	cluster, err := manifest.Policy{As: o.Policy.As}.Read(strings.NewReader(objects))
	if err != nil {
		t.Fatal(err)
	}
	of := o.options
	of.At = at.In(o.Zone)
	s := snapshot{cluster: cluster, options: of.planOptions(cluster)}
	s.in, _ = of.leaveOut(of.input(cluster))
	return s
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// looked returns the standing of pool web at noon.
func looked(t *testing.T, objects string, args ...string) (standing, overview) {
	t.Helper()
	o := statusFor(t, args...)
	of, err := newLooker(o).look(snapshotOf(t, o, objects, noon))
	if err != nil {
		t.Fatal(err)
	}
	return of.Pools[0], of
}

const forGood = `karpenter.sh/do-not-disrupt: "true"`

func TestWhatANodeIsInARoll(t *testing.T) {
	for rule, test := range map[string]struct {
		of   machine
		want string // the others are one that is new and one that is to go
	}{
		"one without the reason is new":                                  {machine{}, "web: 2 of 3 nodes up to date, 1 to go"},
		"one that has drifted is to go":                                  {machine{drifted: true}, "web: 1 of 3 nodes up to date, 2 to go"},
		"one that was created since the roll began is not Ready":         {machine{claim: `, creationTimestamp: "2026-11-20T11:58:00Z"`, ready: "False"}, "web: 1 of 3 nodes up to date, 1 not Ready, 1 to go"},
		"one that was created since then, and is Ready, is new":          {machine{claim: `, creationTimestamp: "2026-11-20T11:58:00Z"`}, "web: 2 of 3 nodes up to date, 1 to go"},
		"one that was there before, and is not Ready, is not new":        {machine{ready: "False"}, "web: 1 of 3 nodes up to date, 1 not Ready, 1 to go, 1 stuck"},
		"one that drains is in progress":                                 {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:58:00Z"`}, "web: 1 of 3 nodes up to date, 1 in progress, 1 to go"},
		"one that waits for its replacement is in progress":              {machine{drifted: true, claim: `, disrupted: "2026-11-20T11:58:00Z"`}, "web: 1 of 3 nodes up to date, 1 in progress, 1 to go"},
		"one that has drifted, and that somebody drains, is in progress": {machine{drifted: true, node: "DrainInProgress"}, "web: 1 of 3 nodes up to date, 1 in progress, 1 to go"},
		"one that somebody drains for another reason is not in it":       {machine{node: "MaintenanceInProgress"}, "web: 1 of 2 nodes up to date, 1 to go"},
		"one that was launched with another hash is to go, unmarked":     {machine{claim: `, annotations: {karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v3}`}, "web: 1 of 3 nodes up to date, 2 to go"},
		"one with a hash of another version is new":                      {machine{claim: `, annotations: {karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v2}`}, "web: 2 of 3 nodes up to date, 1 to go"},
		"one whose replacement somebody asks for is to go":               {machine{claim: `, annotations: {disruptkit.dev/replace: "true"}`}, "web: 1 of 3 nodes up to date, 2 to go"},
		"one that is replaced on request is in progress":                 {machine{claim: `, annotations: {disruptkit.dev/replace: "true"}, deletionTimestamp: "2026-11-20T11:58:00Z"`}, "web: 1 of 3 nodes up to date, 1 in progress, 1 to go"},
		"one that the steward has made to drift by its age is no one":    {machine{claim: `, annotations: {karpenter.sh/nodepool-hash: "expired-2", karpenter.sh/nodepool-hash-version: v3}`}, "web: 2 of 3 nodes up to date, 1 to go"},
	} {
		test.of.name = "of"
		pool := strings.Replace(strings.Replace(webPool, `nodes: "1"`, `nodes: "3"`, 1), "{name: web}", `{name: web, generation: 4, annotations: {karpenter.sh/nodepool-hash: "2", karpenter.sh/nodepool-hash-version: v3}}`, 1)
		r, of := looked(t, machines(pool, machine{name: "new"}, machine{name: "old", drifted: true}, test.of), "--engine", "guard")
		if got := of.line(r); got != test.want {
			t.Errorf("%s: %s, want %s", rule, got, test.want)
		}
		if unmarked := strings.Contains(rule, "unmarked"); unmarked != (len(r.Revision.Unmarked) == 1) || r.Revision.Hash != "2" || r.Revision.Generation != 4 {
			t.Errorf("%s: %+v", rule, r.Revision)
		}
	}
}

func TestWhichNodesAreStuck(t *testing.T) {
	other := machine{name: "other", drifted: true}
	for rule, test := range map[string]struct {
		of    machine
		pool  string
		state state
		want  string // "": it is not
	}{
		"one that may go is not":                                  {machine{drifted: true}, webPool, stateRolling, ""},
		"one that nothing allows is, since anything moved last":   {machine{drifted: true, pod: forGood}, webPool, stateRolling, `1 node stuck (nothing of the NodePool has moved since Fri 20 Nov 08:00): of: pod shop/api-of is annotated karpenter.sh/do-not-disrupt: "true"`},
		"one that waits for time is not":                          {machine{drifted: true, pod: `karpenter.sh/do-not-disrupt: "480h"`}, webPool, stateRolling, ""},
		"one that waits for a window is not":                      {machine{drifted: true}, strings.Replace(webPool, `{nodes: "1"}`, `{nodes: "1"}, {nodes: "0", schedule: "0 9 * * *", duration: 8h}`, 1), stateWaiting, ""},
		"all are if a budget never allows one":                    {machine{drifted: true}, strings.Replace(webPool, `nodes: "1"`, `nodes: "0"`, 1), stateStuck, "2 nodes stuck (nothing of the NodePool has moved since Fri 20 Nov 08:00): of: "},
		"a drain of 29 minutes is not":                            {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:31:00Z"`}, webPool, stateRolling, ""},
		"a drain that pods hold up for ever is, since it began":   {machine{drifted: true, pod: forGood, claim: `, deletionTimestamp: "2026-11-20T11:29:00Z"`}, webPool, stateStuck, `1 node stuck since Fri 20 Nov 11:29: of: its drain never ends: pod shop/api-of is annotated karpenter.sh/do-not-disrupt: "true"`},
		"a drain that ends by itself is not":                      {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:29:00Z", annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-11-20T12:30:00Z"}`}, webPool, stateRolling, ""},
		"a drain that should have ended by itself is":             {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:29:00Z", annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-11-20T11:40:00Z"}`}, webPool, stateRolling, "1 node stuck since Fri 20 Nov 11:29: of: its grace period ended Fri 11:40 (20m ago), and it is still there"},
		"a node without a replacement after 31 minutes is":        {machine{drifted: true, claim: `, disrupted: "2026-11-20T11:29:00Z"`}, webPool, stateRolling, "1 node stuck since Fri 20 Nov 11:29: of: its replacement has not been Ready for longer than 30m"},
		"a node without a replacement after 29 minutes is not":    {machine{drifted: true, claim: `, disrupted: "2026-11-20T11:31:00Z"`}, webPool, stateRolling, ""},
		"a replacement that has not been Ready for 31 minutes is": {machine{ready: "False", claim: `, creationTimestamp: "2026-11-20T11:29:00Z"`}, strings.Replace(webPool, `nodes: "1"`, `nodes: "2"`, 1), stateRolling, "1 node stuck since Fri 20 Nov 11:29: of: it was created, and is not Ready"},
		"a budget that a replacement uses up keeps no other":      {machine{ready: "False", claim: `, creationTimestamp: "2026-11-20T11:31:00Z"`}, webPool, stateRolling, ""},
		"but once that is stuck, all are":                         {machine{ready: "False", claim: `, creationTimestamp: "2026-11-20T11:29:00Z"`}, webPool, stateStuck, "1 node stuck "},
		"one that is not Ready any more is, and keeps all":        {machine{ready: "False"}, webPool, stateStuck, "1 node stuck since Sun 1 Nov 00:00: of: it was created, and is not Ready"},
		"a PodDisruptionBudget that allows none keeps all":        {machine{drifted: true}, pdbPool, stateStuck, "2 nodes stuck (nothing of the NodePool has moved since Fri 20 Nov 08:00): of: pod shop/api-of has PDB shop/api, which allows no disruption now"},
		"but not while a node drains, which gives it back":        {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:31:00Z"`}, pdbPool, stateRolling, ""},
		"one that Karpenter has yet to mark is not":               {machine{claim: `, annotations: {karpenter.sh/nodepool-hash: "1", karpenter.sh/nodepool-hash-version: v3}`}, strings.Replace(webPool, "{name: web}", `{name: web, annotations: {karpenter.sh/nodepool-hash: "2", karpenter.sh/nodepool-hash-version: v3}}`, 1), stateRolling, ""},
	} {
		test.of.name = "of"
		r, of := looked(t, machines(test.pool, test.of, other), "--engine", "disruptkit")
		got := ""
		if len(r.Stuck) > 0 {
			got = r.Stuck[0].text()
		}
		if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) || r.State != test.state {
			t.Errorf("%s: %s, %q, want %s, %q (%s)", rule, r.State, got, test.state, test.want, of.line(r))
		}
	}
}

// Budgets' windows, which recur, change nothing about whether a roll is stuck: with them or without, only an event moves it, or it goes on.
func TestARollThatOnlyAnEventMovesIsStuckWhateverWindowsItsBudgetsHave(t *testing.T) {
	const drifts, none, one = true, `{nodes: "0"}`, `{nodes: "1"}`
	windows := map[string]string{
		"none":                       "",
		"one that blocks now":        `{nodes: "0", schedule: "0 9 * * *", duration: 8h}, `,
		"one that blocks later":      `{nodes: "0", schedule: "0 1 * * *", duration: 2h}, `,
		"one that blocks each week":  `{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}, `,
		"one that allows more":       `{nodes: "5", schedule: "0 1 * * *", duration: 2h}, `,
		"one that blocks now, twice": `{nodes: "0", schedule: "0 9 * * *", duration: 8h}, {nodes: "0", schedule: "0 16 * * *", duration: 2h}, `,
		"one that opens once a year": `{nodes: "0", schedule: "0 9 1 3 *", duration: 8000h}, `,
		"dates that block now":       `{nodes: "0", from: "2026-11-20", to: "2026-11-21"}, `,
		"dates that block later":     `{nodes: "0", from: "2026-12-24", to: "2026-12-27"}, `,
		"dates beyond the horizon":   `{nodes: "0", to: "2027-09-01"}, `,
		"a window outside of itself": `{nodes: "0", schedule: "0 1 * * *", duration: 2h, outside: true}, `,
		"a window of another reason": `{nodes: "0", reasons: [Empty], schedule: "0 9 * * *", duration: 8h}, `,
		"a pace":                     `{nodes: "1", per: 24h}, `,
	}
	since := func(m machine, at string) machine { m.since = at; return m }
	gone := `, deletionTimestamp: "2026-11-20T11:29:00Z"`
	for rule, test := range map[string]struct {
		of    []machine
		limit string
		stuck bool
		cause string
	}{
		"no node is in the way":                                     {[]machine{{name: "of", drifted: drifts}}, one, false, ""},
		"a node to go has not been Ready for long":                  {[]machine{since(machine{name: "of", drifted: drifts, ready: "False"}, "2026-11-18T09:00:00Z")}, one, true, "of"},
		"a node to go has not been Ready for a moment":              {[]machine{since(machine{name: "of", drifted: drifts, ready: "False"}, "2026-11-20T11:58:00Z")}, one, false, ""},
		"a node that is up to date has not been Ready for long":     {[]machine{since(machine{name: "of", ready: "False"}, "2026-11-18T09:00:00Z")}, one, true, "of"},
		"a node that is up to date has not been Ready for a moment": {[]machine{since(machine{name: "of", ready: "False"}, "2026-11-20T11:58:00Z")}, one, false, ""},
		"a node that is not Ready leaves one for others":            {[]machine{since(machine{name: "of", ready: "False"}, "2026-11-18T09:00:00Z")}, `{nodes: "2"}`, false, ""},
		"a drain never ends":                                        {[]machine{{name: "of", drifted: drifts, pod: forGood, claim: gone}}, one, true, "of"},
		"a drain ends":                                              {[]machine{{name: "of", drifted: drifts, claim: `, deletionTimestamp: "2026-11-20T11:58:00Z"`}}, one, false, ""},
		"a budget never allows one":                                 {[]machine{{name: "of", drifted: drifts}}, none, true, ""},
	} {
		for which, window := range windows {
			pool := strings.Replace(webPool, one, window+test.limit, 1)
			r, of := looked(t, machines(pool, append(test.of, machine{name: "other", drifted: drifts})...), "--engine", "disruptkit")
			if stuck := r.State == stateStuck; stuck != test.stuck {
				t.Errorf("%s, %s: %s, %v", rule, which, of.line(r), r.Stuck)
			}
			for _, s := range r.Stuck {
				if test.stuck && test.cause != "" && !strings.Contains(s.text(), test.cause) {
					t.Errorf("%s, %s: %s", rule, which, s.text())
				}
			}
		}
	}
}

// A roll that is not done by the end of the plan goes on.
func TestNoNodeIsStuckBehindOthersThatTheRollHasYetToReach(t *testing.T) {
	var all []machine
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		all = append(all, machine{name: name, drifted: true})
	}
	for _, budgets := range []string{
		`{nodes: "1"}`, `{nodes: "1"}, {nodes: "0", schedule: "0 9 * * *", duration: 8h}`, `{nodes: "1"}, {nodes: "0", schedule: "0 1 * * *", duration: 2h}`,
		`{nodes: "1", per: 720h}`, `{nodes: "1", per: 720h}, {nodes: "0", schedule: "0 9 * * *", duration: 8h}`,
		`{nodes: "1"}, {nodes: "0", schedule: "0 9 1 * *", duration: 2h, outside: true}`, `{nodes: "1"}, {nodes: "0", to: "2027-12-24"}`,
	} {
		for _, horizon := range []string{"1m", "4m", "8m", "12m", "1h", "12h", "2160h"} {
			r, of := looked(t, machines(strings.Replace(webPool, `{nodes: "1"}`, budgets, 1), all...), "--engine", "disruptkit", "--horizon", horizon)
			if r.StuckNodes > 0 {
				t.Errorf("%s, %s: %s, %v", budgets, horizon, of.line(r), r.Stuck)
			}
		}
	}
}

// Nothing moves although nodes may be disrupted: only if that has been so for longer than --stuck-after, as far as the cluster shows.
func TestARollInWhichNothingMovesAlthoughItMaySaysSo(t *testing.T) {
	window := func(schedule string) string {
		return strings.Replace(webPool, `{nodes: "1"}`, `{nodes: "1"}, {nodes: "0", schedule: "`+schedule+`", duration: 2h}`, 1)
	}
	for rule, test := range map[string]struct {
		of   machine
		pool string
		idle bool
	}{
		"nothing has moved for four hours":    {machine{drifted: true}, webPool, true},
		"a node was launched two minutes ago": {machine{claim: `, creationTimestamp: "2026-11-20T11:58:00Z"`}, webPool, false},
		"a node was launched an hour ago":     {machine{claim: `, creationTimestamp: "2026-11-20T11:00:00Z"`}, webPool, true},
		"a node drains":                       {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:31:00Z"`}, webPool, false},
		"a node drains for an hour, and another one may be disrupted": {machine{drifted: true, claim: `, deletionTimestamp: "2026-11-20T11:00:00Z", annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-11-20T12:30:00Z"}`},
			strings.Replace(webPool, `nodes: "1"`, `nodes: "2"`, 1), false},
		"a freeze ended ten minutes ago":                          {machine{drifted: true}, window("50 9 * * *"), false},
		"a freeze ended an hour ago":                              {machine{drifted: true}, window("0 9 * * *"), true},
		"a freeze lasts":                                          {machine{drifted: true}, window("30 11 * * *"), false},
		"no budget allows any":                                    {machine{drifted: true}, strings.Replace(webPool, `nodes: "1"`, `nodes: "0"`, 1), false},
		"a node that is not Ready, for long, uses up the budget":  {machine{ready: "False"}, webPool, false},
		"a node that is not Ready leaves another one of a budget": {machine{ready: "False"}, strings.Replace(webPool, `nodes: "1"`, `nodes: "2"`, 1), true},
	} {
		test.of.name = "of"
		r, of := looked(t, machines(test.pool, test.of, machine{name: "other", drifted: true}), "--engine", "disruptkit")
		if r.Idle.IsZero() == test.idle || strings.Contains(strings.Join(of.notes(r), "\n"), "nothing has moved since") != test.idle {
			t.Errorf("%s: %v: %s", rule, r.Idle, of.line(r))
		}
	}
}

// otherPool is one of which a node drains.
func otherPool(pod string) string {
	objects := machines("metadata: {name: web}", machine{name: "drains", drifted: true, pod: pod, claim: `, deletionTimestamp: "2026-11-20T11:31:00Z"`})
	objects = strings.ReplaceAll(strings.Replace(objects, "{name: web}", "{name: other}", 1), "nodepool: web", "nodepool: other")
	return strings.Replace(objects, "metadata: {name: other}", "metadata: {name: other, labels: {team: other}}\nspec: {disruption: {consolidateAfter: Never}}", 1)
}

// What a node of another pool gives back is only what the two share.
func TestANodeInProgressElsewhereKeepsNoneFromBeingStuck(t *testing.T) {
	cap := "---\napiVersion: disruptkit.dev/v1alpha1\nkind: DisruptionPolicy\nmetadata: {name: cap}\nspec: {all: true, budgets: [{nodes: \"1\"}]}\n"
	elsewhere := strings.ReplaceAll(otherPool(""), "namespace: shop", "namespace: else")
	free := strings.Replace(webPool, `nodes: "1"`, `nodes: "2"`, 1)
	for rule, test := range map[string]struct {
		pool, others string
		want         state
	}{
		"a budget of its own, which a node uses up that stays as it is": {webPool, elsewhere, stateStuck},
		"a budget of both":                                     {free, elsewhere + cap, stateWaiting},
		"a PodDisruptionBudget of its own":                     {strings.Replace(pdbPool, webPool, free, 1), elsewhere, stateStuck},
		"a PodDisruptionBudget of the pods that drain as well": {strings.Replace(pdbPool, webPool, free, 1), otherPool(""), stateWaiting},
	} {
		r, of := looked(t, machines(test.pool, machine{name: "of", ready: "False"}, machine{name: "old", drifted: true})+"---\n"+test.others, "--engine", "guard", "web")
		if got := r.State; got != test.want || r.Name != "web" {
			t.Errorf("%s: %s, want %s (%s)", rule, got, test.want, of.line(r))
		}
	}
}

// A reading that leaves open which nodes are to go is an error, and never done.
func TestWhatIsUnknownIsAnError(t *testing.T) {
	whole := machines(webPool, machine{name: "new"})
	without := func(kind string) string {
		docs := slices.DeleteFunc(strings.Split(whole, "---\n"), func(doc string) bool { return strings.Contains(doc, "kind: "+kind+"\n") })
		return strings.Join(docs, "---\n")
	}
	for rule, test := range map[string]struct {
		objects string
		args    []string
		want    string
	}{
		"no NodeClaims":              {without("NodeClaim"), nil, "no NodeClaims were given: "},
		"no Nodes":                   {without("Node"), nil, "no Nodes were given: "},
		"no NodePools":               {without("NodePool"), nil, "no NodePools were given: "},
		"no Pods":                    {without("Pod"), nil, "no Pods were given: "},
		"a NodePool that is not":     {whole, []string{"wbe"}, `there is no NodePool "wbe": there are web`},
		"no NodePool in the cluster": {"apiVersion: karpenter.sh/v1\nkind: NodePoolList\nitems: []\n---\n" + without("NodePool"), nil, "the cluster has no NodePool, so that nothing rolls in it"},
	} {
		file := filepath.Join(t.TempDir(), "objects.yaml")
		write(t, file, test.objects)
		got := statusOf(append(test.args, "-f", file, "--now", "2026-11-20T12:00:00Z")...)
		if got.status != hopeless || got.stdout != "" || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%s: %+v, want %s", rule, got, test.want)
		}
		got = statusOf(append(test.args, "-f", file, "--wait", "--settle", "0s")...)
		if got.status != hopeless || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%s, waiting: %+v, want %s", rule, got, test.want)
		}
	}
}

func TestFlagsOfStatusThatDoNotFit(t *testing.T) {
	for args, want := range map[string]string{
		"--timeout 6h":                 "--timeout is for --wait: also write --wait",
		"--at-least 90%":               "--at-least is for --wait: also write --wait",
		"--wait --watch -f x":          "--wait prints lines until the roll ends, and --watch draws it until you stop it: leave out one of them",
		"--watch -o json -f x":         "--watch shows text: leave out -o",
		"--watch-every 5s":             "--watch-every is how often --wait and --watch read: also write one of them",
		"--wait":                       "--wait reads again and again, and the example stays as it is: leave out --demo",
		"--wait -f -":                  "--wait reads again and again, and standard input can be read once: write a file",
		"--watch -f x --now 2026-1-1":  "--watch takes the time at which it reads, or the file was written: leave out --now",
		"--wait -f x --at-least 90":    `--at-least "90" is not a percentage from 1% to 100%: write one such as 90%`,
		"--wait -f x --at-least 0%":    `--at-least "0%" is not a percentage from 1% to 100%: write one such as 90%`,
		"--wait -f x --timeout 6hours": `--timeout "6hours" is not a duration from 0s to ten years: write one such as 90s or 12h`,
		"--stuck-after=-1m":            `--stuck-after "-1m" is not a duration from 0s to ten years: write one such as 90s or 12h`,
	} {
		if got := statusOf(strings.Fields(args)...); got.status != hopeless || !strings.HasSuffix(got.stderr, ": "+want+"\n") {
			t.Errorf("%s: %+v, want %s", args, got, want)
		}
	}
}

// What a roll is of is what a reason says, by default that somebody asks as well, where the engine reads that; the rest is noted.
func TestNoNodeThatIsToGoIsNewWithoutAWord(t *testing.T) {
	const note = "1 node that is up to date is to go, but for "
	objects := machines(webPool, machine{name: "asked", claim: `, annotations: {disruptkit.dev/replace: "true"}`}, machine{name: "old", drifted: true})
	for args, want := range map[string]struct{ line, note string }{
		"--engine guard":                              {"web: 0 of 2 nodes up to date, 2 to go", ""},
		"--engine disruptkit":                         {"web: 0 of 2 nodes up to date, 2 to go", ""},
		"--engine karpenter":                          {"web: 1 of 2 nodes up to date, 1 to go", ""}, // nobody replaces it
		"--engine guard --reason Drifted":             {"web: 1 of 2 nodes up to date, 1 to go", note + "Requested"},
		"--engine guard --reason Requested":           {"web: 1 of 2 nodes up to date, 1 to go", note + "Drifted"},
		"--engine guard --reason Expired":             {"web: 2 of 2 nodes up to date", note + "Drifted"},
		"--engine guard --reason Drifted,Requested":   {"web: 0 of 2 nodes up to date, 2 to go", ""},
		"--engine guard --reason Drifted/Drifted":     {"web: 1 of 2 nodes up to date, 1 to go", note + "Requested"},
		"--engine guard --reason Empty,Underutilized": {"web: 2 of 2 nodes up to date", note + "Requested"},
	} {
		r, of := looked(t, objects, strings.Fields(args)...)
		if got, notes := of.line(r), strings.Join(of.notes(r), "\n"); got != want.line || !strings.Contains(notes, want.note) || want.note == "" && strings.Contains(notes, note) {
			t.Errorf("%s: %s, %s", args, got, notes)
		}
	}
}

// What does not fit the first screen is cut there, and whole where it scrolls. Where nodes are stuck is first.
func TestAStatusThatScrollsIsWholeAndStuckNodePoolsAreFirst(t *testing.T) {
	o := overview{Now: time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)}
	for i := range 30 {
		r := standing{Name: fmt.Sprintf("pool-%02d", i), Tally: Tally{Nodes: 9, New: 6, ToGo: 3}}
		switch i {
		case 10:
			r.Tally = Tally{Nodes: 9, New: 9}
		case 20:
			r.StuckNodes, r.unsettled = 1, []string{"a"}
		case 25:
			r.StuckNodes = 3
		}
		r.State = r.state(o.Now)
		o.Pools = append(o.Pools, r)
	}
	pools := func() string {
		var b strings.Builder
		if err := printStatusText(&b, o); err != nil {
			t.Fatal(err)
		}
		var names []string
		for line := range strings.Lines(b.String()) {
			if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "pool-") && !strings.HasSuffix(name, ":") {
				names = append(names, strings.TrimPrefix(name, "pool-"))
			}
		}
		return strings.Join(names, " ")
	}
	if got, want := pools(), "25 20 00 01 02 03"; got != want {
		t.Errorf("first: %s, want %s", got, want)
	}
	o.scrolls = true
	if got := pools(); !strings.HasPrefix(got, "25 20 00 01 02 03 04") || !strings.HasSuffix(got, "28 29 10") || len(strings.Fields(got)) != 30 {
		t.Errorf("it scrolls: %s", got)
	}
}
