package manifest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

const consolidatable = `status: {conditions: [{type: Consolidatable, status: "True", lastTransitionTime: "2026-11-20T10:00:00Z"}]}`

// Karpenter's Candidate.IsEmpty: "no pod contributes positive reschedule disruption cost". Its IsReschedulable: "Is an
// active pod (isn't terminal or actively terminating) OR Is owned by a StatefulSet and Is Terminating", "Isn't owned by
// a DaemonSet", "Isn't a mirror pod".
func TestANodeIsEmptyWhenMovingItsPodsCostsNothing(t *testing.T) {
	owner := func(of string) string { return "metadata: {ownerReferences: [" + of + "]}" }
	for _, test := range []struct {
		rule, pod string
		empty     bool
	}{
		{"a pod of a Deployment has to move", ``, false},
		{"a pod of nobody has to move", `metadata: {ownerReferences: null}`, false},
		{"a pod of a DaemonSet does not move", owner(`{apiVersion: apps/v1, kind: DaemonSet, name: x}`), true},
		{"a DaemonSet of another group is none", owner(`{apiVersion: apps.kruise.io/v1, kind: DaemonSet, name: x}`), false},
		{"a static pod does not move", owner(`{apiVersion: v1, kind: Node, name: node-1}`), true},
		{"a Succeeded pod does not move", `status: {phase: Succeeded}`, true},
		{"a Failed pod does not move", `status: {phase: Failed}`, true},
		{"a Pending pod has to move", `status: {phase: Pending}`, false},
		{"a terminating pod does not move", `metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"}`, true},
		{
			"a terminating pod of a StatefulSet does, since it comes back",
			`metadata: {deletionTimestamp: "2026-11-20T10:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: x}]}`,
			false,
		},
		{
			"a finished pod of a StatefulSet does not move",
			`{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: x}]}, status: {phase: Succeeded}}`,
			true,
		},
		{"a low priority makes moving cheap", `spec: {priority: -33554431}`, false},
		{"a lower one makes it cost nothing", `spec: {priority: -33554432}`, true},
		{"a low deletion cost makes moving cost nothing", `metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: "-134217728"}}`, true},
		{"a deletion cost that is no number counts for nothing", `metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: cheap}}`, false},
		{"a pod on another node does not count", `spec: {nodeName: node-2}`, true},
		{"a pod that is not on a node yet does not count", `spec: {nodeName: null}`, true},
		{"an unreadable pod has to move", `{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet}]}, spec: {priority: high}}`, false},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(nodePool, different(t, nodeClaim, consolidatable), node, different(t, pod, test.pod)))
			want := candidate.Condition{Reason: candidate.Underutilized, Since: date("2026-11-20T10:00:00Z")}
			if test.empty {
				want.Reason = candidate.Empty
			}
			if diff := cmp.Diff([]candidate.Condition{want}, c.Nodes[0].Conditions); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestPod(t *testing.T) {
	tolerating := func(toleration string) string { return "spec: {tolerations: [{key: other}, " + toleration + "]}" }
	for _, test := range []struct {
		rule, pod string
		want      func(*candidate.Pod)
	}{
		{"an ordinary pod is active, evictable and Ready", ``, nil},
		{"a terminating pod is inactive", `metadata: {deletionTimestamp: "2026-11-20T10:00:00Z"}`, inactive},
		{"a Succeeded pod is inactive", `status: {phase: Succeeded}`, inactive},
		{"a Failed pod is inactive", `status: {phase: Failed}`, inactive},
		{"a pod with Ready=False is not Ready", `status: {conditions: [{type: Ready, status: "False"}]}`, func(p *candidate.Pod) { p.Unready = true }},
		{"a pod without Ready is not known to be unready", `status: {conditions: null}`, nil},
		{"a static pod is not evictable", `metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: node-1}]}`, unevictable},
		{"a pod that tolerates everything is not evictable", tolerating(`{operator: Exists}`), unevictable},
		{"a pod that tolerates the taint is not evictable", tolerating(`{key: karpenter.sh/disrupted, operator: Exists, effect: NoSchedule}`), unevictable},
		{"a taint without a value equals no value", tolerating(`{key: karpenter.sh/disrupted}`), unevictable},
		{"a toleration of another value is of another taint", tolerating(`{key: karpenter.sh/disrupted, operator: Equal, value: x}`), nil},
		{"a toleration of another effect is of another taint", tolerating(`{key: karpenter.sh/disrupted, operator: Exists, effect: NoExecute}`), nil},
		{"a toleration of another key is of another taint", tolerating(`{key: karpenter.sh/unregistered, operator: Exists}`), nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := read(t, documents(nodeClaim, node, different(t, pod, test.pod)))
			want := ordinary().Pods
			if test.want != nil {
				test.want(&want[0])
			}
			if diff := cmp.Diff(want, c.Nodes[0].Pods, windows); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func inactive(p *candidate.Pod)    { p.Inactive = true }
func unevictable(p *candidate.Pod) { p.Unevictable = true }
