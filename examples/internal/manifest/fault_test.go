package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
)

// "any wrongly typed field of a Node or NodeClaim is named, and that node is treated as counted-if-initialized, not
// Ready (so it uses up budget), and carries a caller's own Blocker (Gate node, code unreadable)."
func TestAnUnreadableFieldHoldsItsNodeBack(t *testing.T) {
	for _, test := range []struct{ rule, claim, node, want string }{
		{"labels that are no object", ``, `metadata: {annotations: [1]}`, `Node/node-1: metadata.annotations: [1] is a list: write an object, with fields`},
		{"a label that is no text", ``, `metadata: {labels: {rack: 7}}`, `Node/node-1: metadata.labels[rack]: 7 is a number: write text, in quotes`},
		{"an annotation that is a boolean", ``, `metadata: {annotations: {karpenter.sh/do-not-disrupt: true}}`, `Node/node-1: metadata.annotations[karpenter.sh/do-not-disrupt]: true is a boolean: write text, in quotes`},
		{"a deletion timestamp that is no time", ``, `metadata: {deletionTimestamp: yesterday}`, `Node/node-1: metadata.deletionTimestamp: "yesterday" is no time: write one such as 2026-11-20T10:30:00Z`},
		{"spec that is no object", ``, `spec: text`, `Node/node-1: spec: "text" is text: write an object, with fields`},
		{"taints that are no list", ``, `spec: {taints: {}}`, `Node/node-1: spec.taints: {} is an object: write a list`},
		{"a taint that is no object", ``, `spec: {taints: [x]}`, `Node/node-1: spec.taints[0]: "x" is text: write an object, with fields`},
		{"a status that is a boolean", ``, `status: {conditions: [{type: Ready, status: true}]}`, `Node/node-1: status.conditions[0].status: true is a boolean: write text, in quotes`},
		{"a status that nobody knows", ``, `status: {conditions: [{type: Ready, status: "true"}]}`, `Node/node-1: status.conditions[0].status: "true" is not known: write True, False or Unknown`},
		{"conditions that are no list", `status: {conditions: 5}`, ``, `NodeClaim/general-x7k2p: status.conditions: 5 is a number: write a list`},
		{"a type that is no text", `status: {conditions: [{type: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].type: 5 is a number: write text, in quotes`},
		{"a time that is a number", `status: {conditions: [{type: Drifted, status: "True", lastTransitionTime: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].lastTransitionTime: 5 is a number: write text, in quotes`},
		{"a reason that is no text", `status: {conditions: [{type: Drifted, status: "True", reason: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].reason: 5 is a number: write text, in quotes`},
		{"a reason that can be none", `status: {conditions: [{type: Drifted, status: "True", reason: "a b"}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].reason: "a b" cannot be the reason of a condition: write one such as AMIDrift`},
		{"a providerID that is no text", `status: {providerID: 5}`, ``, `NodeClaim/general-x7k2p: status.providerID: 5 is a number: write text, in quotes`},
		{"a nodeName that is no text", `status: {nodeName: 5}`, ``, `NodeClaim/general-x7k2p: status.nodeName: 5 is a number: write text, in quotes`},
		{"a grace period that is no text", `spec: {terminationGracePeriod: 5}`, ``, `NodeClaim/general-x7k2p: spec.terminationGracePeriod: 5 is a number: write text, in quotes`},
		{"a deadline that is no time", `metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: soon}}`, ``, `NodeClaim/general-x7k2p: metadata.annotations[karpenter.sh/nodeclaim-termination-timestamp]: "soon" is no time: write one such as 2026-11-20T10:30:00Z`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			// Drifted comes on top of what the row says, unless that is about conditions.
			claim := `status: {conditions: [{type: Drifted, status: "True", reason: AMIDrift}]}`
			c := read(t, documents(nodePool, different(t, different(t, nodeClaim, claim), test.claim), different(t, node, test.node)))
			if diff := cmp.Diff([]string{test.want}, texts(c.Warnings())); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			want := []candidate.Blocker{{Gate: candidate.GateNode, Code: manifest.CodeUnreadable, Message: test.want}}
			if diff := cmp.Diff(want, c.Nodes[0].Blockers); diff != "" {
				t.Errorf("blockers (-want +got)\n%s", diff)
			}
			n := c.Nodes[0]
			if len(c.Nodes) != 1 || n.Name != "node-1" || !n.Counted() || !n.Disrupting() || n.Ready || !n.ReadySince.IsZero() {
				t.Errorf("uses up no budget: %+v", c.Nodes)
			}
		})
	}
}

func TestABadFieldLosesNothingElse(t *testing.T) {
	claim := different(t, nodeClaim, `{metadata: {deletionTimestamp: 5}, spec: {terminationGracePeriod: 5},
		status: {conditions: [5, {type: 5}, {type: Drifted, status: "True", reason: AMIDrift, lastTransitionTime: "2026-11-18T06:02:00Z"}]}}`)
	c := read(t, documents(nodePool, claim, node))
	n := c.Nodes[0]
	want := []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: date("2026-11-18T06:02:00Z")}}
	if diff := cmp.Diff(want, n.Conditions); diff != "" || !n.Deleting || n.Pool != "general" || len(n.Blockers) != 4 {
		t.Errorf("got %+v\n%s", n, diff)
	}
}

func TestWhatIsBrokenDoesNotStopTheRest(t *testing.T) {
	drifted := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
	for rule, broken := range map[string]string{
		"a number":                  `5`,
		"an object without a kind":  `{metadata: {name: x}}`,
		"a kind that is no text":    `{kind: 5, metadata: {name: x}}`,
		"a Node without a name":     `{kind: Node, apiVersion: v1}`,
		"metadata that is a list":   `{kind: Node, apiVersion: v1, metadata: []}`,
		"a pod with a bad name":     `{kind: Pod, apiVersion: v1, metadata: {name: 5}}`,
		"a pod with a bad nodeName": `{kind: Pod, apiVersion: v1, metadata: {name: x}, spec: {nodeName: 5}}`,
		"a NodeClaim with bad data": `{kind: NodeClaim, apiVersion: karpenter.sh/v1, metadata: {name: x}, status: 7}`,
		"a List with bad items":     `{kind: List, apiVersion: v1, items: 7}`,
		"an API that is a number":   `{kind: Node, apiVersion: 1, metadata: {name: x}}`,
	} {
		t.Run(rule, func(t *testing.T) {
			list := strings.Join(asJSON(t, nodePool, broken, drifted, node), ",")
			c := read(t, `{"apiVersion":"v1","kind":"List","items":[`+list+`]}`)
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) != 1 {
				t.Errorf("the good node may not go: %+v", d.Blocked)
			}
			if w := c.Warnings(d); len(w) != 1 {
				t.Errorf("want one warning, got %q", texts(w))
			}
		})
	}
}

func TestFaultsAreInTheSameOrderWhateverThatOfTheInput(t *testing.T) {
	bad := []string{different(t, node, `spec: 5`), different(t, nodeClaim, `spec: 5`), different(t, pod, `spec: 5`)}
	want := texts(read(t, documents(bad[0], bad[1], bad[2])).Warnings())
	got := texts(read(t, documents(bad[2], bad[1], bad[0])).Warnings())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
