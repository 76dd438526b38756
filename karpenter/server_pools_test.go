package karpenter_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// anotherPool returns a NodePool with a policy, or without one.
func anotherPool(name string, annotations ...string) *v1.NodePool {
	np := world.NewPool(name, v1.Budget{Nodes: "3"})
	np.Annotations = map[string]string{}
	for i := 0; i < len(annotations); i += 2 {
		np.Annotations[annotations[i]] = annotations[i+1]
	}
	return np
}

// oldOf returns the names of the old nodes of a pool.
func (s *story) oldOf(pool string) string {
	return s.names(func(n world.Node) bool { return n.Pool == pool && (n.Old || n.InFlight) })
}

// memoryOf returns the memory of a NodePool, as the server has it, and the text of the annotation.
func (s *story) memoryOf(pool string) (m disruptkit.Memory, text string) {
	s.t.Helper()
	var np v1.NodePool
	if err := s.Client.Get(s.t.Context(), client.ObjectKey{Name: pool}, &np); err != nil {
		s.t.Fatal(err)
	}
	if text = np.Annotations[karpenter.MemoryAnnotation]; text != "" {
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			s.t.Fatal(err)
		}
	}
	return m, text
}

// Of three pools one is rolled zone by zone, one has a pace, and one is paused. Each has its own memory, which Karpenter
// goes on from when it restarts.
func TestServerThreePools(t *testing.T) {
	const pace = time.Minute
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = one
		o.Others = []*v1.NodePool{
			anotherPool("paced", karpenter.DisruptionAnnotation, `budgets: [{nodes: "1", per: 1m}]`),
			anotherPool("paused", karpenter.PauseAnnotation, `{by: alice, why: INC-1234}`),
		}
	})
	s.drift()
	paused, began := s.oldOf("paused"), map[string]time.Time{}
	look := func() {
		for _, n := range s.Nodes() {
			switch _, known := began[n.Name]; {
			case n.Pool != "paced":
			case n.InFlight && !known:
				began[n.Name] = time.Now()
			case !n.InFlight: // the restart came so early that the node was kept: it did not start
				delete(began, n.Name)
			}
		}
	}
	s.until(patience, "a node of the pool with a pace is disrupted", func() bool { look(); return len(began) == 1 })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.until(2*patience, "the nodes of the pools that are not paused are new", func() bool {
		look()
		return s.oldOf("default") == "" && s.oldOf("paced") == ""
	})
	if got := s.oldOf("paused"); got != paused {
		t.Errorf("of the paused pool %q are old, and were %q", got, paused)
	}
	var starts []time.Time
	for _, at := range began {
		starts = append(starts, at)
	}
	slices.SortFunc(starts, time.Time.Compare)
	for i := range starts[1:] {
		if between := starts[i+1].Sub(starts[i]); between < pace-5*time.Second { // a look is some seconds late
			t.Errorf("nodes of the pool with a pace of %s were disrupted %s after one another", pace, between)
		}
	}
	if m, text := s.memoryOf("default"); m.Roll.Key == "" || len(m.Starts) > 0 {
		t.Errorf("the memory of the pool that is rolled is %s", text)
	}
	if m, text := s.memoryOf("paced"); m.Roll.Key != "" || len(m.Starts) == 0 {
		t.Errorf("the memory of the pool with a pace is %s", text)
	}
	if _, text := s.memoryOf("paused"); text != "" {
		t.Errorf("the memory of the paused pool is %s", text)
	}
	for pool, annotation := range map[string]string{"paced": karpenter.DisruptionAnnotation, "paused": karpenter.PauseAnnotation} {
		if err := s.UpdatePoolOf(pool, func(p *v1.NodePool) { delete(p.Annotations, annotation) }); err != nil {
			t.Fatal(err)
		}
	}
	s.rolls(patience)
	if _, text := s.memoryOf("paced"); text != "" {
		t.Errorf("the memory of the pool that has no pace any more is %s", text)
	}
}

// An admission policy denies what the guard writes on a NodePool. It is the first to drift.
func TestServerNodePoolCannotBeWritten(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = one
		o.Others = []*v1.NodePool{
			anotherPool("aaa", karpenter.DisruptionAnnotation, `budgets: [{nodes: "1", per: 1m}]`),
			anotherPool("aab", karpenter.DisruptionAnnotation, one),
			anotherPool("bare"),
		}
	})
	policy, binding := denyMemory("aaa", "aab")
	for _, o := range []client.Object{policy, binding} {
		if err := s.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Client.Delete(context.Background(), o) })
	}
	s.until(patience, "the policy is in force", func() bool {
		err := s.UpdatePoolOf("aaa", func(p *v1.NodePool) { p.Annotations[karpenter.MemoryAnnotation] = "{}" })
		return err != nil && strings.Contains(err.Error(), "nobody writes a memory here")
	})
	if err := s.UpdatePoolOf("aaa", func(p *v1.NodePool) { delete(p.Annotations, karpenter.MemoryAnnotation) }); err != nil {
		t.Fatal(err)
	}
	s.drift()
	old := s.oldOf("aaa") + " " + s.oldOf("aab")
	s.until(patience, "the nodes of the other pools are new", func() bool {
		return s.oldOf("default") == "" && s.oldOf("bare") == ""
	})
	if got := s.oldOf("aaa") + " " + s.oldOf("aab"); got != old {
		t.Errorf("of the pools that cannot be written %q are old, and were %q", got, old)
	}
	for _, pool := range []string{"aaa", "aab"} {
		if !s.told(pool, "the annotation disruptkit.dev/memory cannot be written") || !s.told(pool, "nobody writes a memory here") {
			t.Errorf("no event says that the memory of %s cannot be written", pool)
		}
	}
	if err := s.Client.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
}

// denyMemory returns an admission policy by which no memory is written on some NodePools.
func denyMemory(pools ...string) (*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding) {
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "no-memory"}}
	policy.Spec.MatchConstraints = &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
		ResourceNames: pools,
		RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{"karpenter.sh"}, APIVersions: []string{"v1"}, Resources: []string{"nodepools"}},
		},
	}}}
	policy.Spec.Validations = []admissionv1.Validation{{
		Expression: `!has(object.metadata.annotations) || !("` + karpenter.MemoryAnnotation + `" in object.metadata.annotations)`,
		Message:    "nobody writes a memory here",
	}}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "no-memory"}}
	binding.Spec.PolicyName = policy.Name
	binding.Spec.ValidationActions = []admissionv1.ValidationAction{admissionv1.Deny}
	return policy, binding
}

// Somebody writes the NodePool all the time, also while Karpenter waits before it consolidates.
func TestServerBusyWriter(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodePool.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration("5s")
		o.NodePool.Annotations[karpenter.DisruptionAnnotation] = `budgets: [{nodes: "1", per: 1h}]`
	})
	wrote := time.Now()
	s.always = func() {
		if time.Since(wrote) < 3*time.Second {
			return
		}
		wrote = time.Now()
		if err := s.UpdatePool(func(p *v1.NodePool) { p.Annotations["example.com/at"] = wrote.String() }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Scale("b", 1); err != nil {
		t.Fatal(err)
	}
	s.until(patience, "a node of b is gone", func() bool { return len(s.Nodes()) == 5 })
	if m, text := s.memoryOf("default"); len(m.Starts) != 1 {
		t.Errorf("the memory is %s", text)
	}
}
