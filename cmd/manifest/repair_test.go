package manifest_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/repair"
)

// withRepair reads objects by the flag --repair: "" is without it.
func withRepair(t *testing.T, arg, input string) *manifest.Cluster {
	t.Helper()
	policy, err := repairFlag(t, arg)
	if err != nil {
		t.Fatal(err)
	}
	c, err := policy.Read(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func repairFlag(t *testing.T, arg string) (policy manifest.Policy, err error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are returned
	policy.Flags(flags)
	policy.As = engine.Disruptkit
	if arg != "" {
		err = flags.Parse([]string{"--repair", arg})
	}
	return policy, err
}

// policyFile writes a file of policies.
func policyFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// gpus are policies, one of which reboots.
const gpus = `
- {conditionType: AcceleratorReady, conditionStatus: "False", reasonRegex: XID48, tolerationDuration: 10m, terminationGracePeriod: 5m, priority: 50, action: RebootNode}
- {conditionType: Ready, conditionStatus: "False", tolerationDuration: 30m, action: ReplaceNode}
`

// sick returns the ordinary node with conditions, created a day ago.
func sick(t *testing.T, conditions string) string {
	t.Helper()
	return different(t, node, `{metadata: {creationTimestamp: "2026-11-19T10:30:00Z"}, status: {conditions: [`+conditions+`]}}`)
}

const notReady = `{type: Ready, status: "False", reason: KubeletDown, lastTransitionTime: "2026-11-20T09:40:00Z"}`

func TestUnhealthyNodesAreCandidates(t *testing.T) {
	xid := `{type: Ready, status: "True"}, {type: AcceleratorReady, status: "False", reason: NvidiaXID48Error, lastTransitionTime: "2026-11-20T10:00:00Z"}`
	for _, test := range []struct {
		rule, policies, claim, node string
		want                        []candidate.Condition
	}{
		{"not Ready for 30m", "", "", notReady, []candidate.Condition{
			{Reason: "Unhealthy/Ready", Since: date("2026-11-20T10:10:00Z"), Urgency: date("2026-11-20T10:10:00Z"), Bound: new(time.Duration)}}},
		{"silent for 30m", "", "", strings.Replace(notReady, `"False"`, "Unknown", 1), []candidate.Condition{
			{Reason: "Unhealthy/Ready", Since: date("2026-11-20T10:10:00Z"), Urgency: date("2026-11-20T10:10:00Z"), Bound: new(time.Duration)}}},
		{"Ready", "", "", `{type: Ready, status: "True", lastTransitionTime: "2026-11-20T09:40:00Z"}`, nil},
		{"another condition", "", "", `{type: Ready, status: "True"}, {type: MemoryPressure, status: "True", lastTransitionTime: "2026-11-20T09:40:00Z"}`, nil},
		{"not Ready, and nothing is repaired", "none", "", notReady, nil},
		{"what is tolerated is due later", "", "", strings.Replace(notReady, "09:40", "10:20", 1), []candidate.Condition{
			{Reason: "Unhealthy/Ready", Since: date("2026-11-20T10:50:00Z"), Urgency: date("2026-11-20T10:50:00Z"), Bound: new(time.Duration)}}},
		{"a condition holds for no longer than the node exists", "", "", strings.Replace(notReady, "2026-11-20T09:40", "2026-11-01T09:40", 1), []candidate.Condition{
			{Reason: "Unhealthy/Ready", Since: date("2026-11-19T11:00:00Z"), Urgency: date("2026-11-19T11:00:00Z"), Bound: new(time.Duration)}}},
		{"policies of a file", gpus, "", xid, []candidate.Condition{
			{Reason: "Unhealthy/AcceleratorReady", Since: date("2026-11-20T10:10:00Z"), Urgency: date("2026-11-20T09:40:00Z"), Bound: new(5 * time.Minute)}}},
		{"after a reboot, it must hold anew", gpus, `status: {conditions: [{type: Rebooting, status: "False", lastTransitionTime: "2026-11-20T10:25:00Z"}]}`, xid, []candidate.Condition{
			{Reason: "Unhealthy/AcceleratorReady", Since: date("2026-11-20T10:35:00Z"), Urgency: date("2026-11-20T10:05:00Z"), Bound: new(5 * time.Minute)}}},
		{"whether it has rebooted is unknown", gpus, `status: {conditions: [{type: Rebooting, status: Unknown, lastTransitionTime: "2026-11-20T10:25:00Z"}]}`, xid, []candidate.Condition{
			{Reason: "Unhealthy/AcceleratorReady", Since: date("2026-11-20T10:10:00Z"), Urgency: date("2026-11-20T09:40:00Z"), Bound: new(5 * time.Minute)}}},
		{"while it reboots, it is left as it is", gpus, `status: {conditions: [{type: Rebooting, status: "True", lastTransitionTime: "2026-11-20T10:25:00Z"}]}`, xid, []candidate.Condition{
			{Reason: "Unhealthy/AcceleratorReady", Since: date("2026-11-20T10:10:00Z"), Urgency: date("2026-11-20T09:40:00Z"), Bound: new(5 * time.Minute)}}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			arg := test.policies
			if strings.Contains(arg, "{") {
				arg = policyFile(t, arg)
			}
			claim := nodeClaim
			if test.claim != "" {
				claim = different(t, nodeClaim, test.claim)
			}
			c := withRepair(t, arg, documents(nodePool, claim, sick(t, test.node), pod))
			in := c.Input(now)
			if diff := cmp.Diff(test.want, in.Nodes[0].Conditions); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, known := c.Repairs(now)["node-1"]; known != (test.want != nil) {
				t.Errorf("known is %t", known)
			}
			if len(c.Nodes[0].Conditions) > 0 {
				t.Errorf("Input has changed the cluster: %+v", c.Nodes[0].Conditions)
			}
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// Without a flag that asks for it, Read repairs nothing.
func TestReadRepairsNothingByItself(t *testing.T) {
	c := read(t, documents(nodePool, nodeClaim, sick(t, notReady), pod))
	if in := c.Input(now); len(in.Nodes[0].Conditions) > 0 || len(c.Repairs(now)) > 0 {
		t.Errorf("%+v", in.Nodes[0].Conditions)
	}
	c = read(t, documents(nodePool, nodeClaim, different(t, node, `metadata: {creationTimestamp: yesterday}`), pod))
	if w := c.Warnings(); len(w) > 0 {
		t.Errorf("when a node was created does not matter: %v", w)
	}
}

func TestWhyAnUnhealthyNodeIsNotRepaired(t *testing.T) {
	c := withRepair(t, "", documents(nodePool, nodeClaim, different(t, node, `{metadata: {creationTimestamp: null}, status: {conditions: [{type: Ready, status: "False"}]}}`), pod))
	want := []string{"Node/node-1: status.conditions: since when Ready=False holds is unknown: provide its lastTransitionTime, or when the node was created"}
	if diff := cmp.Diff(want, texts(c.Warnings())); diff != "" {
		t.Error(diff)
	}
	if in := c.Input(now); len(in.Nodes[0].Conditions) > 0 {
		t.Errorf("%+v", in.Nodes[0].Conditions)
	}
	c = withRepair(t, "", documents(nodePool, nodeClaim, sick(t, strings.Replace(notReady, "2026-11-20T09:40:00Z", "yesterday", 1)), pod))
	want = []string{`Node/node-1: status.conditions[0].lastTransitionTime: "yesterday" is not a time: write one such as 2026-11-20T10:30:00Z`}
	if diff := cmp.Diff(want, texts(c.Warnings())); diff != "" {
		t.Error(diff)
	}
	if d := disruptkit.Decide(c.Input(now), candidate.Unhealthy); len(d.Allowed) > 0 {
		t.Error("a node that cannot be read is repaired")
	}
}

// Karpenter, Repair.breakerTrippedPools: of all Nodes with the pool's label, in whatever state, more than 20 % are unhealthy.
func TestABreakerStopsTheRepairOfAPoolWithTooManyUnhealthyNodes(t *testing.T) {
	machine := func(name, conditions string) string {
		claim := different(t, nodeClaim, `{metadata: {name: claim-`+name+`}, status: {nodeName: `+name+`, providerID: `+name+`}}`)
		return documents(claim, different(t, sick(t, conditions), `{metadata: {name: `+name+`}, spec: {providerID: `+name+`}}`))
	}
	tolerated := `{type: Ready, status: "False", lastTransitionTime: "2026-11-20T10:29:00Z"}`
	for _, test := range []struct {
		second string
		stops  bool
	}{{tolerated, true}, {`{type: Ready, status: "True"}`, false}} {
		input := documents(nodePool, noPods, machine("a", notReady), machine("b", test.second), machine("c", `{type: Ready, status: "True"}`),
			different(t, node, `metadata: {name: stray}`)) // no NodeClaim is its, but Karpenter's breaker counts it
		d := disruptkit.Decide(withRepair(t, "", input).Input(now), candidate.Unhealthy)
		if stopped := len(d.Allowed) == 0; stopped != test.stops {
			t.Errorf("stopped is %t: %+v", stopped, d)
		}
		if test.stops && !strings.Contains(d.Blocked[0].Blockers[0].String(), "probe/too-many-unhealthy: repair breaker: it denies Unhealthy (2 unhealthy nodes of 4 in the pool: repair stops above 1 (20 %))") {
			t.Error(d.Blocked[0].Blockers)
		}
		if d := disruptkit.Decide(withRepair(t, "", input).Input(now), candidate.Drifted); len(d.Pools[0].Blockers) > 0 {
			t.Errorf("drift: %v", d.Pools[0].Blockers)
		}
	}
}

// Karpenter, NewCandidate: what moving the pods costs, less with each day of the node's lifetime that has passed.
func TestTheCostOfADisruption(t *testing.T) {
	launched := func(at string) string {
		return different(t, nodeClaim, `{metadata: {creationTimestamp: "`+at+`"}, spec: {expireAfter: 192h}}`)
	}
	claim := launched("2026-11-18T10:30:00Z")
	busy := different(t, pod, `{metadata: {name: web-2, annotations: {controller.kubernetes.io/pod-deletion-cost: "134217728"}}}`)
	for claim, want := range map[string]float64{
		claim:                            2.25, // three quarters of 3
		launched("2026-11-21T10:30:00Z"): 3,    // by a clock that is ahead
		different(t, claim, `spec: {expireAfter: Never}`): 3,
		different(t, claim, `spec: {expireAfter: 24h}`):   0,
	} {
		in := withRepair(t, "", documents(nodePool, claim, sick(t, notReady), pod, busy)).Input(now)
		if got := in.Nodes[0].Cost; got != want {
			t.Errorf("%s\ncosts %v, want %v", claim, got, want)
		}
		in = read(t, documents(nodePool, claim, node, pod, busy)).Input(now) // that of a healthy node counts for order: cheapest
		if got := in.Nodes[0].Cost; got != want {
			t.Errorf("%s\ncosts %v, want %v", claim, got, want)
		}
	}
}

func TestTheFlagSaysWhatIsWrongWithPolicies(t *testing.T) {
	for text, want := range map[string]string{
		`[`:               "the JSON ends in the middle of a document",
		``:                "it is empty: write a list of policies, or --repair none",
		"- {}\n---\n- {}": "there are several documents: write all policies in one list",
		`{kind: Node}`:    `is not a list: write one such as [{"conditionType": "Ready", …}]`,
		`- {conditionType: Ready, conditionStatus: "False", reasonRegex: "Kubelet(", tolerationDuration: -5m, action: ReplaceNode}`: "policies[0].reasonRegex: ",
		`- {conditionType: Ready, conditionStatus: false, tolerationDuration: 5m, action: ReplaceNode}`:                             `conditionStatus`,
	} {
		if _, err := repairFlag(t, policyFile(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	if _, err := repairFlag(t, "there-is-no-such-file"); err == nil {
		t.Error("a file that is not there is none")
	}
}

func TestPoliciesAreDescribed(t *testing.T) {
	for arg, want := range map[string]string{
		"":                  "Ready=False or Ready=Unknown for 30m: ReplaceNode without a drain",
		"none":              "",
		policyFile(t, gpus): "AcceleratorReady=False (XID48) for 10m: RebootNode, with a drain of 5m at the most; Ready=False for 30m: ReplaceNode",
	} {
		policy, err := repairFlag(t, arg)
		if got := manifest.DescribePolicies(policy.Repair); got != want || err != nil {
			t.Errorf("%s (%v)\nwant %s", got, err, want)
		}
	}
	if got := manifest.DescribePolicies(repair.Set{}); got != "" {
		t.Error(got)
	}
}
