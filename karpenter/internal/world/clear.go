package world

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// clear deletes what a story leaves on a server, for the next one.
func (s *server) clear(ctx context.Context) error {
	for left := true; left; time.Sleep(100 * time.Millisecond) {
		left = false
		for _, kind := range []client.ObjectList{
			&appsv1.ReplicaSetList{}, &policyv1.PodDisruptionBudgetList{}, &v1.NodePoolList{}, &v1.NodeClaimList{}, &corev1.NodeList{},
			&corev1.PodList{}, &v1alpha1.TestNodeClassList{}, &corev1.EventList{},
		} {
			n, err := s.deleteAll(ctx, kind)
			if err != nil && !s.transient(err) {
				return err
			}
			left = left || n > 0 || err != nil
		}
	}
	return nil
}

// deleteAll deletes all objects of a kind, whatever finalizers they have, and returns how many there were.
func (s *server) deleteAll(ctx context.Context, kind client.ObjectList) (int, error) {
	if err := s.List(ctx, kind); err != nil {
		return 0, err
	}
	objects, err := meta.ExtractList(kind)
	if err != nil {
		return 0, err
	}
	for _, o := range objects {
		o := o.(client.Object)
		if len(o.GetFinalizers()) > 0 {
			was := o.DeepCopyObject().(client.Object)
			o.SetFinalizers(nil)
			if err := s.Patch(ctx, o, client.MergeFrom(was)); err != nil {
				return len(objects), err
			}
		}
		if err := s.Delete(ctx, o, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			return len(objects), err
		}
	}
	return len(objects), nil
}
