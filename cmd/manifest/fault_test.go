package manifest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// "any wrongly typed field of a Node or NodeClaim is named, and that node is treated as counted-if-initialized, not
// Ready (so it uses up budget), and carries a caller's own Blocker (Gate node, code unreadable)."
func TestAnUnreadableFieldBlocksItsNode(t *testing.T) {
	for _, test := range []struct{ rule, claim, node, want string }{
		{"labels that are no object", ``, `metadata: {annotations: [1]}`, `Node/node-1: metadata.annotations: [1] is a list: write an object, with fields`},
		{"a label that is no text", ``, `metadata: {labels: {rack: 7}}`, `Node/node-1: metadata.labels[rack]: 7 is a number: write a quoted string`},
		{"an annotation that is a boolean", ``, `metadata: {annotations: {karpenter.sh/do-not-disrupt: true}}`, `Node/node-1: metadata.annotations[karpenter.sh/do-not-disrupt]: true is a boolean: write a quoted string`},
		{"a deletion timestamp that is not a time", ``, `metadata: {deletionTimestamp: yesterday}`, `Node/node-1: metadata.deletionTimestamp: "yesterday" is not a time: write one such as 2026-11-20T10:30:00Z`},
		{"spec that is not an object", ``, `spec: text`, `Node/node-1: spec: "text" is text: write an object, with fields`},
		{"taints that are no list", ``, `spec: {taints: {}}`, `Node/node-1: spec.taints: {} is an object: write a list`},
		{"a taint that is not an object", ``, `spec: {taints: [x]}`, `Node/node-1: spec.taints[0]: "x" is text: write an object, with fields`},
		{"a status that is a boolean", ``, `status: {conditions: [{type: Ready, status: true}]}`, `Node/node-1: status.conditions[0].status: true is a boolean: write a quoted string`},
		{"a status that nobody knows", ``, `status: {conditions: [{type: Ready, status: "true"}]}`, `Node/node-1: status.conditions[0].status: "true" is unknown: write True, False or Unknown`},
		{"conditions that are no list", `status: {conditions: 5}`, ``, `NodeClaim/general-x7k2p: status.conditions: 5 is a number: write a list`},
		{"a type that is no text", `status: {conditions: [{type: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].type: 5 is a number: write a quoted string`},
		{"a time that is a number", `status: {conditions: [{type: Drifted, status: "True", lastTransitionTime: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].lastTransitionTime: 5 is a number: write a quoted string`},
		{"a reason that is no text", `status: {conditions: [{type: Drifted, status: "True", reason: 5}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].reason: 5 is a number: write a quoted string`},
		{"a reason that can be none", `status: {conditions: [{type: Drifted, status: "True", reason: "a b"}]}`, ``, `NodeClaim/general-x7k2p: status.conditions[0].reason: "a b" cannot be the reason of a condition: write one such as AMIDrift`},
		{"a providerID that is no text", `status: {providerID: 5}`, ``, `NodeClaim/general-x7k2p: status.providerID: 5 is a number: write a quoted string`},
		{"a nodeName that is no text", `status: {nodeName: 5}`, ``, `NodeClaim/general-x7k2p: status.nodeName: 5 is a number: write a quoted string`},
		{"a grace period that is no text", `spec: {terminationGracePeriod: 5}`, ``, `NodeClaim/general-x7k2p: spec.terminationGracePeriod: 5 is a number: write a quoted string`},
		{"a deadline that is not a time", `metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: soon}}`, ``, `NodeClaim/general-x7k2p: metadata.annotations[karpenter.sh/nodeclaim-termination-timestamp]: "soon" is not a time: write one such as 2026-11-20T10:30:00Z`},
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
			if len(c.Nodes) != 1 || n.Name != "node-1" || !n.Counted() || !n.Disrupting("") || n.Ready() || !n.ReadySince.IsZero() {
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
	if diff := cmp.Diff(want, n.Conditions); diff != "" || n.Leaving != candidate.Draining || n.Pool != "general" || len(n.Blockers) != 4 {
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
		"a pod on another node":     `{kind: Pod, apiVersion: v1, metadata: {name: x}, spec: {nodeName: node-2, priority: high}}`,
		"a PDB without pods":        `{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: x}, spec: []}`,
		"a schedule without pods":   `{kind: PodDisruptionSchedule, apiVersion: karpenter.sh/v1, metadata: {name: x}, spec: []}`,
		"a NodeClaim with bad data": `{kind: NodeClaim, apiVersion: karpenter.sh/v1, metadata: {name: x}, status: 7}`,
		"a List with bad items":     `{kind: List, apiVersion: v1, items: 7}`,
		"an API that is a number":   `{kind: Node, apiVersion: 1, metadata: {name: x}}`,
	} {
		t.Run(rule, func(t *testing.T) {
			list := strings.Join(asJSON(t, nodePool, broken, drifted, node, noPods), ",")
			c := read(t, `{"apiVersion":"v1","kind":"List","items":[`+list+`]}`)
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) != 1 {
				t.Errorf("the good node may not be disrupted: %+v", d.Blocked)
			}
			if w := c.Warnings(d); len(w) != 1 {
				t.Errorf("want one warning, got %q", texts(w))
			}
		})
	}
}

// What kubectl prints in place of objects, and a kind that is cut off or misspelt, may stand for what blocks any node.
func TestWhatMayStandForABlockerBlocksAllNodes(t *testing.T) {
	drifted := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
	for other, want := range map[string]string{
		`{kind: Status, apiVersion: v1, status: Failure, message: "pods is forbidden"}`: "the API server refused to list some objects: pods is forbidden",
		`{kind: PodD, apiVersion: policy/v1}`:                                           "the kind is unknown: write PodDisruptionBudget",
		`{kind: poddisruptionbudget, apiVersion: policy/v1, metadata: {name: x}}`:       "the kind is unknown: write PodDisruptionBudget",
		`{kind: DisruptionPolcy, apiVersion: disruptkit.dev/v1, metadata: {name: x}}`:   "the kind is unknown: write DisruptionPolicy",
		`{kind: Status, apiVersion: v1, status: Success}`:                               "",
		`{kind: NodeOverlay, apiVersion: karpenter.sh/v1alpha1, metadata: {name: x}}`:   "",
		`{kind: PodDisruptionBudgets, apiVersion: example.com/v1, metadata: {name: x}}`: "",
		`{kind: AKSNodeClass, apiVersion: karpenter.azure.com/v1, metadata: {name: x}}`: "",
		`{kind: Pods, apiVersion: metrics.k8s.io/v1, metadata: {name: x}}`:              "",
		`{kind: ConfigMap, apiVersion: v1, metadata: {name: x}, status: Failure}`:       "",
	} {
		t.Run(other, func(t *testing.T) {
			c := read(t, documents(nodePool, other, drifted, node, noPods))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			said := strings.Join(texts(c.Warnings(d)), "\n")
			if allowed := len(d.Allowed) == 1; allowed != (want == "") || !strings.Contains(said, want) || allowed != (said == "") {
				t.Errorf("allowed: %t, warnings: %q", allowed, said)
			}
		})
	}
}

func TestFaultsAreInTheSameOrderWhateverThatOfTheInput(t *testing.T) {
	bad := []string{pod, different(t, node, `spec: 5`), different(t, nodeClaim, `spec: 5`), different(t, pod, `{metadata: {name: web-2}, spec: {priority: high}}`), different(t, pod, `{metadata: {name: web-0}, spec: 5}`),
		different(t, pdb, `spec: 5`), different(t, podSchedule, `spec: 5`)}
	want := read(t, documents(bad...))
	slices.Reverse(bad)
	got := read(t, documents(bad...))
	if diff := cmp.Diff(texts(want.Warnings()), texts(got.Warnings())); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want.Nodes, got.Nodes, windows, anyOrderOfPods); diff != "" || len(want.Nodes[0].Blockers) != 6 {
		t.Errorf("nodes (-want +got)\n%s", diff)
	}
}

