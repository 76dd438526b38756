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

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/standing"
)

// A pass that releases a node stores that, and writes the status over it; a pass at rest writes nothing; and who is opted in no more has none.
func TestTheStewardKeepsTheStatusOfAPool(t *testing.T) {
	ctx := context.Background()
	np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p", Annotations: map[string]string{annotation.Steward: "true"}}}
	labels := map[string]string{v1.NodePoolLabelKey: "p", v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true"}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n", Labels: labels, CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour))}}
	n.Spec.ProviderID = "fake://n"
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	claim := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Labels: labels}}
	claim.Status.ProviderID, claim.Status.NodeName = n.Spec.ProviderID, "n"
	claim.StatusConditions().SetTrue(v1.ConditionTypeInitialized)
	claim.StatusConditions().SetTrue(v1.ConditionTypeDrifted)
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(np, n, claim).Build()
	now := noon
	s := &Steward{Client: kube, Prober: noProbes{}, Clock: func() time.Time { return now }}
	releases := ""
	pass := func(after time.Duration) (standing.Status, string) {
		t.Helper()
		now = now.Add(after)
		if _, err := s.Pass(ctx); err != nil {
			t.Fatal(err)
		}
		var now v1.NodePool
		if err := kube.Get(ctx, client.ObjectKeyFromObject(np), &now); err != nil {
			t.Fatal(err)
		}
		releases = now.Annotations[annotation.Releases]
		return standing.Read(now.Annotations[annotation.Status]), now.ResourceVersion
	}
	st, _ := pass(0)
	if st.By != "steward" || st.Phase != standing.Progressing || st.ToGo != 1 {
		t.Errorf("%+v", st)
	}
	pass(11 * time.Second)
	_, before := pass(11 * time.Second)
	if releases == "" {
		t.Error("the node is not released")
	}
	if _, after := pass(11 * time.Second); after != before {
		t.Error("a pass in which nothing changes has written the NodePool")
	}
	var there v1.NodePool
	if err := kube.Get(ctx, client.ObjectKeyFromObject(np), &there); err != nil {
		t.Fatal(err)
	}
	delete(there.Annotations, annotation.Steward)
	if err := kube.Update(ctx, &there); err != nil {
		t.Fatal(err)
	}
	if st, _ := pass(11 * time.Second); st.Phase != "" {
		t.Errorf("it is opted in no more: %+v", st)
	}
}
