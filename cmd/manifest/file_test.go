package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

func readPools(t *testing.T, input string) *manifest.File {
	t.Helper()
	f, err := manifest.ReadPools("dir/pools.yaml", strings.NewReader(input))
	if err != nil {
		t.Fatalf("ReadPools: %v\n%s", err, input)
	}
	return f
}

// faultsOf returns all faults as text.
func faultsOf(f *manifest.File) (all []string) {
	for _, fault := range f.Faults {
		all = append(all, fault.Error())
	}
	for _, p := range f.Pools {
		for _, fault := range p.Faults {
			all = append(all, fault.Error())
		}
	}
	return all
}

// The disruption-controls-by-method RFC, "Approach B".
func TestEverythingThatADisruptionSaysIsInTheSpec(t *testing.T) {
	const disruption = `
consolidationPolicy: WhenEmpty
consolidateAfter: Never
budgets: [{nodes: 5}, {nodes: 10%, action: Drift}]
defaults: {disruptAfter: 10m, budgets: [{nodes: 20%}]}
consolidation: {consolidationPolicy: WhenUnderutilized, disruptAfter: 30m}
drift: {budgets: [{nodes: 1, reason: AMIDrift}, {nodes: 2}]}
expiration: {disruptAfter: Never}
emptiness: {disruptAfter: 5m, budgets: null}
expireAfter: 720h
disruptionProbes: [{host: a, port: 80}]`
	want := budget.Spec{
		Budgets:             []budget.Budget{{Nodes: "5"}, {Nodes: "10%", Reasons: []candidate.Reason{"Drift"}}},
		ConsolidationPolicy: "WhenEmpty",
		ConsolidateAfter:    "Never",
		Defaults:            budget.Control{DisruptAfter: "10m", Budgets: []budget.Budget{{Nodes: "20%"}}},
		Consolidation:       budget.Control{ConsolidationPolicy: "WhenUnderutilized", DisruptAfter: "30m"},
		Drift:               budget.Control{Budgets: []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"AMIDrift"}}, {Nodes: "2"}}},
		Expiration:          budget.Control{DisruptAfter: "Never"},
		Emptiness:           budget.Control{DisruptAfter: "5m"},
	}
	indented := func(n int) string { return strings.ReplaceAll(disruption, "\n", "\n"+strings.Repeat(" ", n)) }
	for rule, test := range map[string]struct{ input, name string }{
		"of a NodePool":        {"kind: NodePool\nmetadata: {name: general}\nspec:\n  disruption:" + indented(4), "general"},
		"in a list":            {"kind: NodePoolList\nitems:\n- metadata: {name: general}\n  spec:\n    disruption:" + indented(6), "general"},
		"of a spec alone":      {"spec: # This is not a complete NodePool Spec.\n  disruption:" + indented(4), "pools"},
		"alone":                {"disruption:" + indented(2), "pools"},
		"without even a name":  {disruption, "pools"},
		"in a second document": {"kind: Pod\n---" + disruption, "pools, document 2"},
	} {
		t.Run(rule, func(t *testing.T) {
			f := readPools(t, test.input)
			if len(f.Pools) != 1 || len(faultsOf(f)) > 0 {
				t.Fatalf("got %+v, %q", f, faultsOf(f))
			}
			if diff := cmp.Diff(want, f.Pools[0].Spec); diff != "" || f.Pools[0].Name != test.name {
				t.Errorf("%s (-want +got)\n%s", f.Pools[0].Name, diff)
			}
		})
	}
}

func TestWhatACompiledSpecFaultsIsNamedWithItsPath(t *testing.T) {
	pool := different(t, nodePool, `spec: {disruption: {drift: {disruptAfter: soon, budgets: [{nodes: x}]}, consolidation: {consolidationPolicy: Often}}}`)
	c := read(t, pool)
	got := strings.Join(texts(c.Warnings(disruptkit.Decide(c.Input(now), candidate.Drifted))), "\n")
	for _, field := range []string{"drift.disruptAfter", "drift.budgets[0].nodes", "consolidation.consolidationPolicy"} {
		if strings.Count(got, "NodePool/general: spec.disruption."+field+": ") != 1 {
			t.Errorf("%s is not in\n%s", field, got)
		}
	}
}

