package karpenter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
)

// annotatedPool returns a NodePool with annotations: names without their prefix, and texts.
func annotatedPool(texts map[string]string, budgets ...v1.Budget) *v1.NodePool {
	np := newNodePool("default", budgets...)
	np.Annotations = map[string]string{"example.com/owner": "web"}
	for name, text := range texts {
		np.Annotations["disruptkit.dev/"+name] = text
	}
	return np
}

// budgetTexts returns what budgets say.
func budgetTexts(set budget.Set) (texts []string) {
	for _, b := range set.Budgets() {
		texts = append(texts, b.String())
	}
	return texts
}

func TestANodePoolIsReadAsAPolicy(t *testing.T) {
	np := annotatedPool(map[string]string{
		"disruption": `budgets: [{nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true}]`,
		"probes":     `[{host: health.svc, port: 8080}]`,
		"topology":   `{patience: 30m, soak: 5m, unlabelled: Block, unsettled: true}`,
		"memory":     `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a","idleSince":"2026-11-20T11:00:00Z"}}`,
	}, v1.Budget{Nodes: "20%"})
	np.Labels = map[string]string{"team": "web"}
	p := karpenter.ToPolicy(np, nil)
	if p.Name != "default" || p.Labels["team"] != "web" || len(p.Blockers)+len(p.Warnings) > 0 || p.Verdicts != nil {
		t.Errorf("%+v", p)
	}
	if diff := cmp.Diff([]string{"20%", "1 per topology.kubernetes.io/zone, one at a time"},
		budgetTexts(p.Budgets)); diff != "" {
		t.Error(diff)
	}
	if len(p.Probes) != 1 || p.Probes[0].String() != "http://health.svc:8080/" {
		t.Error(p.Probes)
	}
	if p.Topology.Patience != 30*time.Minute || p.Topology.Soak != 5*time.Minute || !p.Topology.Unsettled ||
		p.Topology.Unlabelled == 0 {
		t.Errorf("%+v", p.Topology)
	}
	if r := p.Memory.Roll; r.Key != corev1.LabelTopologyZone || r.Domain != "a" || !r.IdleSince.Equal(hourAgo) {
		t.Errorf("%+v", r)
	}
}

func TestAPoolHasTheLabelsOfItsNodes(t *testing.T) {
	requirement := func(key string, operator corev1.NodeSelectorOperator,
		values ...string) v1.NodeSelectorRequirementWithMinValues {
		return v1.NodeSelectorRequirementWithMinValues{Key: key, Operator: operator, Values: values}
	}
	np := newNodePool("default")
	np.Labels = map[string]string{"own": "np", "team": "np"}
	np.Spec.Template.Labels = map[string]string{"team": "template", "tier": "template"}
	np.Spec.Template.Spec.Requirements = []v1.NodeSelectorRequirementWithMinValues{
		requirement(
			"team",
			corev1.NodeSelectorOpIn,
			"requirement",
		), requirement("tier", corev1.NodeSelectorOpIn, "requirement"),
		requirement("arch", corev1.NodeSelectorOpIn, "arm64"), requirement("zone", corev1.NodeSelectorOpIn, "a", "b"),
		requirement("os", corev1.NodeSelectorOpNotIn, "windows"), requirement("gpu", corev1.NodeSelectorOpExists),
	}
	want := map[string]string{"own": "np", "team": "np", "tier": "template", "arch": "arm64", "karpenter.sh/nodepool": "default"}
	if diff := cmp.Diff(want, karpenter.ToPolicy(np, nil).Labels); diff != "" {
		t.Error(diff)
	}
	if len(np.Labels) != 2 || len(np.Spec.Template.Labels) != 2 {
		t.Error("the labels of the NodePool have changed")
	}
}

