package world

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// namespace is where all pods are.
const namespace = "default"

// workload stands in for the controllers of ReplicaSets and PodDisruptionBudgets.
type workload struct{ api backend }

func (w *workload) run(ctx context.Context) error {
	var sets appsv1.ReplicaSetList
	if err := w.api.List(ctx, &sets); err != nil {
		return err
	}
	for i := range sets.Items {
		if err := w.scale(ctx, &sets.Items[i]); err != nil {
			return err
		}
	}
	var pdbs policyv1.PodDisruptionBudgetList
	if err := w.api.List(ctx, &pdbs); err != nil {
		return err
	}
	for i := range pdbs.Items {
		if err := w.allow(ctx, &pdbs.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// scale creates the pods that a ReplicaSet lacks, and deletes those that are too many.
func (w *workload) scale(ctx context.Context, set *appsv1.ReplicaSet) error {
	var pods corev1.PodList
	selected := client.MatchingLabels(set.Spec.Selector.MatchLabels)
	if err := w.api.List(ctx, &pods, client.InNamespace(set.Namespace), selected); err != nil {
		return err
	}
	pods.Items = slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
	for len(pods.Items) > int(*set.Spec.Replicas) {
		last := len(pods.Items) - 1
		if err := w.api.Delete(ctx, &pods.Items[last]); err != nil {
			return err
		}
		pods.Items = pods.Items[:last]
	}
	for i := len(pods.Items); i < int(*set.Spec.Replicas); i++ {
		controller := true
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%03d", set.Name, w.api.next(set.Name)), Namespace: set.Namespace,
				Labels: set.Spec.Template.Labels, Annotations: set.Spec.Template.Annotations,
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID, Controller: &controller,
				}},
			},
			Spec: *set.Spec.Template.Spec.DeepCopy(),
		}
		if err := w.api.Create(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// allow counts how many pods a PodDisruptionBudget allows.
func (w *workload) allow(ctx context.Context, pdb *policyv1.PodDisruptionBudget) error {
	var pods corev1.PodList
	if err := w.api.List(ctx, &pods, client.InNamespace(pdb.Namespace)); err != nil {
		return err
	}
	total, healthy := 0, 0
	for i := range pods.Items {
		if pod := &pods.Items[i]; selects(pdb, pod) {
			total++
			if pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
				healthy++
			}
		}
	}
	needed := 0
	if most := pdb.Spec.MaxUnavailable; most != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(most, total, true)
		if err != nil {
			return err
		}
		needed = total - n
	}
	if least := pdb.Spec.MinAvailable; least != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(least, total, true)
		if err != nil {
			return err
		}
		needed = n
	}
	was := pdb.Status
	pdb.Status.ObservedGeneration = pdb.Generation
	pdb.Status.ExpectedPods, pdb.Status.CurrentHealthy = int32(total), int32(healthy)
	pdb.Status.DesiredHealthy = int32(max(0, needed))
	pdb.Status.DisruptionsAllowed = int32(max(0, healthy-needed))
	if was.ObservedGeneration == pdb.Status.ObservedGeneration && was.ExpectedPods == pdb.Status.ExpectedPods && was.CurrentHealthy == pdb.Status.CurrentHealthy &&
		was.DesiredHealthy == pdb.Status.DesiredHealthy && was.DisruptionsAllowed == pdb.Status.DisruptionsAllowed {
		return nil
	}
	return w.api.Status().Update(ctx, pdb)
}
