package world

import (
	"fmt"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// machine returns the objects of a node that has drifted, and is full.
func (w *World) machine(i, pods int) []client.Object {
	zone := string(rune('a' + i%3))
	name, large := fmt.Sprintf("%s%d", zone, i), w.Cloud.InstanceTypes[0]
	labels := map[string]string{
		v1.NodePoolLabelKey: "default", v1.CapacityTypeLabelKey: v1.CapacityTypeOnDemand, corev1.LabelTopologyZone: zone,
		v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true", corev1.LabelInstanceTypeStable: large.Name,
		corev1.LabelHostname: name, corev1.LabelOSStable: string(corev1.Linux),
	}
	claim := &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "default-" + name, Labels: labels, Finalizers: []string{v1.TerminationFinalizer}},
		Spec:       v1.NodeClaimSpec{NodeClassRef: w.options.NodePool.Spec.Template.Spec.NodeClassRef},
		Status: v1.NodeClaimStatus{
			NodeName: name, ProviderID: "fake:///" + zone + "/" + name, Capacity: large.Capacity, Allocatable: large.Allocatable(),
		},
	}
	for _, is := range []string{v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized, v1.ConditionTypeDrifted} {
		claim.StatusConditions(status.WithClock(w.Clock)).SetTrue(is)
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.NodeSpec{ProviderID: claim.Status.ProviderID},
		Status: corev1.NodeStatus{
			Capacity: large.Capacity, Allocatable: large.Allocatable(),
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	objects := []client.Object{claim, node}
	for j := range pods {
		app := map[string]string{"app": "web-" + zone}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%s-%d", name, j), Namespace: namespace, Labels: app},
			Spec:       *w.replicas(zone, app).Spec.Template.Spec.DeepCopy(),
			Status:     corev1.PodStatus{Phase: corev1.PodRunning},
		}
		pod.Spec.NodeName = name
		objects = append(objects, pod)
	}
	return objects
}