var anyOrderOfPods = cmpopts.SortSlices(func(a, b candidate.Pod) bool { return a.Name < b.Name })

// What cannot be read of a pod may be what blocks its node: wrong types never make a node more disruptable.
func TestAPodThatCannotBeReadBlocksItsNode(t *testing.T) {
	for _, test := range []struct{ rule, pod, want string }{
		{"a name that is no text", `metadata: {name: 5}`, `Pod at document 4: metadata.name: 5 is a number: write a quoted string`},
		{"no name", `metadata: {name: null}`, `Pod at document 4: metadata.name: the object has no name: write its name in the cluster`},
		{"a namespace that is no text", `metadata: {namespace: 5}`, `Pod/web-1: metadata.namespace: 5 is a number: write a quoted string`},
		{"labels that are no object", `metadata: {labels: [app]}`, `Pod/shop/web-1: metadata.labels: ["app"] is a list: write an object, with fields`},
		{"a label that is no text", `metadata: {labels: {shard: 7}}`, `Pod/shop/web-1: metadata.labels[shard]: 7 is a number: write a quoted string`},
		{"annotations that are no object", `metadata: {annotations: 5}`, `Pod/shop/web-1: metadata.annotations: 5 is a number: write an object, with fields`},
		{"an annotation that is a boolean", `metadata: {annotations: {karpenter.sh/do-not-disrupt: true}}`, `Pod/shop/web-1: metadata.annotations[karpenter.sh/do-not-disrupt]: true is a boolean: write a quoted string`},
		{"a deletion timestamp that is not a time", `metadata: {deletionTimestamp: soon}`, `Pod/shop/web-1: metadata.deletionTimestamp: "soon" is not a time: write one such as 2026-11-20T10:30:00Z`},
		{"a deletion timestamp that is a number", `metadata: {deletionTimestamp: 5}`, `Pod/shop/web-1: metadata.deletionTimestamp: 5 is a number: write a quoted string`},
		{"owners that are no list", `metadata: {ownerReferences: {}}`, `Pod/shop/web-1: metadata.ownerReferences: {} is an object: write a list`},
		{"an owner that is not an object", `metadata: {ownerReferences: [web]}`, `Pod/shop/web-1: metadata.ownerReferences[0]: "web" is text: write an object, with fields`},
		{"an owner's kind that is no text", `metadata: {ownerReferences: [{kind: 5}]}`, `Pod/shop/web-1: metadata.ownerReferences[0].kind: 5 is a number: write a quoted string`},
		{"an owner's API that is no text", `metadata: {ownerReferences: [{apiVersion: 1}]}`, `Pod/shop/web-1: metadata.ownerReferences[0].apiVersion: 1 is a number: write a quoted string`},
		{"a priority that is text", `spec: {priority: high}`, `Pod/shop/web-1: spec.priority: "high" is text: write a whole number`},
		{"tolerations that are no list", `spec: {tolerations: {}}`, `Pod/shop/web-1: spec.tolerations: {} is an object: write a list`},
		{"a toleration that is not an object", `spec: {tolerations: [all]}`, `Pod/shop/web-1: spec.tolerations[0]: "all" is text: write an object, with fields`},
		{"a toleration's key that is no text", `spec: {tolerations: [{key: 5}]}`, `Pod/shop/web-1: spec.tolerations[0].key: 5 is a number: write a quoted string`},
		{"a toleration's operator that is no text", `spec: {tolerations: [{operator: 5}]}`, `Pod/shop/web-1: spec.tolerations[0].operator: 5 is a number: write a quoted string`},
		{"a toleration's value that is no text", `spec: {tolerations: [{value: 5}]}`, `Pod/shop/web-1: spec.tolerations[0].value: 5 is a number: write a quoted string`},
		{"a toleration's effect that is no text", `spec: {tolerations: [{effect: 5}]}`, `Pod/shop/web-1: spec.tolerations[0].effect: 5 is a number: write a quoted string`},
		{"status that is not an object", `status: Running`, `Pod/shop/web-1: status: "Running" is text: write an object, with fields`},
		{"a phase that is no text", `status: {phase: 5}`, `Pod/shop/web-1: status.phase: 5 is a number: write a quoted string`},
		{"a start time that is none", `status: {startTime: yesterday}`, `Pod/shop/web-1: status.startTime: "yesterday" is not a time: write one such as 2026-11-20T10:30:00Z`},
		{"conditions that are no list", `status: {conditions: {}}`, `Pod/shop/web-1: status.conditions: {} is an object: write a list`},
		{"a condition's status that is a boolean", `status: {conditions: [{type: Ready, status: false}]}`, `Pod/shop/web-1: status.conditions[0].status: false is a boolean: write a quoted string`},
		{"a condition's status that nobody knows", `status: {conditions: [{type: Ready, status: "no"}]}`, `Pod/shop/web-1: status.conditions[0].status: "no" is unknown: write True, False or Unknown`},
		{"also of a pod that has finished", `{status: {phase: Succeeded}, spec: {priority: high}}`, `Pod/shop/web-1: spec.priority: "high" is text: write a whole number`},
		{"where it runs cannot be read: it may be there", `spec: {nodeName: [node-2]}`, `Pod/shop/web-1: spec.nodeName: ["node-2"] is a list: write a quoted string`},
		{"spec that is not an object: it may run there", `spec: 5`, `Pod/shop/web-1: spec: 5 is a number: write an object, with fields`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			wantHeldBack(t, test.want, nodePool, drifted(t), node, different(t, pod, test.pod))
		})
	}
}

