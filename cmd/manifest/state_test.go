package manifest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// What the program is meant to do says: "Counting is Karpenter's, from what the API shows: initialized label, Ready
// condition, InstanceTerminating condition, the NodeClaim's deletion timestamp; a Node's own deletion timestamp and the
// karpenter.sh/disrupted taint (the trace of Karpenter's in-memory mark) count as in flight too; why comes from the
// NodeClaim's DisruptionReason condition. A condition reason equal to its type (Drifted/Drifted) is no child."
var nodeRules = []struct {
	rule        string
	claim, node string                // what is different about them
	want        func(*candidate.Node) // what is different about what is read
}{
	{rule: "an ordinary node is counted, Ready, and nobody wants it gone"},

	// Counting
	{
		rule: "a node without the initialized label is not initialized",
		node: `metadata: {labels: {karpenter.sh/initialized: null}}`,
		want: func(n *candidate.Node) { delete(n.Labels, "karpenter.sh/initialized"); n.Phase = candidate.Registered },
	},
	{
		rule: "an initialized label that is not true is none",
		node: `metadata: {labels: {karpenter.sh/initialized: "false"}}`,
		want: func(n *candidate.Node) {
			n.Labels["karpenter.sh/initialized"] = "false"
			n.Phase = candidate.Registered
		},
	},
	{
		rule: "a node with Ready=False is not Ready",
		node: `status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`,
		want: func(n *candidate.Node) { n.Phase, n.ReadySince = candidate.NotReady, time.Time{} },
	},
	{
		rule: "a node with Ready=Unknown is not Ready",
		node: `status: {conditions: [{type: Ready, status: Unknown, lastTransitionTime: "2026-11-20T10:00:00Z"}]}`,
		want: func(n *candidate.Node) { n.Phase, n.ReadySince = candidate.NotReady, time.Time{} },
	},
	{
		rule: "a node without a Ready condition is not Ready",
		node: `status: {conditions: [{type: MemoryPressure, status: "True"}]}`,
		want: func(n *candidate.Node) { n.Phase, n.ReadySince = candidate.NotReady, time.Time{} },
	},
	{
		rule:  "InstanceTerminating=True is no longer counted",
		claim: `status: {conditions: [{type: InstanceTerminating, status: "True"}]}`,
		want:  func(n *candidate.Node) { n.Leaving = candidate.Terminating },
	},
	{
		rule:  "InstanceTerminating=Unknown is counted",
		claim: `status: {conditions: [{type: InstanceTerminating, status: Unknown}]}`,
	},
	{
		rule:  "a NodeClaim's deletion timestamp counts as in flight",
		claim: `metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"}`,
		want:  func(n *candidate.Node) { n.Leaving = candidate.Draining },
	},
	{
		rule: "a Node's own deletion timestamp counts as in flight",
		node: `metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"}`,
		want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
	},
	{
		rule: "the disrupted taint counts as in flight",
		node: `spec: {taints: [{key: other, effect: NoSchedule}, {key: karpenter.sh/disrupted, effect: NoSchedule}]}`,
		want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
	},
	{
		rule: "other taints say nothing",
		node: `spec: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}`,
	},

	// Why it is in flight
	{
		rule: "why it is in flight comes from the DisruptionReason condition",
		claim: `{metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"},
			status: {conditions: [{type: DisruptionReason, status: "True", reason: Underutilized}]}}`,
		want: func(n *candidate.Node) { n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Underutilized },
	},
	{
		rule: "a DisruptionReason that nobody knows is unknown, and counts against every reason",
		claim: `{metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"},
			status: {conditions: [{type: DisruptionReason, status: "True", reason: Whim}]}}`,
		want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
	},
	{
		rule: "a DisruptionReason that is False is none",
		claim: `{metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"},
			status: {conditions: [{type: DisruptionReason, status: "False", reason: Drifted}]}}`,
		want: func(n *candidate.Node) { n.Leaving = candidate.Draining },
	},
	{
		rule:  "a DisruptionReason without anything in flight says nothing",
		claim: `status: {conditions: [{type: DisruptionReason, status: "True", reason: Drifted}]}`,
	},

	// Maintenance (KEP-5683). The tables are read as disruptkit reads them.
	{
		rule: "a Node that somebody drains is in flight, as its condition says, and since when",
		node: `status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}, {type: DrainInProgress, status: "True", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`,
		want: func(n *candidate.Node) {
			kube.Maintain(n, candidate.Maintenance{Condition: "DrainInProgress", Since: date("2026-11-20T10:00:00Z")})
		},
	},
	{
		rule: "one that was drained, or is planned to be, or of which nothing is known, is not",
		node: `status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}, {type: Drained, status: "False"}, {type: MaintenancePlanned, status: "True"}, {type: MaintenanceInProgress, status: Unknown}]}`,
	},

	// Drift
	{
		rule:  "the reason of Drifted is a child",
		claim: `status: {conditions: [{type: Drifted, status: "True", reason: AMIDrift, lastTransitionTime: "2026-11-18T06:02:00Z"}]}`,
		want: func(n *candidate.Node) {
			n.Conditions = []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: date("2026-11-18T06:02:00Z")}}
		},
	},
	{
		rule:  "a reason equal to its type is no child",
		claim: `status: {conditions: [{type: Drifted, status: "True", reason: Drifted, lastTransitionTime: "2026-11-18T06:02:00Z"}]}`,
		want: func(n *candidate.Node) {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: date("2026-11-18T06:02:00Z")}}
		},
	},
	{
		rule:  "drift without a reason or a time is drift since nobody knows when",
		claim: `status: {conditions: [{type: Drifted, status: "True"}]}`,
		want:  func(n *candidate.Node) { n.Conditions = []candidate.Condition{{Reason: candidate.Drifted}} },
	},
	{
		rule:  "Drifted=False is no reason",
		claim: `status: {conditions: [{type: Drifted, status: "False", reason: AMIDrift}]}`,
	},

	// Which of the two objects speaks (StateNode.Labels, Annotations, Name)
	{
		rule:  "until it is registered the NodeClaim labels the machine",
		claim: `metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}`,
		node:  `metadata: {labels: {karpenter.sh/registered: null}}`,
		want: func(n *candidate.Node) {
			n.Labels, n.DoNotDisrupt, n.Phase = map[string]string{"karpenter.sh/nodepool": "general"}, true, candidate.Running
		},
	},
	{
		rule:  "once it is registered the Node does",
		claim: `metadata: {labels: {karpenter.sh/nodepool: other}, annotations: {karpenter.sh/do-not-disrupt: "true"}}`,
	},
	{
		rule: "a node that lost its pool label belongs to no pool",
		node: `metadata: {labels: {karpenter.sh/nodepool: null}}`,
		want: func(n *candidate.Node) { n.Pool = ""; delete(n.Labels, "karpenter.sh/nodepool") },
	},
	{
		rule:  "a NodeClaim that names no Node is joined by the providerID",
		claim: `status: {nodeName: null}`,
	},
	{
		rule:  "a NodeClaim that names another Node is joined by the providerID",
		claim: `status: {nodeName: node-0}`,
	},
	{
		rule: "a NodeClaim that names its Node needs no providerID",
		node: `spec: {providerID: null}`,
	},

	// What else decisions look at
	{
		rule: `do-not-disrupt: "true" is read`,
		node: `metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}`,
		want: func(n *candidate.Node) { n.DoNotDisrupt = true },
	},
	{
		rule: `do-not-repair: "true" is read`,
		node: `metadata: {annotations: {karpenter.sh/do-not-repair: "true"}}`,
		want: func(n *candidate.Node) { n.DoNotRepair = true },
	},
	{
		rule:  "a reboot is in flight, for repair",
		claim: `status: {conditions: [{type: Rebooting, status: "True", reason: RebootIssued}, {type: DisruptionReason, status: "True", reason: Unhealthy}]}`,
		want:  func(n *candidate.Node) { n.Rebooting, n.DisruptedFor = true, candidate.Unhealthy },
	},
	{
		rule:  "a reboot that is over is not",
		claim: `status: {conditions: [{type: Rebooting, status: "False", reason: RebootSucceeded}]}`,
	},
	{
		rule:  "a termination grace period is read",
		claim: `spec: {terminationGracePeriod: 4h}`,
		want:  func(n *candidate.Node) { n.HasGracePeriod = true },
	},
	{
		rule:  "the end of the grace period is read",
		claim: `metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-11-20T12:51:40Z"}}`,
		want:  func(n *candidate.Node) { n.Deadline = date("2026-11-20T12:51:40Z") },
	},
}

