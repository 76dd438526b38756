package steward

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

type noProbes struct{}

func (noProbes) Set([]httpget.Spec)                       {}
func (noProbes) Verdicts(...httpget.Spec) []probe.Verdict { return nil }

// For which reasons Karpenter could take a node that it may consolidate, with a pod that has to move and without.
func TestConsolidatableNodesHaveTheReasonForWhichKarpenterTakesThem(t *testing.T) {
	for _, c := range []struct {
		rule   string
		after  string
		policy v1.ConsolidationPolicy
		pods   bool
		want   candidate.Reason
	}{
		{"a node with pods", "30s", v1.ConsolidationPolicyWhenEmptyOrUnderutilized, true, candidate.Underutilized},
		{"a node without", "30s", v1.ConsolidationPolicyWhenEmptyOrUnderutilized, false, candidate.Empty},
		{"a node with pods, of a pool that is consolidated only when empty", "30s", v1.ConsolidationPolicyWhenEmpty, true, ""},
		{"a node without, of such a pool", "30s", v1.ConsolidationPolicyWhenEmpty, false, candidate.Empty},
		{"a node of a pool that is never consolidated", v1.Never, v1.ConsolidationPolicyWhenEmptyOrUnderutilized, false, ""},
	} {
		np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "p", Annotations: map[string]string{annotation.Steward: "true"}}}
		np.Spec.Disruption.ConsolidateAfter = v1.MustParseNillableDuration(c.after)
		np.Spec.Disruption.ConsolidationPolicy = c.policy
		labels := map[string]string{v1.NodePoolLabelKey: "p", v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true"}
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n", Labels: labels}}
		n.Spec.ProviderID = "fake://n"
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		claim := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Labels: labels}}
		claim.Status.ProviderID = n.Spec.ProviderID
		claim.StatusConditions().SetTrue(v1.ConditionTypeConsolidatable)
		builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(np, n, claim)
		if c.pods {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "default"}}
			pod.Spec.NodeName = "n"
			builder = builder.WithObjects(pod)
		}
		s := &Steward{Client: builder.Build(), Prober: noProbes{}, Clock: func() time.Time { return noon }}
		s.ready()
		shot, _, err := s.look(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got candidate.Reason
		if conditions := shot.Input.Nodes[0].Conditions; len(conditions) > 0 {
			got = conditions[0].Reason
		}
		if got != c.want || len(shot.Input.Pools) != 1 {
			t.Errorf("%s: the reason is %q, want %q", c.rule, got, c.want)
		}
		if _, err := s.Pass(context.Background()); err != nil {
			t.Errorf("%s: %v", c.rule, err)
		}
		if err := s.Client.Get(context.Background(), client.ObjectKeyFromObject(n), n); err != nil || annotation.ReadMark(n.Annotations).Disrupt != annotation.Ours {
			t.Errorf("%s: the node is not held: %v, %v", c.rule, n.Annotations, err)
		}
	}
}
