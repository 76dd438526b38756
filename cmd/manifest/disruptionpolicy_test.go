package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// poolsOfPolicies are web and api of team a, and gpu of team b: each with three drifted nodes, and no limit of its own.
func poolsOfPolicies() string {
	var s strings.Builder
	for i, name := range []string{"web", "api", "gpu"} {
		fmt.Fprintf(&s, "---\n{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s, labels: {team: %s}}, spec: {disruption: {budgets: [{nodes: 100%%}]}}}\n",
			name, []string{"a", "a", "b"}[i])
		for n := range 3 {
			fmt.Fprintf(&s, `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: %[1]s-%[2]d, labels: {karpenter.sh/nodepool: %[1]s}}
status: {nodeName: %[1]s-%[2]d, providerID: %[1]s-%[2]d, conditions: [{type: Drifted, status: "True", reason: NodePoolDrifted, lastTransitionTime: "2026-11-22T0%[2]d:00:00Z"}]}
---
apiVersion: v1
kind: Node
metadata: {name: %[1]s-%[2]d, labels: {karpenter.sh/nodepool: %[1]s, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", topology.kubernetes.io/zone: z%[2]d}}
spec: {providerID: %[1]s-%[2]d}
status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-20T00:00:00Z"}]}
`, name, n)
		}
	}
	return s.String() + "---\n{apiVersion: v1, kind: PodList, items: []}\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudgetList, items: []}\n"
}

func policy(name, spec string) string {
	return fmt.Sprintf("---\n{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: %s}, spec: %s}\n", name, spec)
}

var noonOfPolicies = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// decidePolicies returns how many nodes of each pool may be disrupted, as "web 3, api 3, gpu 3", and the warnings.
func decidePolicies(t *testing.T, as engine.Engine, text string) (allowed, warnings string) {
	t.Helper()
	c, err := manifest.Policy{As: as}.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	d := c.Decide(c.Input(noonOfPolicies), candidate.Drifted)
	n := map[string]int{}
	for _, a := range d.Allowed {
		n[a.Pool]++
	}
	for _, w := range c.Warnings(d) {
		warnings += w.Error() + "\n"
	}
	return fmt.Sprintf("web %d, api %d, gpu %d", n["web"], n["api"], n["gpu"]), warnings
}