// drifted returns the ordinary NodeClaim, drifted.
func drifted(t *testing.T) string {
	return different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
}

// wantHeldBack checks that of objects, among which is the ordinary node, nothing but a fault of pods blocks that,
// and that it counts like any other.
func wantHeldBack(t *testing.T, fault string, objects ...string) {
	t.Helper()
	c := read(t, documents(objects...))
	d := disruptkit.Decide(c.Input(now), candidate.Drifted)
	if diff := cmp.Diff([]string{fault}, texts(c.Warnings(d, d))); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if len(d.Blocked) != 1 {
		t.Fatalf("it may be disrupted: %+v", d.Allowed)
	}
	want := []candidate.Blocker{{Gate: candidate.GatePod, Code: manifest.CodeUnreadable, Message: fault}}
	if diff := cmp.Diff(want, d.Blocked[0].Blockers); diff != "" {
		t.Errorf("blockers (-want +got)\n%s", diff)
	}
	if !c.Nodes[0].Ready() || c.Nodes[0].Disrupting("") {
		t.Errorf("it uses up a disruption: %+v", c.Nodes[0])
	}
}

func TestAPodWithAnUnknownNodeBlocksAllNodes(t *testing.T) {
	c := read(t, documents(nodePool, nodeClaim, node,
		different(t, nodeClaim, `{metadata: {name: general-2}, status: {nodeName: node-2, providerID: null}}`), different(t, node, `metadata: {name: node-2}`),
		different(t, pod, `{spec: {nodeName: 1, priority: high}}`), pod))
	for _, n := range c.Nodes {
		if len(n.Blockers) != 2 {
			t.Errorf("%s: got %v", n.Name, n.Blockers)
		}
	}
	if w := c.Warnings(); len(c.Nodes) != 2 || len(w) != 2 {
		t.Errorf("nodes %v, warnings %q", c.Nodes, texts(w))
	}
}