func TestBudgetsOfTheAnnotationComeAfterThoseOfTheNodePool(t *testing.T) {
	for _, tt := range []struct {
		name       string
		budgets    []v1.Budget
		annotation string
		want       []string
	}{
		{name: "no list at all", want: nil},
		{name: "no list but that of the annotation", annotation: `budgets: [{nodes: "2"}]`, want: []string{"2"}},
		{name: "a list and an annotation without one", budgets: []v1.Budget{{Nodes: "1"}}, annotation: "{}",
			want: []string{"1"}},
		{name: "an annotation with an empty list", budgets: []v1.Budget{{Nodes: "1"}}, annotation: "budgets: []",
			want: []string{"1"}},
		{name: "no list, and an annotation with none", annotation: "budgets: null", want: nil},
		{
			name: "both in YAML", budgets: []v1.Budget{{Nodes: "1"}, {Nodes: "2"}},
			annotation: "budgets:\n- nodes: 30%\n  reasons: [Drift:AMIDrift]\n- {}\n", want: []string{"1", "2",
				"30% (Drift:AMIDrift)", "10%"},
		},
		{
			name: "both in JSON", budgets: []v1.Budget{{Nodes: "1"}},
			annotation: `{"budgets":[{"nodes":5,"schedule":"@daily","duration":"8h","timeZone":"UTC","outside":true}]}`,
			want:       []string{"1", "5 (outside @daily for 8h, UTC)"},
		},
		{
			name: "a control", budgets: []v1.Budget{{Nodes: "1"}},
			annotation: "drift: {budgets: [{nodes: 3}]}", want: []string{"1", "3 (Drifted)"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			annotations := map[string]string{"disruption": tt.annotation}
			if tt.annotation == "" {
				annotations = nil
			}
			p := karpenter.ToPolicy(annotatedPool(annotations, tt.budgets...), nil)
			if diff := cmp.Diff(tt.want, budgetTexts(p.Budgets)); diff != "" {
				t.Error(diff)
			}
			if len(p.Blockers)+len(p.Warnings) > 0 || p.Budgets.Broken() != 0 {
				t.Errorf("%v, %v, %v", p.Blockers, p.Warnings, p.Budgets.Warnings())
			}
		})
	}
}

func TestBudgetsMayNameTheReasonsOfDeclaredMethods(t *testing.T) {
	np := newNodePool("default", v1.Budget{Nodes: "1", Reasons: []v1.DisruptionReason{"Rightsized"}})
	if p := karpenter.ToPolicy(np, nil); p.Budgets.Broken().String() != "0" {
		t.Errorf("the reason is not declared: %v", p.Budgets.Warnings())
	}
	p := karpenter.ToPolicy(np, nil, "Rightsized")
	if allowance, err := budget.AllowedByReason(p.Budgets, noon, 10, "Rightsized"); err != nil || allowance.Nodes != 1 {
		t.Errorf("%+v, %v", allowance, err)
	}
}

// allowed is how many nodes of a pool of n may be disrupted for a reason, by its blockers and budgets; zones are another matter.
func allowed(p karpenter.Policy, at time.Time, n int, reason candidate.Reason) int {
	if len(p.Blockers) > 0 {
		return 0
	}
	allowance, err := budget.AllowedByReason(p.Budgets, at, n, reason)
	if err != nil {
		return 0
	}
	return allowance.Nodes
}

// Annotations only take away, but for one thing: where the most specific budgets are to decide, or controls, which
// imply that, budgets of the NodePool may be passed over, as is meant. Karpenter's own number is the cap then: a guard
// hands out no more than it gets.
func TestAnnotationsNeverAllowMoreNodes(t *testing.T) {
	passedOver := 0
	rounds(t, 20, func(t *rapid.T) {
		budgets := drawBudgets(t)
		texts := drawAnnotations(t)
		with, without := karpenter.ToPolicy(
			annotatedPool(texts, budgets...), nil,
		), karpenter.ToPolicy(
			newNodePool("default", budgets...), nil,
		)
		at, nodes := drawNow(t), rapid.IntRange(0, 30).Draw(t, "nodes")
		for _, reason := range append(candidate.Methods(), "Drifted/AMIDrift") {
			more, less := allowed(with, at, nodes, reason), allowed(without, at, nodes, reason)
			switch {
			case more <= less:
			case with.Budgets.MostSpecific():
				passedOver++
			default:
				t.Fatalf("%s: %d may be disrupted, without annotations %d: %v", reason, more, less, with.Budgets.Budgets())
			}
		}
	})
	if passedOver == 0 && !testing.Short() {
		t.Error("the most specific budgets never allow more nodes")
	}
}

