package cluster

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPolicyThatSaysSomethingElseThanItSeemsToIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no pools":                                   {`{}`, `it has no pools: write "pools: [{name: workers, selector: \"\"}]"`},
		"a field is unknown":                         {`pools: [{name: a, selector: "", budget: []}]`, `unknown field "budget"`},
		"a field of disruption is unknown":           {`pools: [{name: a, selector: "", disruption: {budget: []}}]`, `budget`},
		"no name":                                    {`pools: [{selector: a=b}]`, `pools[0] is called "": write a name`},
		"one name twice":                             {`pools: [{name: a, selector: ""}, {name: a, selector: ""}]`, `pools[1] is called "a": write a name that no other pool has`},
		"no selector":                                {`pools: [{name: a}]`, `pool a has no selector: write one, or selector: "" for all nodes`},
		"a selector that is null":                    {`pools: [{name: a, selector: null}]`, `pool a has no selector`},
		"a second document":                          {"pools: [{name: a, selector: b}]\n---\npolicies: []", `more than one document`},
		"a second document after dots":               {"pools: [{name: a, selector: b}]\n...\npools: []", `more than one document`},
		"probes that nobody asks":                    {`pools: [{name: a, selector: "", disruption: {disruptionProbes: [{host: a, port: 1}]}}]`, `leave them out`},
		"a readiness that nobody asks":               {`pools: [{name: a, selector: "", disruption: {disruptionReadiness: {host: a, port: 1}}}]`, `leave them out`},
		"a broken selector":                          {`pools: [{name: a, selector: "a in b"}]`, `pool a: selector "a in b"`},
		"an invalid budget":                          {`pools: [{name: a, selector: "", disruption: {budgets: [{nodes: many}]}}]`, `pool a: `},
		"a policy that is broken":                    {`{pools: [{name: a, selector: ""}], policies: [{metadata: {name: p}, spec: {all: true, budget: []}}]}`, `policies[0]: DisruptionPolicy/p: spec.budget`},
		"a policy without a name":                    {`{pools: [{name: a, selector: ""}], policies: [{spec: {all: true, budgets: [{nodes: "1"}]}}]}`, `policies[0]: it is called ""`},
		"a policy of no pool":                        {`{pools: [{name: a, selector: ""}], policies: [{metadata: {name: p}, spec: {nodePoolSelector: {matchLabels: {a: b}}, budgets: [{nodes: "1"}]}}]}`, `limits nothing`},
		"a policy whose probes nobody asks":          {`{pools: [{name: a, selector: ""}], policies: [{metadata: {name: p}, spec: {all: true, disruptionProbes: [{host: a, port: 1}]}}]}`, `leave them out`},
		"a policy with a reason that is unknown":     {`{pools: [{name: a, selector: ""}], policies: [{metadata: {name: p}, spec: {all: true, budgets: [{nodes: "1", reasons: [Maintenance]}]}}]}`, `Maintenance`},
		"a reason that no budget of the program has": {`pools: [{name: a, selector: "", disruption: {budgets: [{nodes: "1", reasons: [Maintenance]}]}}]`, `Maintenance`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParsePolicy([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %s", err, c.want)
			}
		})
	}
}

func TestTheFirstPoolThatSelectsANodeHasIt(t *testing.T) {
	p, err := ParsePolicy([]byte(`pools: [{name: gpu, selector: gpu}, {name: workers, selector: "!control-plane"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]string{"gpu": "gpu", "cpu": "workers", "control-plane": ""} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{label: ""}}}
		if got := p.Pool(n); got != want {
			t.Errorf("a node with the label %s is in pool %q, want %q", label, got, want)
		}
	}
}