func TestAPDBThatCannotBeReadBlocksTheNodesOfItsNamespace(t *testing.T) {
	for _, test := range []struct{ rule, pdb, want string }{
		{"spec that is not an object", `spec: 5`, `PodDisruptionBudget/shop/web: spec: 5 is a number: write an object, with fields`},
		{"a selector that is not an object", `spec: {selector: app=web}`, `PodDisruptionBudget/shop/web: spec.selector: "app=web" is text: write an object, with fields`},
		{"labels that are no object", `spec: {selector: {matchLabels: [app]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchLabels: ["app"] is a list: write an object, with fields`},
		{"a label that is no text", `spec: {selector: {matchLabels: {app: 7}}}`, `PodDisruptionBudget/shop/web: spec.selector.matchLabels[app]: 7 is a number: write a quoted string`},
		{"expressions that are no list", `spec: {selector: {matchExpressions: {}}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions: {} is an object: write a list`},
		{"an expression that is not an object", `spec: {selector: {matchExpressions: [app]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0]: "app" is text: write an object, with fields`},
		{"a key that is no text", `spec: {selector: {matchExpressions: [{key: 5, operator: Exists}]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0].key: 5 is a number: write a quoted string`},
		{"an operator that is no text", `spec: {selector: {matchExpressions: [{key: app, operator: true}]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0].operator: true is a boolean: write a quoted string`},
		{"values that are no list", `spec: {selector: {matchExpressions: [{key: app, operator: In, values: web}]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0].values: "web" is text: write a list`},
		{"a value that is no text", `spec: {selector: {matchExpressions: [{key: app, operator: In, values: [web, 7]}]}}`, `PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0].values[1]: 7 is a number: write a quoted string`},
		{"a selector as Services have", `spec: {selector: {app: web}}`, `PodDisruptionBudget/shop/web: spec.selector.app: field "app" is unknown: write one of matchLabels, matchExpressions`},
		{"a selector in another spelling", `spec: {selector: {matchlabels: {app: web}}}`, `PodDisruptionBudget/shop/web: spec.selector.matchlabels: field "matchlabels" is unknown: write "matchLabels"`},
		{"a policy that is no text", `spec: {unhealthyPodEvictionPolicy: true}`, `PodDisruptionBudget/shop/web: spec.unhealthyPodEvictionPolicy: true is a boolean: write a quoted string`},
		{"status that is not an object", `status: ok`, `PodDisruptionBudget/shop/web: status: "ok" is text: write an object, with fields`},
		{"an allowance that is text", `status: {disruptionsAllowed: "1"}`, `PodDisruptionBudget/shop/web: status.disruptionsAllowed: "1" is text: write a whole number`},
		{"an allowance that is a fraction", `status: {disruptionsAllowed: 0.5}`, `PodDisruptionBudget/shop/web: status.disruptionsAllowed: 0.5 is a number: write a whole number`},
		{"no name", `metadata: {name: null}`, `PodDisruptionBudget at document 5: metadata.name: the object has no name: write its name in the cluster`},
		{"a namespace that is not a string: it may be any", `metadata: {namespace: 5}`, `PodDisruptionBudget/web: metadata.namespace: 5 is a number: write a quoted string`},
		{"metadata that is not an object: it may be in any namespace", `metadata: web`, `PodDisruptionBudget at document 5: metadata: "web" is text: write an object, with fields`},
		{"an API that is no text", `apiVersion: 1`, `PodDisruptionBudget/shop/web: apiVersion: 1 is a number: write a quoted string`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			wantHeldBack(t, test.want, nodePool, drifted(t), node, pod, different(t, pdb, test.pdb))
		})
	}
}

