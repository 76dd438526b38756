package world

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

// scheduler stands in for the kube-scheduler: it binds a pod to the first node that is Ready, has capacity, and that the
// pod selects and tolerates.
type scheduler struct {
	api   backend
	clock clock.PassiveClock
}

func (s *scheduler) run(ctx context.Context) error {
	var nodes corev1.NodeList
	var pods corev1.PodList
	if err := s.api.List(ctx, &nodes); err != nil {
		return err
	}
	if err := s.api.List(ctx, &pods); err != nil {
		return err
	}
	on := map[string][]*corev1.Pod{}
	for i := range pods.Items {
		on[pods.Items[i].Spec.NodeName] = append(on[pods.Items[i].Spec.NodeName], &pods.Items[i])
	}
	for _, pod := range on[""] {
		if pod.DeletionTimestamp != nil {
			continue
		}
		at := slices.IndexFunc(nodes.Items, func(n corev1.Node) bool { return fits(&n, pod, on[n.Name]) })
		if at < 0 {
			if err := s.refuse(ctx, pod); err != nil {
				return err
			}
			continue
		}
		node := nodes.Items[at].Name
		if err := s.bind(ctx, pod, node); err != nil {
			return err
		}
		on[node] = append(on[node], pod)
	}
	return nil
}

func fits(node *corev1.Node, pod *corev1.Pod, others []*corev1.Pod) bool {
	if !isReady(node) || node.DeletionTimestamp != nil {
		return false
	}
	if scheduling.Taints(node.Spec.Taints).ToleratesPod(pod) != nil {
		return false
	}
	for key, value := range pod.Spec.NodeSelector {
		if node.Labels[key] != value {
			return false
		}
	}
	return resources.Fits(resources.RequestsForPods(append(slices.Clone(others), pod)...), node.Status.Allocatable)
}

func (s *scheduler) bind(ctx context.Context, pod *corev1.Pod, node string) error {
	if err := s.api.bind(ctx, pod, node); err != nil {
		return err
	}
	now := metav1.NewTime(s.clock.Now())
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}}
	return s.api.Status().Update(ctx, pod)
}

func (s *scheduler) refuse(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Status.Conditions) > 0 {
		return nil
	}
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
		LastTransitionTime: metav1.NewTime(s.clock.Now()),
	}}}
	return s.api.Status().Update(ctx, pod)
}