func TestADisruptionPolicyLimitsThePoolsThatItSelects(t *testing.T) {
	const all, teamA = "web 3, api 3, gpu 3", "web 0, api 0, gpu 3"
	const none = "web 0, api 0, gpu 0"
	for _, test := range []struct{ name, policies, want, warning string }{
		{"none", "", all, ""},
		{"a cap of all", policy("cap", "{all: true, budgets: [{nodes: 0}]}"), none, ""},
		{"a team", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 0}]}"), teamA, ""},
		{"a team by expression", policy("a", "{nodePoolSelector: {matchExpressions: [{key: team, operator: NotIn, values: [b]}]}, budgets: [{nodes: 0}]}"), teamA, ""},
		{"without budgets there is no default", policy("a", "{all: true, pause: {until: 2026-11-22T10:00:00Z}}"), all, "spec.pause.until"},
		{"a pause", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, pause: {by: alice}}"), teamA, "DisruptionPolicy/a: spec.pause.until"},
		{"a pause of one pool alone", policy("b", "{nodePoolSelector: {matchLabels: {team: b}}, pause: {by: alice}}"), "web 3, api 3, gpu 0", "DisruptionPolicy/b: spec.pause.until"},
		{"a pause of nothing", policy("a", "{nodePoolSelector: {matchLabels: {team: x}}, pause: {by: alice}}"), all, "selects no NodePool"},
		{"probes that have not run", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, disruptionProbes: [{host: health, port: 80}]}"), teamA, ""},
		{"an empty selector", policy("a", "{nodePoolSelector: {}, budgets: [{nodes: 0}]}"), all, "an empty selector selects nothing"},
		{"no pool with that label", policy("a", "{nodePoolSelector: {matchLabels: {team: x}}, budgets: [{nodes: 0}]}"), all, "selects no NodePool"},
		{"nothing to say", policy("a", "{all: true}"), all, "has no budgets, rollout, disruptionProbes and pause"},
		{"invalid budgets hold what is selected", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: ten}]}"), teamA, `spec.budgets[0].nodes: nodes "ten": write a count`},
		{"a canary of all pools", policy("a", "{all: true, rollout: {waves: [1, 50%]}}"), "web 0, api 1, gpu 0", ""},
		{"a canary of a team, and others as ever", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, rollout: {waves: ['10%'], bake: 1h}}"), "web 0, api 1, gpu 3", ""},
		{"waves that shrink", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, rollout: {waves: [5%, 1%]}}"), teamA,
			`DisruptionPolicy/a: spec.rollout.waves[1]: wave "1%" is not larger than the wave "5%" before it`},
		{"a bake without waves", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, rollout: {bake: 1h}}"), teamA, `spec.rollout.bake: there is no wave that could bake for "1h"`},
		{"waves that are no object", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, rollout: [1]}"), teamA, `spec.rollout: rollout [1] is not an object: write one such as {"waves": ["1", "10%"]}`},
		{"an unknown field of waves", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, rollout: {wave: [1]}}"), teamA, `spec.rollout: field "wave" is unknown`},
		{"an unknown field", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, wave: []}"), teamA, `"wave" is unknown`},
		{"a null", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: null}"), teamA, "null"},
		{"a null within", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 9, reasons: null}]}"), teamA, "null"},
		{"broken topology", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, topology: {patience: soon}}"), teamA, `"soon"`},
		{"a broken probe", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, disruptionProbes: [{host: health}]}"), teamA, "port: it is missing"},
		{"a broken pause", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, pause: {until: soon}}"), teamA, `"soon"`},
		{"a pause that is no object", policy("a", `{nodePoolSelector: {matchLabels: {team: a}}, pause: "true"}`), teamA, "is not an object"},
		{"a broken selector holds all", policy("a", "{nodePoolSelector: {matchLabels: {team: [a]}}}"), none, `nodePoolSelector: field "matchLabels": {"team":["a"]} is not valid: write an object`},
		{"an unknown operator", policy("a", "{nodePoolSelector: {matchExpressions: [{key: team, operator: Like, values: [a]}]}}"), none, `operator "Like" is unknown`},
		{"a misspelt selector", policy("a", "{nodepoolselector: {matchLabels: {team: a}}}"), none, "unknown"},
		{"a misspelt all beside a selector", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, All: true}"), none, "unknown"},
		{"neither", policy("a", "{budgets: [{nodes: 1}]}"), none, "write nodePoolSelector, or all: true"},
		{"both", policy("a", "{all: true, nodePoolSelector: {matchLabels: {team: a}}}"), none, "contradict each other"},
		{"no spec", "---\n{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: a}}\n", none, "no spec"},
		{"a budget at the root", "---\n{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: a}, budgets: [{nodes: 0}], spec: {nodePoolSelector: {matchLabels: {team: a}}}}\n", teamA, `"budgets" is unknown`},
		{"another version", "---\n{apiVersion: disruptkit.dev/v2, kind: DisruptionPolicy, metadata: {name: a}, spec: {nodePoolSelector: {matchLabels: {team: a}}}}\n", teamA, "write disruptkit.dev/v1alpha1"},
		{"a name twice", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 9}]}") + policy("a", "{nodePoolSelector: {matchLabels: {team: x}}, budgets: [{nodes: 9}]}"), teamA, "2 DisruptionPolicies are called"},
		{"an annotation of NodePools", "---\n{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: a, annotations: {disruptkit.dev/pause: \"true\"}}, spec: {nodePoolSelector: {matchLabels: {team: a}}}}\n", teamA, "annotation of NodePools"},
		{"nodes of a pool that is not there", policy("a", "{nodePoolSelector: {matchLabels: {team: a}}, budgets: [{nodes: 9}]}") +
			"---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: x, labels: {karpenter.sh/nodepool: gone}}}\n", teamA, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, e := range []engine.Engine{engine.Disruptkit, engine.Guard, engine.Steward} {
				got, warnings := decidePolicies(t, e, poolsOfPolicies()+test.policies)
				if got != test.want || !strings.Contains(warnings, test.warning) || e == engine.Disruptkit && test.warning == "" && warnings != "" {
					t.Errorf("%s: %s, want %s: %s", e, got, test.want, warnings)
				}
			}
		})
	}
}

func TestStockKarpenterReadsNoDisruptionPolicyAndSaysSo(t *testing.T) {
	broken := policy("a", "{nodePoolSelector: {matchLabels: {team: [a]}}, budgets: [{nodes: 0}]}")
	before, _ := decidePolicies(t, engine.Karpenter, poolsOfPolicies())
	got, warnings := decidePolicies(t, engine.Karpenter, poolsOfPolicies()+broken)
	if got != before || !strings.Contains(warnings, "stock Karpenter reads no DisruptionPolicy, so it limits nothing") {
		t.Errorf("%s, %s", got, warnings)
	}
}

// The memory of a policy is that of its group, and says which pool has its turn.
func TestTheMemoryOfADisruptionPolicyIsItsAnnotation(t *testing.T) {
	for _, turn := range []string{"web", "gpu"} {
		text := poolsOfPolicies() + fmt.Sprintf("---\n{apiVersion: disruptkit.dev/v1alpha1, kind: DisruptionPolicy, metadata: {name: turns, annotations: {disruptkit.dev/memory: '%s'}}, "+
			"spec: {all: true, budgets: [{nodes: 100%%, topologyKey: karpenter.sh/nodepool, sequential: true}]}}\n", `{"roll":{"key":"karpenter.sh/nodepool","domain":"`+turn+`"}}`)
		c, err := manifest.Policy{}.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		d := c.Decide(c.Input(noonOfPolicies), candidate.Drifted)
		key := disruptkit.Group{Name: "turns"}.Key()
		if len(d.Allowed) != 3 || d.Allowed[0].Pool != turn || d.Memory[key].Roll.Domain != turn {
			t.Errorf("%s: %+v, %+v", turn, d.Allowed, d.Memory)
		}
	}
}