// ordinary is what is read of the ordinary objects.
func ordinary() candidate.Node {
	return candidate.Node{
		Name: "node-1", Pool: "general",
		Labels: map[string]string{
			"karpenter.sh/nodepool": "general", "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true",
		},
		Phase: candidate.Running, ReadySince: date("2026-11-01T00:00:00Z"),
		Pods: []candidate.Pod{{
			Namespace: "shop", Name: "web-1", Labels: map[string]string{"app": "web"}, Started: date("2026-11-02T00:00:00Z"),
		}},
	}
}

func TestNode(t *testing.T) {
	for _, test := range nodeRules {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(nodePool, different(t, nodeClaim, test.claim), different(t, node, test.node), pod))
			want := ordinary()
			if test.want != nil {
				test.want(&want)
			}
			if diff := cmp.Diff([]candidate.Node{want}, c.Nodes, windows); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// Stock Karpenter does not look at conditions of maintenance.
func TestMaintenanceTakesRoomInAllEnginesButKarpenter(t *testing.T) {
	for _, as := range engine.All {
		c, err := manifest.Policy{As: as}.Read(strings.NewReader(documents(nodePool, nodeClaim, pod, different(t, node, `status: {conditions: [
{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}, {type: Drained, status: "True", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`))))
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if as == engine.Karpenter {
			want = 0
		}
		for _, reason := range candidate.Methods() {
			if got := c.Decide(c.Input(now), reason).Pools[0].Disrupting; got != want {
				t.Errorf("%s, %s: %d in use, want %d", as, reason, got, want)
			}
		}
	}
}

// windows leaves out what tables need not repeat of pods: their windows, which stay zero, and their label sets.
var windows = cmp.Options{cmpopts.IgnoreFields(candidate.Terms{}, "Window")}

func TestANodeClaimWithoutNodeIsNotInitialized(t *testing.T) {
	c := read(t, documents(nodePool, nodeClaim, noPods))
	want := []candidate.Node{{
		Name: "general-x7k2p", Pool: "general", Labels: map[string]string{"karpenter.sh/nodepool": "general"},
		Phase: candidate.Launched,
	}}
	if diff := cmp.Diff(want, c.Nodes, windows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Karpenter panics on one; here it uses up one disruption of every reason, as long as the reboot takes.
func TestANodeClaimThatRebootsCountsWithoutItsNode(t *testing.T) {
	claim := different(t, nodeClaim, `status: {conditions: [{type: Rebooting, status: "True", lastTransitionTime: "2026-11-20T10:25:00Z"}]}`)
	c := withRepair(t, "", documents(nodePool, claim, noPods))
	for _, reason := range []candidate.Reason{candidate.Unhealthy, candidate.Drifted} {
		d := disruptkit.Decide(c.Input(now), reason)
		if p := d.Pools[0]; p.Nodes != 1 || p.Disrupting != 1 {
			t.Errorf("%s: %+v", reason, p)
		}
	}
	if w := c.Warnings(); len(w) > 0 {
		t.Error(w)
	}
}

func TestANodeWithoutNodeClaimIsUnmanaged(t *testing.T) {
	c := read(t, documents(nodePool, node, pod, `{kind: NodeClaimList, items: []}`))
	want := ordinary()
	want.Pool = ""
	if diff := cmp.Diff([]candidate.Node{want}, c.Nodes, windows); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestADurationBlocksNothingOnANodeAndIsReported(t *testing.T) {
	c := read(t, documents(nodePool, nodeClaim, different(t, node, `metadata: {annotations: {karpenter.sh/do-not-disrupt: 4h}}`)))
	if c.Nodes[0].DoNotDisrupt {
		t.Error("the node must not be disrupted")
	}
	want := []string{`Node/node-1: karpenter.sh/do-not-disrupt: "4h" blocks nothing on a node: write "true", or annotate its pods, which may have durations`}
	if diff := cmp.Diff(want, texts(c.Warnings())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestObjectsOfTheSameNameAreEachReadForDecisionsToRefuse(t *testing.T) {
	for rule, objects := range map[string][]string{
		"two Nodes":          {nodeClaim, node, node},
		"two NodeClaims":     {nodeClaim, nodeClaim, node},
		"two NodeClaims' ID": {nodeClaim, different(t, nodeClaim, `metadata: {name: general-q1q1q}`), node},
	} {
		c := read(t, documents(objects...))
		if len(c.Nodes) != 2 || c.Nodes[0].Name != "node-1" || c.Nodes[1].Name != "node-1" {
			t.Errorf("%s: got %+v", rule, c.Nodes)
		}
	}
}