// drawAnnotations draws annotations that can be read, the most of them, and that limit something or not.
func drawAnnotations(t *rapid.T) map[string]string {
	texts := map[string]string{}
	for name, values := range map[string][]string{
		"disruption": {
			"{}", "budgets: []", "budgets: null", "budgets: [{}]", "consolidationPolicy: WhenEmpty", "consolidateAfter: Never",
			"drift: {disruptAfter: 1h}", "drift: {budgets: [{nodes: 7}]}", "defaults: {budgets: []}",
			"emptiness: {budgets: [{nodes: 100%}]}",
			"defaults: {budgets: [{nodes: 50%}]}", "budgets: [{nodes: ten}]", "budgets: {}", "budgets: [{reasons: []}]",
		},
		"most-specific": {"true", "false", "maybe"},
		"topology":      {"patience: 5m", "{}", "patience: soon"},
		"probes":        {"[]", "[{host: health.svc, port: 80}]", "[{}]", "host: health.svc"},
		"memory":        {`{"roll":{"key":"zone","domain":"a"}}`, "x"},
		"roll":          {`{"key":"zone","domain":"a"}`, "x"},
		"rolls":         {"x"},
	} {
		if onceIn(t, 3, name) {
			texts[name] = rapid.SampledFrom(values).Draw(t, "text")
		}
	}
	if rapid.Bool().Draw(t, "has budgets") {
		texts["disruption"] = fmt.Sprintf("budgets: [%s, %s]", drawEntry(t), drawEntry(t))
	}
	return texts
}

// drawEntry draws a budget with the fields that only the annotation has.
func drawEntry(t *rapid.T) string {
	return fmt.Sprintf(
		"{nodes: %s%s%s%s}",
		rapid.SampledFrom([]string{"0", "1", "5", "20%", "100%", "many"}).Draw(t, "nodes"),
		rapid.SampledFrom([]string{"", ", reasons: [Drifted]", ", reasons: [Drift:AMIDrift]", ", reasons: [Empty, Expired]",
			", reasons: []"}).
			Draw(t, "reasons"),
		rapid.SampledFrom([]string{"", `, schedule: "0 9 * * *", duration: 8h`,
			`, schedule: "0 9 * * *", duration: 8h, timeZone: Asia/Tokyo, outside: true`}).
			Draw(t, "when"),
		rapid.SampledFrom([]string{"", "", ", topologyKey: zone", ", topologyKey: zone, sequential: true"}).Draw(t, "where"),
	)
}

// "If neither a NodePool nor its pods are annotated, Karpenter disrupts it as before": README.md. So it may disrupt a static pool
// that is still growing: "should drift nodes when we can acquire limits" (staticdrift_test.go of v1.15).
func TestAnAnnotatedStaticPoolShouldHaveItsReplicas(t *testing.T) {
	for _, c := range []struct {
		annotation, text string
		want             int
	}{
		{"", "", 0},
		{"example.com/steward", "true", 0},
		{karpenter.MemoryAnnotation, "{}", 0},
		{karpenter.DisruptionAnnotation, "{}", 7},
		{karpenter.PauseAnnotation, "false", 7},
		{"disruptkit.dev/steward", "true", 7},
		{"disruptkit.dev/paws", "true", 7}, // unknown, and blocks all
	} {
		np := newNodePool("default")
		if c.annotation != "" {
			np.Annotations = map[string]string{c.annotation: c.text}
		}
		if got := karpenter.ToPolicy(np, nil).Desired; got != 0 {
			t.Errorf("%s: %d without replicas", c.annotation, got)
		}
		np.Spec.Replicas = new(int64(7))
		if got := karpenter.ToPolicy(np, nil).Desired; got != c.want {
			t.Errorf("%s: %d of 7 replicas, want %d", c.annotation, got, c.want)
		}
	}
}
