package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func emptyList(apiVersion, kind string) string {
	return "{apiVersion: " + apiVersion + ", kind: " + kind + ", items: []}"
}

func TestWhatWasNotHandedInIsMissing(t *testing.T) {
	const none = `{apiVersion: v1, kind: List, items: []}`
	claim := drifted(t)
	for _, test := range []struct {
		rule    string
		objects []string
		want    string // the kinds that are missing
	}{
		{"nothing is", []string{nodePool, claim, node, pod, pdb}, ""},
		{"an object is knowledge, also a broken one", []string{nodePool, claim, node, pdb, `{apiVersion: v1, kind: Pod, metadata: {name: 5}}`}, ""},
		{"a kind without objects is unknown", []string{nodePool, claim, node, pdb}, "Pod"},
		{"no PodDisruptionSchedule is needed", []string{nodePool, claim, node, pod, pdb}, ""},
		{"a List does not say of what kind it has none", []string{nodePool, claim, node, pdb, none}, "Pod"},
		{"a list of a kind does", []string{nodePool, claim, node, pdb, emptyList("v1", "PodList")}, ""},
		{"so does one that does not say its group", []string{nodePool, claim, node, pdb, "{kind: PodList, items: []}"}, ""},
		{"and one in a List", []string{nodePool, claim, node, pdb, "{kind: List, items: [{kind: PodList, items: []}]}"}, ""},
		{"a list of another group does not", []string{nodePool, claim, node, pdb, emptyList("metrics.k8s.io/v1beta1", "PodList")}, "Pod"},
		{"a list of another kind does not", []string{nodePool, claim, node, pdb, emptyList("v1", "PodTemplateList")}, "Pod"},
		{"null is not a list", []string{nodePool, claim, node, pdb, "{kind: PodList, items: null}"}, "Pod"},
		{"a list without items is not a list", []string{nodePool, claim, node, pdb, "{kind: PodList}"}, "Pod"},
		{"lists of all kinds are knowledge", []string{
			emptyList("karpenter.sh/v1", "NodePoolList"), emptyList("karpenter.sh/v1", "NodeClaimList"), emptyList("v1", "NodeList"),
			emptyList("v1", "PodList"), emptyList("policy/v1", "PodDisruptionBudgetList"),
		}, ""},
		{"of one that no decision needs, all is missing", []string{`{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionScheduleList, items: []}`},
			"NodePool NodeClaim Node Pod PodDisruptionBudget"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(test.objects...))
			var kinds []string
			for _, m := range c.Missing() {
				kinds = append(kinds, m.Kind)
				if !strings.HasPrefix(m.Message, "no "+m.Kind+"s were given: ") {
					t.Errorf("%s: %s", m.Kind, m.Message)
				}
			}
			if got := strings.Join(kinds, " "); got != test.want {
				t.Errorf("missing: %q, want %q", got, test.want)
			}
			for _, n := range c.Nodes {
				if n.PodsUnknown != (test.want == "Pod") {
					t.Errorf("%s: pods unknown: %t", n.Name, n.PodsUnknown)
				}
			}
		})
	}
}

