package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestPDB(t *testing.T) {
	selecting := func(text string) string { return `spec: {selector: ` + text + `}` }
	requires := func(rs ...candidate.Requirement) func(*candidate.PDB) {
		return func(p *candidate.PDB) { p.Selector.MatchExpressions = rs }
	}
	for _, test := range []struct {
		rule, pdb string
		want      func(*candidate.PDB) // what is different about what is read
	}{
		{"an ordinary PDB", ``, nil},
		{"all labels must match", selecting(`{matchLabels: {tier: front}}`), func(p *candidate.PDB) { p.Selector.MatchLabels["tier"] = "front" }},
		{"a label may have to be empty", selecting(`{matchLabels: {app: ""}}`), func(p *candidate.PDB) { p.Selector.MatchLabels["app"] = "" }},
		{"In", selecting(`{matchExpressions: [{key: tier, operator: In, values: [front, back]}]}`), requires(candidate.Requirement{Key: "tier", Operator: "In", Values: []string{"front", "back"}})},
		{"NotIn", selecting(`{matchExpressions: [{key: tier, operator: NotIn, values: [back]}]}`), requires(candidate.Requirement{Key: "tier", Operator: "NotIn", Values: []string{"back"}})},
		{"Exists", selecting(`{matchExpressions: [{key: tier, operator: Exists}]}`), requires(candidate.Requirement{Key: "tier", Operator: "Exists"})},
		{"DoesNotExist, with an empty list of values", selecting(`{matchExpressions: [{key: tier, operator: DoesNotExist, values: []}]}`), requires(candidate.Requirement{Key: "tier", Operator: "DoesNotExist"})},
		{
			"several expressions", selecting(`{matchExpressions: [{key: a, operator: Exists}, {key: b, operator: Exists}]}`),
			requires(candidate.Requirement{Key: "a", Operator: "Exists"}, candidate.Requirement{Key: "b", Operator: "Exists"}),
		},
		{"an empty selector selects the whole namespace", selecting(`{matchLabels: null}`), func(p *candidate.PDB) { p.Selector.MatchLabels = map[string]string{} }},
		{"an allowance of 0", `status: {disruptionsAllowed: 0}`, func(p *candidate.PDB) { p.DisruptionsAllowed = 0 }},
		{"an allowance of more", `status: {disruptionsAllowed: 7}`, func(p *candidate.PDB) { p.DisruptionsAllowed = 7 }},
		{"without a status nothing is allowed yet", `status: null`, func(p *candidate.PDB) { p.DisruptionsAllowed = 0 }},
		{"without an allowance nothing is allowed yet", `status: {disruptionsAllowed: null, currentHealthy: 3}`, func(p *candidate.PDB) { p.DisruptionsAllowed = 0 }},
		{"less than nothing is nothing", `status: {disruptionsAllowed: -3}`, func(p *candidate.PDB) { p.DisruptionsAllowed = 0 }},
		{"AlwaysAllow", `spec: {unhealthyPodEvictionPolicy: AlwaysAllow}`, func(p *candidate.PDB) { p.AlwaysAllow = true }},
		{"IfHealthyBudget, the default", `spec: {unhealthyPodEvictionPolicy: IfHealthyBudget}`, nil},
		// policy/v1: "Clients making eviction decisions should disallow eviction of unhealthy pods if they encounter an
		// unrecognized policy in this field."
		{"a policy that nobody knows", `spec: {unhealthyPodEvictionPolicy: Sometimes}`, nil},
		{"a PDB without a namespace is in default", `metadata: {namespace: null}`, func(p *candidate.PDB) { p.Namespace = "default" }},
		{"other versions of its API are read", `apiVersion: policy/v1beta1`, nil},
		{"what decisions do not depend on is not looked at", `{metadata: {labels: 5, annotations: 5}, spec: {minAvailable: [5]}}`, nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, different(t, pdb, test.pdb))
			want := candidate.PDB{Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "web"}}}
			if test.want != nil {
				test.want(&want)
			}
			if diff := cmp.Diff([]candidate.PDB{want}, c.Rules.PDBs()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if w := c.Warnings(disruptkit.Decision{Warnings: c.Rules.Warnings()}); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

// Which PDBs block the node of the pod shop/web-1.
func TestWhatAPDBBlocks(t *testing.T) {
	const has = "pod shop/web-1 has PDB shop/web, which "
	for _, test := range []struct {
		rule, pdb, pod string
		want           string
		warnings       []string
	}{
		{rule: "one that allows a disruption: nothing"},
		{rule: "one that allows none", pdb: `status: {disruptionsAllowed: 0}`, want: "pod/allows-none: " + has + "allows no disruption now"},
		{rule: "one without a status", pdb: `status: null`, want: "pod/allows-none: " + has + "allows no disruption now"},
		{rule: "one of another namespace: nothing", pdb: `{metadata: {namespace: data}, status: {disruptionsAllowed: 0}}`},
		{rule: "one without a namespace, of a pod of the default one", pdb: `{metadata: {namespace: null}, status: null}`, pod: `metadata: {namespace: default}`,
			want: "pod/allows-none: pod default/web-1 has PDB default/web, which allows no disruption now"},
		{rule: "one that selects others: nothing", pdb: `{spec: {selector: {matchLabels: {app: db}}}, status: null}`},
		{rule: "one whose selector is {}", pdb: `{spec: {selector: {matchLabels: null}}, status: null}`, want: "pod/allows-none: " + has + "allows no disruption now"},
		{rule: "one whose selector is absent: nothing", pdb: `{spec: {selector: null}, status: null}`,
			warnings: []string{"PodDisruptionBudget/shop/web: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all"}},
		{rule: "one that is not valid", pdb: `{spec: {selector: {matchExpressions: [{key: app, operator: Is, values: [db]}]}}}`,
			want:     `pod/invalid-pdb: pod shop/web-1 may have PDB shop/web, which is not valid: spec.selector.matchExpressions[0].operator: operator "Is" is unknown: write In, NotIn, Exists or DoesNotExist`,
			warnings: []string{`PodDisruptionBudget/shop/web: spec.selector.matchExpressions[0].operator: operator "Is" is unknown: write In, NotIn, Exists or DoesNotExist`}},
		{rule: "one of a static pod: nothing", pdb: `status: null`, pod: `metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: node-1}]}`},
		{rule: "one of a pod that has finished: nothing", pdb: `status: null`, pod: `status: {phase: Failed}`},
		{rule: "one of a pod that terminates: nothing", pdb: `status: null`, pod: `metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"}`},
		{rule: "AlwaysAllow, and the pod is not Ready: nothing", pdb: `{spec: {unhealthyPodEvictionPolicy: AlwaysAllow}, status: null}`, pod: `status: {conditions: [{type: Ready, status: "False"}]}`},
		{rule: "AlwaysAllow, and the pod is Ready", pdb: `{spec: {unhealthyPodEvictionPolicy: AlwaysAllow}, status: null}`, want: "pod/allows-none: " + has + "allows no disruption now"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(nodePool, drifted(t), node, different(t, pod, test.pod), different(t, pdb, test.pdb)))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			wantBlockers(t, d, test.want)
			if diff := cmp.Diff(test.warnings, texts(c.Warnings(d, d))); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}
