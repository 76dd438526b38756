package karpenter_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestPodsAreRead(t *testing.T) {
	phase := func(phase corev1.PodPhase) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Status.Phase = phase }
	}
	owned := func(owner metav1.OwnerReference) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap"}, owner}
		}
	}
	tolerates := func(t corev1.Toleration) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Key: "example.com/gpu"}, t} }
	}
	ready := func(status corev1.ConditionStatus) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: "False"},
				{Type: corev1.PodReady, Status: status},
			}
		}
	}
	says := func(name, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Annotations = map[string]string{name: value} }
	}
	inactive := func(p *candidate.Pod) { p.Inactive, p.Stays = true, true }
	unevictable := func(p *candidate.Pod) { p.Unevictable = true }
	same := func(*candidate.Pod) {}
	for _, tt := range []struct {
		name    string
		change  func(*corev1.Pod)
		want    func(*candidate.Pod)
		warning string
	}{
		{name: "a pod in order", change: func(*corev1.Pod) {}, want: same},
		{name: "a pod with labels", change: func(p *corev1.Pod) { p.Labels = map[string]string{"app": "web"} },
			want: func(p *candidate.Pod) { p.Labels = map[string]string{"app": "web"} }},
		{name: "a pod with a nodeSelector", change: func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"zone": "a"} },
			want: func(p *candidate.Pod) { p.NodeSelector = map[string]string{"zone": "a"} }},
		{name: "a pod that has started", change: func(p *corev1.Pod) { p.Status.StartTime = &metav1.Time{Time: noon} },
			want: func(p *candidate.Pod) { p.Started = noon }},
		{name: "a pending pod", change: phase(corev1.PodPending), want: same},
		{name: "a pod that has succeeded", change: phase(corev1.PodSucceeded), want: inactive},
		{name: "a pod that has failed", change: phase(corev1.PodFailed), want: inactive},
		{name: "a pod that ends", change: func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: noon} },
			want: inactive},
		{name: "a static pod", change: owned(metav1.OwnerReference{APIVersion: "v1", Kind: "Node"}), want: func(p *candidate.Pod) { p.Unevictable, p.Stays = true, true }},
		{name: "a pod of a DaemonSet", change: owned(metav1.OwnerReference{APIVersion: "apps/v1", Kind: "DaemonSet"}),
			want: func(p *candidate.Pod) { p.Stays = true }},
		{name: "a pod of another kind of Node",
			change: owned(metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Node"}), want: same},
		{name: "a pod that tolerates disruption",
			change: tolerates(corev1.Toleration{Key: v1.DisruptedTaintKey, Operator: "Exists"}), want: unevictable},
		{name: "a pod that tolerates everything", change: tolerates(corev1.Toleration{Operator: "Exists"}),
			want: unevictable},
		{name: "a pod that tolerates another effect",
			change: tolerates(corev1.Toleration{Key: v1.DisruptedTaintKey, Operator: "Exists",
				Effect: "NoExecute"}), want: same},
		{name: "a pod that tolerates another value",
			change: tolerates(corev1.Toleration{Key: v1.DisruptedTaintKey, Value: "soon"}), want: same},
		{name: "a Ready pod", change: ready(corev1.ConditionTrue), want: same},
		{name: "a pod that is not Ready", change: ready(corev1.ConditionFalse),
			want: func(p *candidate.Pod) { p.Unready = true }},
		{name: "a pod of which nobody knows whether it is Ready", change: ready(corev1.ConditionUnknown), want: same},
		{name: "a pod that is never to be disrupted", change: says(v1.DoNotDisruptAnnotationKey, "true"),
			want: func(p *candidate.Pod) { p.Terms.Protect = candidate.Forever }},
		{name: "a pod that must not be disrupted for an hour", change: says(v1.DoNotDisruptAnnotationKey, "1h"),
			want: func(p *candidate.Pod) { p.Terms.Protect = time.Hour }},
		{name: "an annotation that cannot be read", change: says(v1.DoNotDisruptAnnotationKey, "yes"),
			want: func(p *candidate.Pod) { p.Terms.Invalid = true }, warning: `"yes" protects nothing`},
		{name: "an annotation that nobody knows", change: says("karpenter.sh/disruption-windows", "@daily"),
			want: func(p *candidate.Pod) { p.Terms.Invalid = true }, warning: "is unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPod("p0", "n0")
			tt.change(p)
			want := candidate.Pod{Namespace: "blue", Name: "p0"}
			tt.want(&want)
			var parser kube.Parser
			got, warnings := karpenter.ToPod(p, &parser)
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b schedule.Window) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
			wantWarning(t, warnings, tt.warning)
			if tt.warning != "" && warnings[0].Object != "Pod/blue/p0" {
				t.Error(warnings[0].Object)
			}
		})
	}
}

func TestAPodMayBeDisruptedInItsWindow(t *testing.T) {
	p := newPod("p0", "n0")
	p.Annotations = map[string]string{
		kube.DisruptionScheduleAnnotation:         "0 12 * * *",
		kube.DisruptionScheduleTimeZoneAnnotation: "Europe/Berlin",
	}
	var parser kube.Parser
	got, warnings := karpenter.ToPod(p, &parser)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	if schedule.InWindow(got.Terms.Window, noon) || !schedule.InWindow(got.Terms.Window, noon.Add(-time.Hour)) {
		t.Errorf("it may be disrupted at noon in UTC: %s", got.Terms.Window)
	}
}