func TestAPodDisruptionScheduleThatCannotBeReadBlocksTheNodesWithPods(t *testing.T) {
	const name = `PodDisruptionSchedule/web: `
	for _, test := range []struct{ rule, schedule, want string }{
		{"spec that is not an object", `spec: 5`, name + `spec: 5 is a number: write an object, with fields`},
		{"a selector that is not an object", `spec: {selector: [web]}`, name + `spec.selector: ["web"] is a list: write an object, with fields`},
		{"a label that is no text", `spec: {selector: {matchLabels: {app: 7}}}`, name + `spec.selector.matchLabels[app]: 7 is a number: write a quoted string`},
		{"a schedule that is no text", `spec: {schedule: 5}`, name + `spec.schedule: 5 is a number: write a quoted string`},
		{"a duration that is no text", `spec: {duration: 4}`, name + `spec.duration: 4 is a number: write a quoted string`},
		{"a block schedule that is no text", `spec: {blockSchedule: [a]}`, name + `spec.blockSchedule: ["a"] is a list: write a quoted string`},
		{"a block duration that is no text", `spec: {blockDuration: 8}`, name + `spec.blockDuration: 8 is a number: write a quoted string`},
		{"a time zone that is no text", `spec: {timeZone: 1}`, name + `spec.timeZone: 1 is a number: write a quoted string`},
		{"a field in another spelling", `spec: {timezone: Europe/Berlin}`, name + `spec.timezone: field "timezone" is unknown: write "timeZone"`},
		{"a field that is unknown", `spec: {days: 2}`, name + `spec.days: field "days" is unknown: write one of selector, schedule, duration, blockSchedule, blockDuration, timeZone`},
		{"no name", `metadata: {name: null}`, `PodDisruptionSchedule at document 5: metadata.name: the object has no name: write its name in the cluster`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			wantHeldBack(t, test.want, nodePool, drifted(t), node, pod, different(t, podSchedule, test.schedule))
		})
	}
}

