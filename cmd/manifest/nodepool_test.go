package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Karpenter's ShouldDisrupt: of emptiness, "If consolidation is disabled, don't do anything"; of consolidation, "Disable
// consolidation for static NodePool" and "WhenEmpty pools only allow empty-node deletions".
func TestWhatAPoolNeverConsolidates(t *testing.T) {
	const drifted = `status: {conditions: [{type: Drifted, status: "True"}, {type: Consolidatable, status: "True"}]}`
	for _, test := range []struct {
		rule, pool               string
		noEmpty, noUnderutilized bool
	}{
		{"WhenEmptyOrUnderutilized: both", ``, false, false},
		{"Balanced: both", `spec: {disruption: {consolidationPolicy: Balanced}}`, false, false},
		{"no policy is WhenEmptyOrUnderutilized", `spec: {disruption: {consolidationPolicy: null}}`, false, false},
		{"WhenEmpty: empty nodes alone", `spec: {disruption: {consolidationPolicy: WhenEmpty}}`, false, true},
		{"consolidateAfter Never: neither", `spec: {disruption: {consolidateAfter: Never}}`, true, true},
		{"a static pool: neither", `spec: {replicas: 3}`, true, true},
		{"a static pool of none: neither", `spec: {replicas: 0}`, true, true},
	} {
		t.Run(test.rule, func(t *testing.T) {
			pool, claim := different(t, nodePool, test.pool), different(t, nodeClaim, drifted)
			wantConditions := func(never bool, reason candidate.Reason, objects ...string) {
				t.Helper()
				want := []candidate.Condition{{Reason: candidate.Drifted}}
				if !never {
					want = append(want, candidate.Condition{Reason: reason})
				}
				if diff := cmp.Diff(want, read(t, documents(objects...)).Nodes[0].Conditions); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
			wantConditions(test.noEmpty, candidate.Empty, pool, claim, node, noPods)
			wantConditions(test.noUnderutilized, candidate.Underutilized, pool, claim, node, pod)
		})
	}
}

func TestBudgets(t *testing.T) {
	unlimited := budget.Unlimited
	for _, test := range []struct {
		rule, budgets                 string
		drifted, empty, underutilized int // allowed of 20 nodes
	}{
		{"budgets are those of karpenter.sh/v1", `[{nodes: "10%"}, {nodes: "1", reasons: [Drifted]}]`, 1, 2, 2},
		{"a count may be a number", `[{nodes: 3}]`, 3, 3, 3},
		{"an empty list is no limit", `[]`, unlimited, unlimited, unlimited},
		{"null is the default, which the API server fills in", `null`, 2, 2, 2},
	} {
		t.Run(test.rule, func(t *testing.T) {
			pool := `{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {disruption: {budgets: ` + test.budgets + `}}}`
			wantAllowed(t, pool, test.drifted, test.empty, test.underutilized)
		})
	}
	t.Run("no list is no limit", func(t *testing.T) {
		wantAllowed(t, different(t, nodePool, `spec: {disruption: {budgets: null}}`), unlimited, unlimited, unlimited)
	})
}

func wantAllowed(t *testing.T, pool string, want ...int) {
	t.Helper()
	set := read(t, pool).Pools[0].Budgets
	for i, reason := range []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized} {
		if got, _ := budget.AllowedByReason(set, now, 20, reason); got.Nodes != want[i] {
			t.Errorf("%s: %d may be disrupted, want %d", reason, got.Nodes, want[i])
		}
	}
}

