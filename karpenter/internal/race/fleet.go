package race

import (
	"context"
	"fmt"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	fakecloud "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"

	"github.com/disruptkit/disruptkit/karpenter"
)

// pools is how many NodePools share the nodes of a fleet.
const pools = 5

// A Fleet is a cluster as Karpenter knows it. Of 50 nodes, one is being deleted, one is not Ready, and some have
// drifted.
//
// Nodes are lighter than real ones, which have images, managed fields and the requests of their pods besides. Nothing
// runs on them.
type Fleet struct {
	nodes  int
	client client.Client
	cloud  *fakecloud.CloudProvider
	clock  *still
	state  *state.Cluster
}

// NewFleet returns a fleet of so many nodes.
func NewFleet(nodes int) (*Fleet, error) {
	ctx := context.Background()
	f := &Fleet{nodes: nodes, cloud: fakecloud.NewCloudProvider(), clock: &still{now: friday}}
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string {
			return []string{o.(*corev1.Pod).Spec.NodeName}
		})
	for i := range pools {
		builder = builder.WithObjects(nodePool(i))
	}
	f.client = builder.Build()
	f.state = state.NewCluster(f.clock, f.client, f.cloud)
	for i := range nodes {
		f.state.UpdateNodeClaim(nodeClaim(i))
		if err := f.state.UpdateNode(ctx, node(i)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// guards returns what guards share.
func (f *Fleet) guards() *karpenter.Cluster {
	return &karpenter.Cluster{
		Client: f.client, State: f.state, Clock: f.clock, Recorder: dropped{}, CloudProvider: f.cloud,
	}
}

// dropped is a recorder that drops events.
type dropped struct{}

func (dropped) Publish(...events.Event) {}

// nodePool returns a NodePool with a budget for always, one for office hours, and one for drift at night.
func nodePool(i int) *v1.NodePool {
	office, night := "0 9 * * mon-fri", "0 22 * * *"
	hours := &metav1.Duration{Duration: 8 * time.Hour}
	pool := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: poolName(i), UID: types.UID(poolName(i))}}
	pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{
		Group: "karpenter.test.sh", Kind: "TestNodeClass", Name: "default",
	}
	pool.Spec.Disruption.Budgets = []v1.Budget{
		{Nodes: "20%"},
		{Nodes: fmt.Sprintf("%d%%", 6+i), Schedule: &office, Duration: hours},
		{Nodes: "0", Schedule: &night, Duration: hours, Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted}},
	}
	return pool
}

// poolName returns the pool of a node. All pools get their part of those that are special.
func poolName(i int) string { return fmt.Sprintf("pool-%d", (i+i/50)%pools) }

func nodeClaim(i int) *v1.NodeClaim {
	claim := &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%05d", poolName(i), i), UID: types.UID(fmt.Sprintf("claim-%05d", i)), Labels: labels(i),
			Annotations: map[string]string{
				v1.NodePoolHashAnnotationKey: "8031059801598053215", v1.NodePoolHashVersionAnnotationKey: v1.NodePoolHashVersion,
			},
			CreationTimestamp: metav1.NewTime(friday.Add(-240 * time.Hour)), Finalizers: []string{v1.TerminationFinalizer},
		},
		Status: v1.NodeClaimStatus{
			NodeName: nodeName(i), ProviderID: providerID(i), Capacity: large(), Allocatable: large(),
			Conditions: []status.Condition{
				since(v1.ConditionTypeLaunched, 240), since(v1.ConditionTypeRegistered, 239),
				since(v1.ConditionTypeInitialized, 239), since(status.ConditionReady, 239),
			},
		},
	}
	if i%50 == 7 {
		claim.DeletionTimestamp = &metav1.Time{Time: friday.Add(-time.Minute)}
	}
	if i%11 == 3 {
		drifted := since(v1.ConditionTypeDrifted, 1+i%48)
		drifted.Reason = "NodePoolDrifted"
		claim.Status.Conditions = append(claim.Status.Conditions, drifted)
	}
	return claim
}

func since(kind string, hours int) status.Condition {
	return status.Condition{
		Type: kind, Status: metav1.ConditionTrue, Reason: kind,
		LastTransitionTime: metav1.NewTime(friday.Add(-time.Duration(hours) * time.Hour)),
	}
}

func node(i int) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), UID: types.UID(fmt.Sprintf("node-%05d", i)), Labels: labels(i)},
		Spec:       corev1.NodeSpec{ProviderID: providerID(i)},
		Status:     corev1.NodeStatus{Capacity: large(), Allocatable: large()},
	}
	ready := corev1.ConditionTrue
	if i%50 == 19 {
		ready = corev1.ConditionFalse
	}
	for _, c := range []struct {
		kind   corev1.NodeConditionType
		status corev1.ConditionStatus
	}{
		{corev1.NodeMemoryPressure, corev1.ConditionFalse}, {corev1.NodeDiskPressure, corev1.ConditionFalse},
		{corev1.NodePIDPressure, corev1.ConditionFalse}, {corev1.NodeReady, ready},
	} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: c.kind, Status: c.status, Reason: "Kubelet", LastTransitionTime: metav1.NewTime(friday.Add(-239 * time.Hour)),
		})
	}
	return n
}

func nodeName(i int) string   { return fmt.Sprintf("ip-10-%d-%d-%d.internal", i>>16, i>>8&255, i&255) }
func providerID(i int) string { return fmt.Sprintf("fake:///zone-%c/i-%017d", 'a'+rune(i%3), i) }

func labels(i int) map[string]string {
	return map[string]string{
		v1.NodePoolLabelKey: poolName(i), v1.CapacityTypeLabelKey: v1.CapacityTypeOnDemand,
		v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
		corev1.LabelTopologyZone: fmt.Sprintf("zone-%c", 'a'+rune(i%3)), corev1.LabelTopologyRegion: "region",
		corev1.LabelInstanceTypeStable: "m7i.4xlarge", corev1.LabelHostname: nodeName(i),
		corev1.LabelArchStable: v1.ArchitectureAmd64, corev1.LabelOSStable: string(corev1.Linux),
	}
}

func large() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("16"), corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
}
