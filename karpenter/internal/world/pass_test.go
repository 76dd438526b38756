package world

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// How long a pass of the disruption controller takes that starts a drifted node: docs/plan.md has the table, which
// PASSES=100,1000,4000 prints with -v. Without it, one small fleet shows that a pass starts one node, and no more.
func TestHowLongAPassTakes(t *testing.T) {
	sizes := []int{20}
	if text := os.Getenv("PASSES"); text != "" {
		sizes = nil
		for _, size := range strings.Split(text, ",") {
			n, err := strconv.Atoi(size)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, n)
		}
	}
	for _, nodes := range sizes {
		for _, pods := range []int{1, 10} {
			t.Run(fmt.Sprintf("%d nodes of %d pods", nodes, pods), func(t *testing.T) { measurePasses(t, nodes, pods) })
		}
	}
}

func measurePasses(t *testing.T, nodes, pods int) {
	w := populated(t, nodes, pods)
	m := w.runner.(*manager)
	const passes = 5
	var took []time.Duration
	for i := range passes {
		w.launch(t)
		if err := m.sync(w.ctx); err != nil {
			t.Fatal(err)
		}
		for _, s := range m.singletons {
			if s.name != "disruption" {
				continue
			}
			begin := time.Now()
			if _, err := s.Reconcile(w.ctx); err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Since(begin).Round(time.Millisecond))
		}
		if started := len(m.commands.GetCommands()); started != i+1 {
			t.Errorf("%d nodes have started after %d passes", started, i+1)
		}
	}
	t.Logf("| %d | %d | %v |", nodes, pods, took)
}

// populated returns a world whose fleet is there, and has drifted.
func populated(t *testing.T, nodes, pods int) *World {
	t.Helper()
	o := Options{PodsPerNode: pods, NodePool: NewPool("default", v1.Budget{Nodes: "100%"})}.withDefaults()
	clock := newClock(o.Start)
	for _, is := range []string{v1.ConditionTypeValidationSucceeded, v1.ConditionTypeNodeClassReady} {
		o.NodePool.StatusConditions(status.WithClock(clock)).SetTrue(is)
	}
	w := &World{options: o, Clock: clock, api: newAPI(clock)}
	w.Client, w.Cloud, w.recorder = w.api, newCloud(clock, []string{"a", "b", "c"}, nil), newRecorder(clock)
	w.kubelet = &kubelet{api: w.api, cloud: w.Cloud, clock: clock, end: o.EndOn, joined: map[string]bool{}}
	w.sched, w.workload = &scheduler{api: w.api, clock: clock}, &workload{api: w.api}
	o.NodesPerZone = nodes
	if err := w.populate(nil); err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		for _, object := range w.machine(i, pods) {
			if err := w.api.populate(context.Background(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Restart(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.End)
	return w
}

// launch lets the cloud accept what was launched. Until it has, Karpenter disrupts nothing more, and looks each second.
// (Karpenter: Cluster.Synced, Controller.Reconcile.)
func (w *World) launch(t *testing.T) {
	t.Helper()
	var claims v1.NodeClaimList
	if err := w.api.List(w.ctx, &claims); err != nil {
		t.Fatal(err)
	}
	for i := range claims.Items {
		claim := &claims.Items[i]
		if claim.Status.ProviderID != "" {
			continue
		}
		created, err := w.Cloud.Create(w.ctx, claim)
		if err != nil {
			t.Fatal(err)
		}
		claim.Status = created.Status
		if err := w.api.Status().Update(w.ctx, claim); err != nil {
			t.Fatal(err)
		}
	}
}

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
