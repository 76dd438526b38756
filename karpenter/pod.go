package karpenter

import (
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
)

// ToPod converts a pod. It returns warnings about invalid annotations.
func ToPod(p *corev1.Pod, parser *kube.Parser) (candidate.Pod, []candidate.Warning) {
	terms, warnings := parser.Terms(p.Namespace, p.Name, p.Annotations)
	to := candidate.Pod{
		Namespace: p.Namespace, Name: p.Name, Labels: p.Labels, NodeSelector: p.Spec.NodeSelector, Terms: terms,
		Inactive:    !podutils.IsActive(p),
		Unevictable: podutils.IsOwnedByNode(p) || toleratesDisruption(p),
		Stays:       !podutils.IsReschedulable(p),
		Unready:     slices.ContainsFunc(p.Status.Conditions, unready),
	}
	if p.Status.StartTime != nil {
		to.Started = p.Status.StartTime.Time
		if to.Started.IsZero() && parser.Dialect == dialect.Karpenter { // no API server writes that; to Karpenter the pod has been running for ages
			to.Started = to.Started.Add(1)
		}
	}
	return to, warnings
}

func unready(c corev1.PodCondition) bool {
	return c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse
}

// toleratesDisruption is Karpenter's ToleratesDisruptedNoScheduleTaint, but does not allocate an error for each pod
// that does not tolerate it.
func toleratesDisruption(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Spec.Tolerations, func(t corev1.Toleration) bool {
		return t.ToleratesTaint(logr.Discard(), &v1.DisruptedNoScheduleTaint, true)
	})
}
