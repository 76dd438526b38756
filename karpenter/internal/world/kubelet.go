package world

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// kubelet stands in for what makes instances into nodes: a node joins when its instance has booted, and is Ready when
// its network is. It also ends pods.
type kubelet struct {
	api    backend
	cloud  *Cloud
	clock  clock.PassiveClock
	boot   time.Duration
	ready  time.Duration
	end    func(node string) time.Duration
	joined map[string]bool // instances, by provider ID: each joins once, and not again while it is terminated
}

func (k *kubelet) run(ctx context.Context) error {
	return errors.Join(k.join(ctx), k.finish(ctx))
}

// finish removes pods that have had the time to end, or that are killed.
func (k *kubelet) finish(ctx context.Context) error {
	var pods corev1.PodList
	if err := k.api.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp == nil {
			continue
		}
		asked := pod.DeletionTimestamp.Add(-time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second)
		killed := !k.clock.Now().Before(pod.DeletionTimestamp.Time)
		if runs := pod.Spec.NodeName != ""; runs && !killed && k.clock.Since(asked) < k.end(pod.Spec.NodeName) {
			continue
		}
		if err := k.api.end(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// join makes nodes of instances.
func (k *kubelet) join(ctx context.Context) error {
	return k.cloud.each(func(i *Instance) error {
		if k.clock.Since(i.Since) < k.boot {
			return nil
		}
		var node corev1.Node
		err := k.api.Get(ctx, client.ObjectKey{Name: i.Name}, &node)
		if id := i.Claim.Status.ProviderID; apierrors.IsNotFound(err) {
			if k.joined[id] {
				return nil
			}
			node = k.node(i)
			if err := k.api.Create(ctx, &node); err != nil {
				return err
			}
			k.joined[id] = true
		} else if err != nil {
			return err
		}
		ready := !i.Broken && k.clock.Since(i.Since) >= k.boot+k.ready
		why, boot := k.cloud.ails(i, k.boot)
		return setReady(ctx, k.api, &node, ready && why == "", why, boot, k.clock.Now())
	})
}

func (k *kubelet) node(i *Instance) corev1.Node {
	labels := map[string]string{corev1.LabelHostname: i.Name}
	for key, value := range i.Claim.Labels {
		labels[key] = value
	}
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: i.Name, Labels: labels},
		Spec: corev1.NodeSpec{
			ProviderID: i.Claim.Status.ProviderID, Taints: []corev1.Taint{v1.UnregisteredNoExecuteTaint},
		},
		Status: corev1.NodeStatus{Capacity: i.Claim.Status.Capacity, Allocatable: i.Claim.Status.Allocatable},
	}
}

// setReady writes whether a node is Ready, or why it is not, and which boot that is of.
func setReady(ctx context.Context, api client.Client, node *corev1.Node, ready bool, why, boot string, now time.Time) error {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	was := readiness(node)
	if was.Status == status && was.Reason == why && node.Status.NodeInfo.BootID == boot {
		return nil
	}
	is := corev1.NodeCondition{Type: corev1.NodeReady, Status: status, Reason: why, LastTransitionTime: was.LastTransitionTime}
	if was.Status != status {
		is.LastTransitionTime = metav1.NewTime(now)
	}
	node.Status.Conditions = []corev1.NodeCondition{is}
	node.Status.NodeInfo.BootID = boot
	return api.Status().Update(ctx, node)
}

func isReady(node *corev1.Node) bool { return readiness(node).Status == corev1.ConditionTrue }

// readiness returns the Ready condition of a node; zero is none.
func readiness(node *corev1.Node) corev1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c
		}
	}
	return corev1.NodeCondition{}
}