// DESIGN §14: "What was not given is unknown: without pods (no permission, another command) no node may be disrupted, and the
// answer reports which objects are missing."
func TestNodesAreBlockedForWhatDecisionsCannotDoWithout(t *testing.T) {
	claim := drifted(t)
	quiet := nodeClaim // nobody wants its node gone
	for _, test := range []struct {
		rule    string
		objects []string
		goes    bool
		code    candidate.Code // of what blocks the node
		holds   string         // the kind that it is blocked for
		nodes   int            // that are counted
	}{
		{"all is there", []string{nodePool, claim, node, pod, pdb}, true, "", "", 1},
		{"no Pods", []string{nodePool, claim, node, pdb}, false, candidate.CodePodsUnknown, "Pod", 1},
		{"no Pods, and a grace period", []string{nodePool, different(t, claim, "spec: {terminationGracePeriod: 1h}"), node, pdb}, false, candidate.CodePodsUnknown, "Pod", 1},
		{"no Pods, and nobody wants the node gone", []string{nodePool, quiet, node, pdb}, false, "", "", 1},
		{"an empty list of Pods", []string{nodePool, claim, node, pdb, emptyList("v1", "PodList")}, true, "", "", 1},
		{"no PodDisruptionBudgets", []string{nodePool, claim, node, pod}, true, "", "", 1},
		{"no NodePools", []string{claim, node, pod, pdb}, false, candidate.CodeUnknownPool, "NodePool", 0},
		{"no Nodes", []string{nodePool, claim, pod, pdb}, false, candidate.CodeNotInitialized, "Node", 0},
		{"no NodeClaims, which say who is to go", []string{nodePool, node, pod, pdb}, false, "", "", 1},
		{"an empty list of NodeClaims: the node is not Karpenter's", []string{nodePool, node, pod, pdb, emptyList("karpenter.sh/v1", "NodeClaimList")}, false, "", "", 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(test.objects...))
			d := disruptkit.Decide(c.Input(now), "")
			if goes := len(d.Allowed) > 0; goes != test.goes {
				t.Errorf("allowed: %+v", d.Allowed)
			}
			var code candidate.Code
			for _, b := range d.Blocked {
				code = b.Blockers[0].Code
			}
			if code != test.code {
				t.Errorf("blocked for %q, want %q", code, test.code)
			}
			holds := ""
			for _, m := range c.Missing() {
				if m.HoldsBack(d) {
					holds += m.Kind
				}
			}
			if holds != test.holds {
				t.Errorf("blocked for missing %q, want %q", holds, test.holds)
			}
			counted := 0
			for _, p := range d.Pools {
				counted = p.Nodes
			}
			if counted != test.nodes {
				t.Errorf("%d nodes, want %d", counted, test.nodes)
			}
		})
	}
}

func TestPodsOfOneNamespaceAloneAreSuspected(t *testing.T) {
	other := different(t, node, `{metadata: {name: other}, spec: {providerID: other}}`)
	claim := different(t, nodeClaim, `{metadata: {name: other}, status: {nodeName: other, providerID: other}}`)
	system := func(text string) string { return different(t, pod, `{metadata: {namespace: kube-system}, `+text+`}`) }
	base := []string{nodePool, nodeClaim, node, claim, pdb}
	for _, test := range []struct {
		rule    string
		objects []string
		want    string // "" is no suspicion
	}{
		{"a node without any", []string{other, pod}, "in the namespace shop, and 1 node has none of them: "},
		{"nodes without any", []string{other, different(t, pod, `spec: {nodeName: null}`)}, "in the namespace shop, and 2 nodes have none of them: "},
		{"pods of two namespaces", []string{other, pod, system("")}, ""},
		{"one of which runs nowhere yet", []string{other, pod, system("spec: {nodeName: null}")}, ""},
		{"pods on each node", []string{other, pod, different(t, pod, `{metadata: {name: more}, spec: {nodeName: other}}`)}, ""},
		{"no pods there are", []string{other, emptyList("v1", "PodList")}, ""},
		{"a node that has not joined", []string{different(t, other, `metadata: {labels: {karpenter.sh/initialized: null}}`), pod}, ""},
		{"a node in flight", []string{different(t, other, `spec: {taints: [{key: karpenter.sh/disrupted}]}`), pod}, ""},
		{"a node of no pool", []string{different(t, other, `{metadata: {name: third}, spec: {providerID: third}}`), pod}, ""},
		{"a pod that cannot be read", []string{other, `{apiVersion: v1, kind: Pod, metadata: {name: 5, namespace: shop}}`}, ""},
	} {
		got := ""
		for _, m := range read(t, documents(append(base[:len(base):len(base)], test.objects...)...)).Missing() {
			if m.Kind != "Pod" || !m.Suspected || m.HoldsBack(disruptkit.Decision{Blocked: []candidate.Candidate{{Blockers: []candidate.Blocker{{Code: candidate.CodePodsUnknown}}}}}) {
				t.Errorf("%s: %+v", test.rule, m)
			}
			got = m.Message
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.rule, got, test.want)
		}
		whole, err := manifest.Policy{Whole: true}.Read(strings.NewReader(documents(append(base[:len(base):len(base)], test.objects...)...)))
		if err != nil || len(whole.Missing()) > 0 {
			t.Errorf("%s, of a program that listed all namespaces: %v, %v", test.rule, whole.Missing(), err)
		}
	}
}

