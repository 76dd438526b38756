package candidate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// good is a node that nothing blocks.
func good() candidate.Node {
	return candidate.Node{Name: "a", Pool: "default", Phase: candidate.Running}
}

func TestTheNodeGate(t *testing.T) {
	since := noon.Add(-time.Hour)
	for _, c := range []struct {
		name         string
		node         func(*candidate.Node)
		since        time.Time
		disruptAfter time.Duration
		want         []string // Blocker.String
	}{
		{name: "a node that has joined may be disrupted"},
		{name: "a node that is not Ready may be disrupted: it may need to be replaced",
			node: func(n *candidate.Node) { n.Phase = candidate.NotReady }},
		{name: "the message has why a node is in flight",
			node: func(n *candidate.Node) { n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Empty },
			want: []string{"node/deleting: the node is already being disrupted for Empty"}},
		{name: "the message has the maintenance condition of the Kubernetes Node, with the time",
			node: func(n *candidate.Node) {
				kube.Maintain(n, candidate.Maintenance{Condition: "DrainInProgress", Since: noon.Add(-time.Hour)})
			},
			want: []string{"node/deleting: the node is already being disrupted: its condition DrainInProgress is True since 2026-11-20T11:00:00Z"}},
		{name: "node is rebooting (Karpenter, ValidateNodeDisruptable)",
			node: func(n *candidate.Node) { n.Rebooting = true },
			want: []string{"node/rebooting: the node is rebooting"}},
		{name: "a nomination ends",
			node: func(n *candidate.Node) { n.NominatedUntil = noon }},
		{name: "a reason must have held for disruptAfter", since: since, disruptAfter: time.Hour + time.Second,
			want: []string{"node/disrupt-after: Drifted must hold for 1h0m1s (disruptAfter) (until 2026-11-20T12:00:01Z)"}},
		{name: "a reason that has held for disruptAfter passes", since: since, disruptAfter: time.Hour},
		{name: "since when an unknown time has passed is unknown", disruptAfter: time.Nanosecond,
			want: []string{"node/disrupt-after: Drifted must hold for 1ns (disruptAfter), but how long it has held is unknown"}},
		{name: "the caller's own blockers count",
			node: func(n *candidate.Node) {
				n.Blockers = []candidate.Blocker{{Gate: "mine", Code: "no-room", Message: "no space for web-0"}}
			},
			want: []string{"mine/no-room: no space for web-0"}},
		{name: "no blocker hides another", disruptAfter: candidate.Forever,
			node: func(n *candidate.Node) {
				*n = candidate.Node{Phase: candidate.Launched, Leaving: candidate.Draining, DoNotDisrupt: true, NominatedUntil: noon.Add(time.Hour), PodsUnknown: true}
			},
			want: []string{
				"node/no-name: the node has no name: set Node.Name",
				"node/unmanaged: the node belongs to no pool",
				"node/not-initialized: the node is not initialized yet",
				"node/deleting: the node is already being disrupted",
				"node/nominated: a pending pod is expected on the node (until 2026-11-20T13:00:00Z)",
				`node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"`,
				"node/disrupt-after: nodes of the pool are never disrupted for Drifted (disruptAfter or consolidationPolicy)",
				"pod/pods-unknown: the node's pods are unknown, and any of them may block it",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := good()
			if c.node != nil {
				c.node(&n)
			}
			var got []string
			for _, b := range candidate.NodeGate(&n, candidate.Condition{Reason: candidate.Drifted, Since: c.since}, candidate.Minimum{Held: c.disruptAfter}, noon) {
				got = append(got, b.String())
				forGood := b.Code == candidate.CodeDoNotDisrupt || b.Code == candidate.CodeDisruptAfter && c.disruptAfter == candidate.Forever
				if b.ForGood != forGood {
					t.Errorf("%s: for good is %t", b, b.ForGood)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Karpenter v1.15: "Repair is voluntary but is NOT discretionary: do-not-disrupt was never intended to strand a broken
// node. Nor is a node that never initializes left stranded, since nothing else replaces it." (NewCandidate)
func TestTheNodeGateForRepair(t *testing.T) {
	soon := noon.Add(time.Minute)
	for _, c := range []struct {
		name         string
		node         func(*candidate.Node)
		since        time.Time
		disruptAfter time.Duration
		want         []string
	}{
		{name: "a broken node may be repaired"},
		{name: "do-not-disrupt does not strand it", node: func(n *candidate.Node) { n.DoNotDisrupt = true }},
		{name: "one that never initialized is not stranded", node: func(n *candidate.Node) { n.Phase = candidate.Registered }},
		{name: "nor does its nomination matter, which is renewed while pods wait for it",
			node: func(n *candidate.Node) { n.Phase, n.NominatedUntil = candidate.Registered, soon }},
		{name: "until it no longer is", since: noon},
		{name: "since when is unknown, and so for long enough"},
		{name: "disruptAfter is beside what is tolerated", since: noon.Add(-time.Minute), disruptAfter: time.Hour,
			want: []string{"node/disrupt-after: Unhealthy/Ready must hold for 1h (disruptAfter) (until 2026-11-20T12:59:00Z)"}},
		{name: "no blocker hides another", since: soon, node: func(n *candidate.Node) {
			*n = candidate.Node{Phase: candidate.Launched, Rebooting: true, Leaving: candidate.Draining, DoNotDisrupt: true, DoNotRepair: true, NominatedUntil: soon}
		}, want: []string{
			"node/no-name: the node has no name: set Node.Name",
			"node/unmanaged: the node belongs to no pool", "node/not-initialized: the node has not registered yet", "node/rebooting: the node is rebooting",
			"node/deleting: the node is already being disrupted", "node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)",
			`node/do-not-repair: the node is annotated karpenter.sh/do-not-repair: "true"`, "node/tolerated: Unhealthy/Ready is still tolerated (until 2026-11-20T12:01:00Z)",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := good()
			if c.node != nil {
				c.node(&n)
			}
			var got []string
			for _, b := range candidate.NodeGate(&n, candidate.Condition{Reason: "Unhealthy/Ready", Since: c.since}, candidate.Minimum{Held: c.disruptAfter}, noon) {
				got = append(got, b.String())
				if b.ForGood != (b.Code == candidate.CodeDoNotRepair) {
					t.Errorf("%s: for good is %t", b, b.ForGood)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	n := good()
	n.DoNotRepair = true
	for _, reason := range []candidate.Reason{"Drifted", "Empty", "Underutilized", "Expired"} {
		if got := candidate.NodeGate(&n, candidate.Condition{Reason: reason, Since: soon}, candidate.Minimum{}, noon); len(got) > 0 {
			t.Errorf("do-not-repair, or a time to come, is nothing to %s: %v", reason, got)
		}
		uninitialized := n
		uninitialized.Phase = candidate.Launched
		if got := candidate.NodeGate(&uninitialized, candidate.Condition{Reason: reason}, candidate.Minimum{}, noon); len(got) != 1 {
			t.Errorf("a node that is registered goes for %s: %v", reason, got)
		}
	}
}

func TestTheZeroNodeIsNeverDisruptedNorCounted(t *testing.T) {
	var n candidate.Node
	if len(candidate.NodeGate(&n, candidate.Condition{}, candidate.Minimum{}, time.Time{})) == 0 || n.Counted() || n.Disrupting("") {
		t.Error("the zero node is taken for real")
	}
}

func TestTheNodeGateLeavesTheCallersBlockersAlone(t *testing.T) {
	n := good()
	room := make([]candidate.Blocker, 1, 8) // append must not write behind it
	n.Blockers = room[:0]
	n.DoNotDisrupt = true
	candidate.NodeGate(&n, candidate.Condition{}, candidate.Minimum{}, noon)
	if room[0].Code != "" {
		t.Error("the caller's array is written to")
	}
}

func TestDoNotDisruptOnANodeIsTrueOrNothing(t *testing.T) {
	for value, want := range map[string]struct {
		blocks  bool
		warning string
	}{
		"true": {true, ""}, "": {false, ""}, "false": {false, ""},
		"1h":   {false, `Node/a: karpenter.sh/do-not-disrupt: "1h" blocks nothing on a node: write "true", or annotate its pods, which may have durations`},
		"True": {false, `Node/a: karpenter.sh/do-not-disrupt: "True" blocks nothing on a node: write "true", or annotate its pods, which may have durations`},
	} {
		blocks, warnings := kube.NodeDoNotDisrupt("a", value)
		var text string
		for _, w := range warnings {
			text += w.Error()
		}
		if blocks != want.blocks || text != want.warning {
			t.Errorf("%q: %t %q", value, blocks, text)
		}
	}
}

// Karpenter knows no other value; nor has it a duration.
func TestDoNotRepairIsTrueOrNothing(t *testing.T) {
	for value, want := range map[string]struct {
		blocks  bool
		warning string
	}{
		"true": {true, ""}, "": {false, ""}, "false": {false, ""},
		"1h":  {false, `Node/a: karpenter.sh/do-not-repair: "1h" blocks nothing on a node: write "true", and remove the annotation when the node may be repaired`},
		"yes": {false, `Node/a: karpenter.sh/do-not-repair: "yes" blocks nothing on a node: write "true", and remove the annotation when the node may be repaired`},
	} {
		blocks, warnings := kube.NodeDoNotRepair("a", value)
		var text string
		for _, w := range warnings {
			text += w.Error()
		}
		if blocks != want.blocks || text != want.warning {
			t.Errorf("%q: %t %q", value, blocks, text)
		}
	}
}

func TestAWarningOfANodeSaysWhatWasWritten(t *testing.T) {
	_, w := kube.NodeDoNotDisrupt("a", "1h")
	if len(w) != 1 || w[0].Code != candidate.CodeInvalidAnnotation || w[0].Value != "1h" {
		t.Errorf("%+v", w)
	}
}

func TestCounting(t *testing.T) {
	for _, c := range []struct {
		name    string
		node    func(*candidate.Node)
		counted bool
		uses    string // whose budgets it uses up
	}{
		{"a node that is Ready is counted", func(*candidate.Node) {}, true, "none"},
		{"an unmanaged node is not counted", func(n *candidate.Node) { n.Pool = "" }, false, "none"},
		{"a node that is not initialized is not counted", func(n *candidate.Node) { n.Phase = candidate.Launched }, false, "none"},
		{"nor does it use up budget when it drains", func(n *candidate.Node) { n.Phase, n.Leaving = candidate.Launched, candidate.Draining }, false, "none"},
		{"a node whose instance terminates is not counted", func(n *candidate.Node) { n.Leaving = candidate.Terminating }, false, "none"},
		{"a node that is not Ready uses up budget, but not that of repair", func(n *candidate.Node) { n.Phase = candidate.NotReady }, true, "others"},
		{"a node that is in flight uses up budget", func(n *candidate.Node) { n.Leaving = candidate.Draining }, true, "all"},
		{"a node that is both uses up one", func(n *candidate.Node) { n.Phase, n.Leaving = candidate.NotReady, candidate.Draining }, true, "all"},
		{"so does one in maintenance", func(n *candidate.Node) {
			kube.Maintain(n, candidate.Maintenance{Condition: "MaintenanceInProgress", Since: noon})
		}, true, "all"},
		{"but not before that", func(n *candidate.Node) {
			kube.Maintain(n, candidate.Maintenance{Condition: "MaintenancePlanned", Since: noon})
		}, true, "none"},
		{"a node that reboots uses up budget", func(n *candidate.Node) { n.Rebooting = true }, true, "all"},
		{"also once it is no longer initialized", func(n *candidate.Node) { n.Rebooting, n.Phase = true, candidate.Launched }, true, "all"},
		{"one without a Node does as well", func(n *candidate.Node) {
			*n = candidate.Node{Pool: "default", Phase: candidate.Launched, Rebooting: true}
		}, true, "all"},
		{"one of no pool does not", func(n *candidate.Node) { n.Rebooting, n.Pool = true, "" }, false, "none"},
		{"nor one whose instance terminates", func(n *candidate.Node) { n.Rebooting, n.Leaving = true, candidate.Terminating }, false, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := good()
			c.node(&n)
			if n.Counted() != c.counted {
				t.Errorf("counted %t", n.Counted())
			}
			for _, reason := range append(candidate.Methods(), "", "Drifted/AMIDrift") {
				if got := n.Disrupting(reason); got != (c.uses == "all" || c.uses == "others" && reason != candidate.Unhealthy) {
					t.Errorf("disrupting for %q: %t", reason, got)
				}
			}
			if n.Disrupting("Unhealthy/Ready") != n.Disrupting(candidate.Unhealthy) {
				t.Error("a child of Unhealthy is another reason")
			}
		})
	}
}