func TestABrokenPoolIsBlockedAndItsFaultIsNamedOnce(t *testing.T) {
	for _, test := range []struct{ rule, pool, want string }{
		{"spec is text", `spec: 5`, `NodePool/general: spec: 5 is a number: write an object, with fields`},
		{"disruption is a list", `spec: {disruption: []}`, `NodePool/general: spec.disruption: [] is a list: write an object, with fields`},
		{"budgets are no list", `spec: {disruption: {budgets: "10%"}}`, `NodePool/general: spec.disruption.budgets: "10%" is text: write a list`},
		{"replicas are text", `spec: {replicas: three}`, `NodePool/general: spec.replicas: "three" is text: write a whole number`},
		{"replicas are a fraction", `spec: {replicas: 1.5}`, `NodePool/general: spec.replicas: 1.5 is a number: write a whole number`},
		{"a policy that nobody knows", `spec: {disruption: {consolidationPolicy: WhenFull}}`, `NodePool/general: spec.disruption.consolidationPolicy: consolidationPolicy "WhenFull" is unknown: write WhenEmpty, WhenEmptyOrUnderutilized or Balanced; until then, it is treated as WhenEmpty`},
		{"a time that is none", `spec: {disruption: {consolidateAfter: soon}}`, `NodePool/general: spec.disruption.consolidateAfter: consolidateAfter "soon" is not a duration: write one such as 30s, or Never; until then, it is treated as Never`},
		{"an invalid budget", `spec: {disruption: {budgets: [{nodes: "10%"}, {nodes: "0", schedule: 0 9 * * sat-sun, duration: 8h}]}}`, `NodePool/general: spec.disruption.budgets[1].schedule: cron expression "0 9 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`},
		{"a budget whose nodes are neither text nor a number", `spec: {disruption: {budgets: [{nodes: "10%"}, {nodes: true}]}}`, `NodePool/general: spec.disruption.budgets[1]: field "nodes": true is neither a string nor a number: write a count such as 5, or a percentage such as "10%"`},
		{"a budget with an empty schedule", `spec: {disruption: {budgets: [{schedule: "", duration: 1h}]}}`, `NodePool/general: spec.disruption.budgets[0]: field "schedule": "" is empty: leave the field out for its default`},
		{"a budget with a schedule that is no text", `spec: {disruption: {budgets: [{schedule: 9}]}}`, `NodePool/general: spec.disruption.budgets[0]: field "schedule": 9 is not valid: write a string, such as "8h"`},
		{"a budget with a field that is unknown", `spec: {disruption: {budgets: [{nodes: "1", Outside: true}]}}`, `NodePool/general: spec.disruption.budgets[0]: field "Outside" is unknown: write "outside"`},
		{"a budget that is not an object", `spec: {disruption: {budgets: [5]}}`, `NodePool/general: spec.disruption.budgets[0]: budget 5 is not an object: write one such as {"nodes": "10%"}`},
		{"a budget that is null", `spec: {disruption: {budgets: [null]}}`, `NodePool/general: spec.disruption.budgets[0]: null is not a budget: delete it`},
		{"labels that are no object", `metadata: {labels: gpu}`, `NodePool/general: metadata.labels: "gpu" is text: write an object, with fields`},
		{"a label that is no text", `metadata: {labels: {gpu: true}}`, `NodePool/general: metadata.labels[gpu]: true is a boolean: write a quoted string`},
		{"a label of the template that is no text", `spec: {template: {metadata: {labels: {gpu: 1}}}}`, `NodePool/general: spec.template.metadata.labels[gpu]: 1 is a number: write a quoted string`},
		{"requirements that are no list", `spec: {template: {spec: {requirements: {}}}}`, `NodePool/general: spec.template.spec.requirements: {} is an object: write a list`},
		{"a requirement whose values are no list", `spec: {template: {spec: {requirements: [{key: gpu, operator: In, values: x}]}}}`, `NodePool/general: spec.template.spec.requirements[0].values: "x" is text: write a list`},
		{"a requirement whose operator is no text", `spec: {template: {spec: {requirements: [{key: gpu, operator: 5}]}}}`, `NodePool/general: spec.template.spec.requirements[0].operator: 5 is a number: write a quoted string`},
		{"no name", `metadata: {name: null}`, `NodePool at document 1: metadata.name: the object has no name: write its name in the cluster`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
			c := read(t, documents(different(t, nodePool, test.pool), claim, node))
			d := disruptkit.Decide(c.Input(now), candidate.Drifted)
			if len(d.Allowed) > 0 || len(d.Blocked) != 1 {
				t.Errorf("not blocked: %+v", d)
			}
			if diff := cmp.Diff([]string{test.want}, texts(c.Warnings(d, d))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestACandidateOfABrokenPoolSaysWhatIsBroken(t *testing.T) {
	claim := different(t, nodeClaim, `status: {conditions: [{type: Drifted, status: "True"}]}`)
	c := read(t, documents(different(t, nodePool, `spec: {replicas: three}`), claim, node))
	d := disruptkit.Decide(c.Input(now), candidate.Drifted)
	blocker := d.Blocked[0].Blockers[0]
	if blocker.String() != `node/unreadable: NodePool/general: spec.replicas: "three" is text: write a whole number` {
		t.Errorf("got %v", blocker)
	}
}