func TestWhereNoNodeClaimsWereHandedInTheLabelSaysWhosePoolItIs(t *testing.T) {
	for _, test := range []struct {
		rule, node string
		want       candidate.Node
	}{
		{"a node of the pool", "", candidate.Node{Pool: "general", Phase: candidate.Running}},
		{"one that has not joined", `metadata: {labels: {karpenter.sh/initialized: null}}`, candidate.Node{Pool: "general", Phase: candidate.Registered}},
		{"one in flight", `spec: {taints: [{key: karpenter.sh/disrupted}]}`, candidate.Node{Pool: "general", Phase: candidate.Running, Leaving: candidate.Draining}},
		{"one of nobody's", `metadata: {labels: {karpenter.sh/nodepool: null, karpenter.sh/initialized: null}}`, candidate.Node{Phase: candidate.Running}},
	} {
		got := read(t, documents(nodePool, different(t, node, test.node), pod, pdb)).Nodes[0]
		have := candidate.Node{Pool: got.Pool, Phase: got.Phase, Leaving: got.Leaving}
		if diff := cmp.Diff(test.want, have); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.rule, diff)
		}
	}
}

// What is to be consolidated is Empty or Underutilized, and only its pods say which.
func TestWithoutPodsNobodyKnowsWhichNodesAreEmpty(t *testing.T) {
	claim := different(t, nodeClaim, consolidatable)
	for _, test := range []struct {
		rule, pool string
		rest       []string
		want       []candidate.Reason
	}{
		{"pods", "", []string{node, pod}, []candidate.Reason{candidate.Underutilized}},
		{"no pods", "", []string{node, emptyList("v1", "PodList")}, []candidate.Reason{candidate.Empty}},
		{"unknown pods", "", []string{node}, []candidate.Reason{candidate.Empty, candidate.Underutilized}},
		{"unknown pods, and only the empty may be disrupted", `spec: {disruption: {consolidationPolicy: WhenEmpty}}`, []string{node}, []candidate.Reason{candidate.Empty}},
		{"unknown pods, and none may be disrupted", `spec: {disruption: {consolidateAfter: Never}}`, []string{node}, nil},
		{"pods of a Node that was not given", "", []string{pod}, []candidate.Reason{candidate.Underutilized}},
	} {
		c := read(t, documents(append([]string{different(t, nodePool, test.pool), claim, pdb}, test.rest...)...))
		var got []candidate.Reason
		for _, condition := range c.Nodes[0].Conditions {
			got = append(got, condition.Reason)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.rule, diff)
		}
	}
}

// kubectl prints such a List as well, if it may list nothing.
func TestAnEmptyListIsAnError(t *testing.T) {
	for _, input := range []string{`{"apiVersion":"v1","items":[],"kind":"List","metadata":{"resourceVersion":""}}`, "{kind: List, items: []}\n---\n{kind: List, items: []}", "[]"} {
		if _, err := manifest.Read(strings.NewReader(input)); err == nil || !strings.Contains(err.Error(), "the input is an empty List") {
			t.Errorf("%s: %v", input, err)
		}
		if c, err := (manifest.Policy{Whole: true}).Read(strings.NewReader(input)); err != nil || len(c.Missing()) > 0 {
			t.Errorf("%s of a whole cluster: %v", input, err)
		}
	}
}