// What cannot be read of PDBs and PodDisruptionSchedules blocks the nodes whose pods it may concern, and no others.
func TestWhomAnUnreadablePolicyBlocks(t *testing.T) {
	const (
		ofShop, ofAll = `spec: 5`, `{metadata: {namespace: 5}, spec: {selector: null}}`
	)
	for _, test := range []struct {
		rule, pod string
		// whether the node is blocked by the PDB of the pod's namespace, by one of nobody knows which, and by a PodDisruptionSchedule
		ofShop, ofAll, schedule bool
	}{
		{"a pod of the namespace", ``, true, true, true},
		{"a pod of another namespace", `metadata: {namespace: data}`, false, true, true},
		{"a pod that nobody can evict", `metadata: {ownerReferences: [{apiVersion: v1, kind: Node}]}`, false, true, true},
		{"a pod that has finished", `status: {phase: Succeeded}`, false, false, false},
		{"a pod on another node", `spec: {nodeName: node-2}`, false, false, false},
		{"a pod on no node yet", `spec: {nodeName: null}`, false, false, false},
	} {
		t.Run(test.rule, func(t *testing.T) {
			for _, policy := range []struct {
				object, fault string
				want          bool
			}{{pdb, ofShop, test.ofShop}, {pdb, ofAll, test.ofAll}, {podSchedule, ofShop, test.schedule}} {
				c := read(t, documents(nodePool, nodeClaim, node, different(t, pod, test.pod), different(t, policy.object, policy.fault)))
				if got := len(c.Nodes[0].Blockers) > 0; got != policy.want {
					t.Errorf("%s%s\nholds it back: %t", policy.object, policy.fault, got)
				}
			}
		})
	}
}

func TestEachFaultBlocksANodeOnceHoweverManyPodsItHas(t *testing.T) {
	var pods []string
	for _, name := range []string{"a", "b", "c"} {
		pods = append(pods, different(t, pod, `metadata: {name: `+name+`}`))
	}
	c := read(t, documents(append(pods, nodePool, nodeClaim, node, different(t, pdb, `spec: 5`), different(t, pdb, `{metadata: {name: all}, spec: 5}`), different(t, podSchedule, `spec: 5`))...))
	if len(c.Nodes[0].Blockers) != 3 || len(c.Nodes[0].Pods) != 3 {
		t.Errorf("got %v", c.Nodes[0].Blockers)
	}
}

func TestWhatIsInTheInputTwiceIsNamedOnce(t *testing.T) {
	invalid := different(t, pod, `metadata: {annotations: {karpenter.sh/do-not-disrupt: "yes"}}`)
	broken := different(t, pdb, `spec: {selector: {matchLabels: {app: -}}}`)
	c := read(t, documents(invalid, invalid, broken, broken, different(t, podSchedule, `spec: 5`), different(t, podSchedule, `spec: 5`)))
	d := disruptkit.Decide(c.Input(now), candidate.Drifted)
	if w := c.Warnings(d, d); len(w) != 3 {
		t.Errorf("got %q", texts(w))
	}
}

func TestAPodOnNoNodeIsNotOnTheOneWithoutAName(t *testing.T) {
	c := read(t, documents(different(t, node, `metadata: {name: null}`), different(t, pod, `spec: {nodeName: null}`)))
	if len(c.Nodes) != 1 || len(c.Nodes[0].Pods) > 0 {
		t.Errorf("got %+v", c.Nodes)
	}
}