func TestABrokenFieldIsNamedWithItsLine(t *testing.T) {
	const head = "kind: NodePool\nmetadata: {name: a}\nspec:\n  disruption:\n" // four lines
	for _, test := range []struct{ rule, disruption, want string }{
		{"a field of disruption that nobody knows", "    foo:\n      1", `5: NodePool/a: spec.disruption.foo: field "foo" is unknown: write one of budgets, `},
		{"one that is almost known", "    budgets: []\n    budget: []", `6: NodePool/a: spec.disruption.budget: field "budget" is unknown: write "budgets"`},
		{"a field of a control that nobody knows", "    drift:\n      disruptAfter: 1h\n      nodes: 1", `7: NodePool/a: spec.disruption.drift.nodes: field "nodes" is unknown: write one of disruptAfter, deadline, minAge, rollout, consolidationPolicy, budgets`},
		{"a field of a control of another type", "    drift:\n      disruptAfter: 5", `6: NodePool/a: spec.disruption.drift.disruptAfter: 5 is not valid: write a string, such as "30m" or "Never"`},
		{"a control of another type", "    drift:\n    - 1h", `5: NodePool/a: spec.disruption.drift: ["1h"] is a list: write an object, with fields`},
		{"budgets of a control that are no list", "    drift:\n      budgets: {}", `6: NodePool/a: spec.disruption.drift.budgets: {} is an object: write a list`},
		{"a field of a budget that nobody knows", "    budgets:\n    - nodes: 1\n    - nodes: 2\n      node: 3", `8: NodePool/a: spec.disruption.budgets[1]: field "node" is unknown: write "nodes"`},
		{"a field of a control's budget that nobody knows", "    drift:\n      budgets:\n      - nodes: 1\n        x: 3", `8: NodePool/a: spec.disruption.drift.budgets[0]: field "x" is unknown: write one of reasons, `},
		{"a field of a budget of another type", "    budgets:\n    - duration: 1h\n      schedule: 5", `7: NodePool/a: spec.disruption.budgets[0]: field "schedule": 5 is not valid: write a string, such as "8h"`},
		{"a budget of another type", "    budgets:\n    - nodes: 1\n    - 10%", `7: NodePool/a: spec.disruption.budgets[1]: budget "10%" is not an object: write one such as {"nodes": "10%"}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			input := head + test.disruption + "\n"
			f := readPools(t, input)
			if got := faultsOf(f); len(got) != 1 || !strings.HasPrefix(got[0], "dir/pools.yaml:"+test.want) {
				t.Errorf("got %q\nwant %s", got, test.want)
			}
			f = readPools(t, "metadata: &x\n  b: 1\n---\n---\nkind: List\nitems:\n- kind: Pod\n- "+strings.ReplaceAll(input, "\n", "\n  "))
			line, message, _ := strings.Cut(test.want, ":")
			if got := faultsOf(f); len(got) != 2 || !strings.HasPrefix(got[1], fmt.Sprintf("dir/pools.yaml:%d:%s", atoi(t, line)+7, message)) {
				t.Errorf("in a list: got %q\nwant %s", got, test.want)
			}
			c := read(t, input)
			if got := texts(c.Warnings()); len(got) != 1 || !strings.HasPrefix(got[0], strings.TrimSpace(message)) || len(c.Pools[0].Blockers) != 1 {
				t.Errorf("for decisions: got %q\nwant %s", got, message)
			}
		})
	}
}

func atoi(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFieldsThatStandTwiceInJSONBlockTheirPool(t *testing.T) {
	const pool = `{"kind": "NodePool", "metadata": {"name": "a"},
		"spec": {"disruption": {"budgets": [{"nodes": "1"},
			{"reasons": ["Drifted"],
			"nodes": "0", "nodes": "100%"}]}}}`
	const want = `NodePool/a: spec.disruption.budgets[1]: field "nodes" appears twice: write it once`
	if got := faultsOf(readPools(t, pool)); len(got) != 1 || got[0] != "dir/pools.yaml:4: "+want {
		t.Errorf("got %q", got)
	}
	c := read(t, pool)
	if got := texts(c.Warnings()); len(got) != 1 || got[0] != want || len(c.Pools[0].Blockers) != 1 {
		t.Errorf("for decisions: got %q", got)
	}
	bare := readPools(t, `{"budgets": [], "x": {}, "budgets": [{}]}`)
	if got := faultsOf(bare); len(got) != 2 || !strings.Contains(got[0]+got[1], `field "budgets" appears twice`) {
		t.Errorf("without a kind: got %q", got)
	}
}

// The last of the fields that share a name has fields of its own, which may be there twice as well.
func TestFieldsThatAppearTwiceInOneThatDoesAreNamed(t *testing.T) {
	const text = `{"kind": "NodePool", "metadata": {"name": "a"}, "spec": {"disruption": {"budgets": [{"nodes": "1"}], "budgets": [{"nodes": "2", "nodes": "3"}]}}}`
	if once := faultsOf(readPools(t, strings.Replace(text, `"nodes": "2", `, "", 1))); len(once) != 1 {
		t.Errorf("got %q", once)
	}
	got := faultsOf(readPools(t, text))
	want := []string{`dir/pools.yaml:1: NodePool/a: spec.disruption: field "budgets" appears twice: write it once`,
		`dir/pools.yaml:1: NodePool/a: spec.disruption.budgets[0]: field "nodes" appears twice: write it once`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestABadBudgetLeavesTheOthersInTheirPlaces(t *testing.T) {
	p := readPools(t, "budgets: [{nodes: 1}, 5, {nodes: 3}]\ndrift: {budgets: [{x: 1}, {nodes: 4}]}").Pools[0]
	want := budget.Spec{
		Budgets: []budget.Budget{{Nodes: "1"}, {Nodes: "0"}, {Nodes: "3"}},
		Drift:   budget.Control{Budgets: []budget.Budget{{Nodes: "0"}, {Nodes: "4"}}},
	}
	if diff := cmp.Diff(want, p.Spec); diff != "" || len(p.Faults) != 2 {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// NodePool of karpenter.sh/v1: "+kubebuilder:default:={{nodes: "10%"}}".
func TestAPoolWithoutBudgets(t *testing.T) {
	for _, test := range []struct {
		rule, input string
		want        []budget.Budget
	}{
		{"in a file has those that the server will write", "kind: NodePool\nmetadata: {name: a}", nil},
		{"from a server has none", "kind: NodePool\nmetadata: {name: a, uid: 1-2}", []budget.Budget{}},
		{"has none if it says so", "kind: NodePool\nmetadata: {name: a}\nspec: {disruption: {budgets: []}}", []budget.Budget{}},
		{"has the default if it says null", "kind: NodePool\nmetadata: {name: a, uid: 1-2}\nspec: {disruption: {budgets: null}}", nil},
		{"has the default beside controls", "kind: NodePool\nmetadata: {name: a, uid: 1-2}\nspec: {disruption: {drift: {}}}", nil},
		{"has the default if it is no pool at all", "consolidateAfter: 5m", nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readPools(t, test.input).Pools[0].Spec.Budgets); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestAStaticPoolIsNeverConsolidated(t *testing.T) {
	p := readPools(t, "kind: NodePool\nmetadata: {name: a}\nspec: {replicas: 3}").Pools[0]
	if set, _ := p.Spec.Compile(); !p.Static || set.Minimum(candidate.Empty).Held != candidate.Forever || set.Minimum(candidate.Drifted).Held != 0 {
		t.Errorf("got %+v", p)
	}
}

func TestWhatIsNoPoolIsNamedOrSkipped(t *testing.T) {
	for _, test := range []struct {
		rule, input string
		want        []string
		skipped     int
	}{
		{"other kinds", "kind: Pod\n---\nkind: NodePool\napiVersion: example.com/v1\n---\nkind: Node\nmetadata: 5", nil, 3},
		{"no kind", "metadata: {}\n---\n\nMetadata: {name: x}", []string{
			"dir/pools.yaml:1: document 1: kind: the object has no kind: write kind: NodePool, or budgets alone",
			"dir/pools.yaml:4: document 2: kind: the object has no kind: write kind: NodePool, or budgets alone"}, 0},
		{"a number in a list", "kind: List\nitems:\n- kind: Pod\n- 5", []string{"dir/pools.yaml:4: document 1, items[1]: 5 is a number: write an object, with kind and metadata"}, 1},
		{"items that are none", "kind: List\nitems: 5", []string{"dir/pools.yaml:2: List at document 1: items: 5 is a number: write a list"}, 0},
		{"text", "NAME  NODES\ngeneral  5", []string{`dir/pools.yaml:1: document 1: "NAME NODES general 5" is not a Kubernetes object: was it printed without -o json?`}, 0},
		{"a list of nothing", "kind: List\nitems: []", nil, 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			f := readPools(t, test.input)
			if diff := cmp.Diff(test.want, faultsOf(f)); diff != "" || f.Skipped != test.skipped || len(f.Pools) > 0 {
				t.Errorf("%d skipped, %v (-want +got)\n%s", f.Skipped, f.Pools, diff)
			}
		})
	}
}

// What misspells a part of a NodePool at the root is not taken for something else.
func TestAnObjectThatIsNoneOfKubernetesIsCountedAndAnyOtherIsAFault(t *testing.T) {
	for input, others := range map[string]int{
		"replicas: 3\nimage: {tag: v1}":         1,
		"a: 1\n---\nb: 2":                       2,
		"kustomization: {budgets: []}":          1,
		"apiversion: karpenter.sh/v1\nspec: {}": 0,
		"Kind: NodePool":                        0,
		"distruption: {budgets: []}":            0,
		"budget: []":                            0,
		"item: []":                              0,
	} {
		if f := readPools(t, input); f.Others != others || len(f.Pools) > 0 || (len(f.Faults) == 0) != (others > 0) {
			t.Errorf("%q: %d others, %v", input, f.Others, f.Faults)
		}
	}
}

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	lost := errors.New("lost connection")
	if _, err := manifest.ReadPools("x", iotest.ErrReader(lost)); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	for _, empty := range []string{"", "\ufeff", "---\n# nothing\n"} {
		if _, err := manifest.ReadPools("x", strings.NewReader(empty)); err == nil || !strings.HasPrefix(err.Error(), "the input is empty") {
			t.Errorf("%q: got %v", empty, err)
		}
	}
}

// A broken document may be what blocks a node.
func TestDecisionsStopAtADocumentThatIsBroken(t *testing.T) {
	_, err := manifest.Read(strings.NewReader(documents(nodePool, "kind: [Pod", node)))
	if err == nil || !strings.HasPrefix(err.Error(), "not valid YAML: line 7: ") {
		t.Errorf("got %v", err)
	}
}

// Whatever the input, reading it does not panic, and what is wrong is on a line of it.
func FuzzReadPools(f *testing.F) {
	for _, seed := range []string{
		documents(nodePool, "kind: [", pod), "budgets: [null, 5, {nodes: []}, {x: 1}]", "drift: {budgets: {}, x: 1}\ndefaults: 5", "a: &a [*a]", "5\n---\n...\n---",
		`{"kind":"NodePool","kind":5,"spec":{"disruption":{"budgets":[{"a":1,"a":2}],"x.y[0]":1}}}`, `[[{"budgets":[1]}],7]`, "%YAML 9.9\n---\na: 1\n",
		"disruption: {? [a] : 1, budgets: [{? {} : 1}]}", "kind: NodePool\n\tx: 1", "spec: {disruption: {<<: {budgets: 5}}}", "kind: \"\x00\"", "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		file, err := manifest.ReadPools("x", strings.NewReader(input))
		if err != nil {
			return
		}
		lines := strings.Count(input, "\n") + 1
		check := func(faults []manifest.Fault) {
			for _, fault := range faults {
				if fault.Place.Line < 1 || fault.Place.Line > lines {
					t.Errorf("%d lines, but %v", lines, fault)
				}
			}
		}
		check(file.Faults)
		for _, p := range file.Pools {
			check(p.Faults)
			_, _ = p.Spec.Compile()
		}
	})
}

func TestNodesThatAStaticPoolLacksAreMissing(t *testing.T) {
	pool := different(t, nodePool, `spec: {replicas: 4}`)
	claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`)
	annotated := different(t, pool, `metadata: {annotations: {disruptkit.dev/pause: "false"}}`)
	stewarded := different(t, pool, `metadata: {annotations: {disruptkit.dev/steward: "true"}}`)
	for _, c := range []struct {
		name string
		as   engine.Engine
		pool string
		want int
	}{
		{"of its replicas", engine.Disruptkit, pool, 3},
		{"none, where it has no replicas", engine.Disruptkit, nodePool, 0},
		{"none to stock Karpenter", engine.Karpenter, annotated, 0},
		{"none to the guard, which leaves a pool without annotations as it is", engine.Guard, pool, 0},
		{"of its replicas, to the guard, in an annotated pool", engine.Guard, annotated, 3},
		{"of its replicas, to the steward, in a pool that asks for it", engine.Steward, stewarded, 3},
	} {
		cluster, err := (manifest.Policy{As: c.as}).Read(strings.NewReader(documents(c.pool, claim, node, noPods)))
		if err != nil {
			t.Fatal(err)
		}
		d := disruptkit.Decide(cluster.Input(now), candidate.Drifted)
		if got := d.Pools[0].Missing; got != c.want || len(d.Allowed) > 0 == (c.want > 0) {
			t.Errorf("%s: %d are missing, and %v may be disrupted", c.name, got, d.Allowed)
		}
	}
}