// A list that an API server has cut off says so in metadata.continue and metadata.remainingItemCount. What it lacks may be what blocks a node.
func TestAListThatGoesOnIsNoKnowledge(t *testing.T) {
	const (
		first  = `{"apiVersion":"v1","kind":"PodList","metadata":{"continue":"abc","remainingItemCount":3},"items":[]}`
		last   = `{"apiVersion":"v1","kind":"PodList","metadata":{"continue":""},"items":[]}`
		nodes  = `{"apiVersion":"v1","kind":"NodeList","metadata":{},"items":[]}`
		secret = `{"apiVersion":"v1","kind":"SecretList","metadata":{"continue":"abc"},"items":[]}`
		count  = `{"kind":"NodeList","apiVersion":"v1","items":[],"metadata":{"remainingItemCount":3}}`
		counts = `{"apiVersion":"v1","kind":"NodeList","metadata":{"remainingItemCount":0},"items":[]}`
		mixed  = `{"apiVersion":"v1","kind":"List","metadata":{"continue":"abc"},"items":[]}`
	)
	for _, test := range []struct {
		rule, input, want string
	}{
		{"the first part", first, "document 1: metadata.continue: the PodList is incomplete: provide the rest, or print it without a limit"},
		{"the last part before the first", last + first, "document 2: metadata.continue: the PodList is incomplete"},
		{"the first part, and another list", first + nodes, "document 1: metadata.continue: the PodList is incomplete"},
		{"all parts", first + first + last, ""},
		{"parts of what decisions do not depend on", secret + nodes, ""},
		{"a count of what remains", count, "document 1: metadata.remainingItemCount: the NodeList is incomplete"},
		{"parts of two kinds", first + count, "document 2: metadata.remainingItemCount: the NodeList is incomplete"},
		{"a count of 0", counts, ""},
		{"a List of anything", mixed, "document 1: metadata.continue: the List is incomplete"},
		{"a List of anything, and another one", mixed + `{"apiVersion":"v1","kind":"List","items":[` + nodes + `]}`,
			"document 1: metadata.continue: the List is incomplete"},
		{"inside of a List", `{"kind":"List","items":[` + nodes + `,` + first + `]}`, "document 1, items[1]: metadata.continue: the PodList is incomplete"},
	} {
		got := ""
		if _, err := manifest.Read(strings.NewReader(test.input)); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", test.rule, got, test.want)
		}
	}
	for _, metadata := range []string{`{"continue":"abc"}`, `{"remainingItemCount":1}`} {
		_, err := manifest.ReadPools("pools", strings.NewReader(`{"apiVersion":"karpenter.sh/v1","kind":"NodePoolList","metadata":`+metadata+`,"items":[]}`))
		if err == nil || !strings.Contains(err.Error(), "the NodePoolList is incomplete") {
			t.Errorf("ReadPools, %s: %v", metadata, err)
		}
	}
}

func TestNodesWithThePoolsLabelThatNoNodeClaimNamesAreReported(t *testing.T) {
	stray := func(name string) string {
		return different(t, node, `{metadata: {name: `+name+`}, spec: {providerID: other-`+name+`}}`)
	}
	const want = "nodes with the label karpenter.sh/nodepool and without a NodeClaim count for no pool, as in Karpenter: "
	objects := []string{nodePool, nodeClaim, node, pod, pdb}
	for _, test := range []struct {
		strays []string
		want   string
	}{
		{nil, ""},
		{[]string{"b", "a"}, want + "a, b"},
		{strings.Fields("e d c b a"), want + "a, b, c, d, and 1 more"},
	} {
		input := objects
		for _, s := range test.strays {
			input = append(input[:len(input):len(input)], stray(s))
		}
		if got := strings.Join(read(t, documents(input...)).Notes(), "\n"); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if notes := read(t, documents(nodePool, node, pod, pdb)).Notes(); len(notes) != 1 || strings.Contains(notes[0], want) {
		t.Errorf("without NodeClaims: %v", notes)
	}
}
