package manifest_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
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
		{
			"a static pod of a StatefulSet's name that terminates does not move",
			`metadata: {deletionTimestamp: "2026-11-20T10:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: x}, {apiVersion: v1, kind: Node, name: node-1}]}`,
			true,
		},
		{
			"a terminating pod of a StatefulSet moves though it has finished",
			`{metadata: {deletionTimestamp: "2026-11-20T10:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: x}]}, status: {phase: Failed}}`,
			false,
		},
		{
			"a StatefulSet of another group is none",
			`metadata: {deletionTimestamp: "2026-11-20T10:00:00Z", ownerReferences: [{apiVersion: apps.kruise.io/v1, kind: StatefulSet, name: x}]}`,
			true,
		},
		{"a Node of another version owns no static pod", owner(`{apiVersion: v2, kind: Node, name: node-1}`), false},
		{"any of several owners will do", owner(`{apiVersion: v1, kind: ConfigMap, name: x}, {apiVersion: apps/v1, kind: DaemonSet, name: x}`), true},
		{"a pod in an unknown phase has to move", `status: {phase: Unknown}`, false},
		{"a pod that blocks its node has to move", `metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}`, false},
		{"a pod of a DaemonSet does not move, though it blocks its node", `metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: x}]}`, true},
		{"a low priority makes moving cheap", `spec: {priority: -33554431}`, false},
		{"a lower one makes it cost nothing", `spec: {priority: -33554432}`, true},
		{"a low deletion cost makes moving cost nothing", `metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: "-134217728"}}`, true},
		{"a high deletion cost does not make up for the lowest priority", `{metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: "2147483647"}}, spec: {priority: -2147483648}}`, true},
		{"a deletion cost of NaN has to move, as in Karpenter", `metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: NaN}}`, false},
		{"a deletion cost that is too large counts for nothing", `{metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: "-1e999"}}}`, false},
		{"a deletion cost that is not a number counts for nothing", `metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: cheap}}`, false},
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

// "no pod contributes positive reschedule disruption cost": what moving one pod gains does not pay for another.
func TestEachPodThatCostsNothingCountsAsNothing(t *testing.T) {
	cheap := different(t, pod, `{metadata: {name: cheap}, spec: {priority: -2147483648}}`)
	for _, test := range []struct {
		rule  string
		pods  []string
		empty bool
	}{
		{"two that cost nothing", []string{cheap, cheap}, true},
		{"one that does, among others", []string{cheap, pod, cheap}, false},
		{"none", nil, true},
	} {
		c := read(t, documents(append(test.pods, nodePool, different(t, nodeClaim, consolidatable), node)...))
		if got := c.Nodes[0].Conditions[0].Reason == candidate.Empty; got != test.empty {
			t.Errorf("%s: empty is %t", test.rule, got)
		}
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
		{"a Pending pod is active", `status: {phase: Pending}`, nil},
		{"a pod in a phase that nobody knows is active", `status: {phase: succeeded}`, nil},
		{"a pod without a phase is active", `status: {phase: null}`, nil},
		{"a pod that has not started has no start time", `status: {startTime: null}`, func(p *candidate.Pod) { p.Started = time.Time{} }},
		{"a start time is the same in any time zone", `status: {startTime: "2026-11-02T01:00:00+01:00"}`, nil},
		{"a pod without labels has none", `metadata: {labels: null}`, func(p *candidate.Pod) { p.Labels = nil }},
		{"a label may be empty", `metadata: {labels: {app: ""}}`, func(p *candidate.Pod) { p.Labels["app"] = "" }},
		{"a nodeSelector says where it may move", `spec: {nodeSelector: {zone: a}}`, func(p *candidate.Pod) { p.NodeSelector = map[string]string{"zone": "a"} }},
		{"a pod without a namespace is in default", `metadata: {namespace: null}`, func(p *candidate.Pod) { p.Namespace = "default" }},
		{"a pod with Ready=Unknown is not known to be unready", `status: {conditions: [{type: Ready, status: Unknown}]}`, nil},
		{"other conditions say nothing of Ready", `status: {conditions: [{type: Initialized, status: "False"}]}`, nil},
		{"a pod of a DaemonSet is evictable", `metadata: {ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: x}]}`, func(p *candidate.Pod) { p.Stays = true }},
		{"a pod with Ready=False is not Ready", `status: {conditions: [{type: Ready, status: "False"}]}`, func(p *candidate.Pod) { p.Unready = true }},
		{"a pod without Ready is not known to be unready", `status: {conditions: null}`, nil},
		{"a static pod is not evictable", `metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: node-1}]}`, func(p *candidate.Pod) { p.Unevictable, p.Stays = true, true }},
		{"a pod that tolerates everything is not evictable", tolerating(`{operator: Exists}`), unevictable},
		{"a pod that tolerates the taint is not evictable", tolerating(`{key: karpenter.sh/disrupted, operator: Exists, effect: NoSchedule}`), unevictable},
		{"a taint without a value equals no value", tolerating(`{key: karpenter.sh/disrupted}`), unevictable},
		{"a toleration of every key is of the taint as well", tolerating(`{operator: Exists, effect: NoSchedule}`), unevictable},
		{"an operator that is none tolerates nothing", tolerating(`{key: karpenter.sh/disrupted, operator: exists}`), nil},
		{"one of several tolerations will do", tolerating(`{key: karpenter.sh/disrupted, operator: Exists}, {key: karpenter.sh/disrupted, value: x}`), unevictable},
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
			if w := c.Warnings(); len(w) > 0 {
				t.Errorf("warnings: %v", w)
			}
		})
	}
}

func inactive(p *candidate.Pod)    { p.Inactive, p.Stays = true, true }
func unevictable(p *candidate.Pod) { p.Unevictable = true }

// A label that is null is there, and empty, as where the API server reads it: selectors that ask whether it exists see it.
func TestALabelThatIsNullIsThere(t *testing.T) {
	c := read(t, documents(nodeClaim, node, strings.Replace(pod, "{app: web}", "{app: null}", 1)))
	if value, ok := c.Nodes[0].Pods[0].Labels["app"]; !ok || value != "" || len(c.Warnings()) > 0 {
		t.Errorf("got %v, warnings %v", c.Nodes[0].Pods[0].Labels, c.Warnings())
	}
}

func TestAPodWithoutANameIsFoundWhereItStands(t *testing.T) {
	c := read(t, documents(nodeClaim, node, different(t, pod, `metadata: {name: null, annotations: {karpenter.sh/do-not-disrupt: "yes"}}`)))
	if got := c.Nodes[0].Pods[0].Name; got != "document 3" {
		t.Errorf("got %q", got)
	}
	if w := texts(c.Warnings()); len(w) != 2 || !strings.HasPrefix(w[1], "Pod/shop/document 3: karpenter.sh/do-not-disrupt: ") {
		t.Errorf("got %q", w)
	}
}

// The pods of a workload have the same annotations: each set of them is read once, and shared.
func TestPodsShareWhatTheirAnnotationsAskFor(t *testing.T) {
	annotated := func(name string) string {
		return different(t, pod, `{metadata: {name: `+name+`, annotations: {karpenter.sh/disruption-schedule: "@daily"}}}`)
	}
	pods := read(t, documents(nodeClaim, node, annotated("a"), annotated("b"))).Nodes[0].Pods
	if pods[0].Terms.Window == (schedule.Window{}) || pods[0].Terms != pods[1].Terms {
		t.Errorf("got %v and %v", pods[0].Terms, pods[1].Terms)
	}
}

// wantBlockers checks what blocks the one candidate of a decision: one thing, or "" for nothing.
func wantBlockers(t *testing.T, d disruptkit.Decision, want string) {
	t.Helper()
	var got, all []string
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			got = append(got, b.String())
		}
	}
	if want != "" {
		all = []string{want}
	}
	if diff := cmp.Diff(all, got); diff != "" || len(d.Allowed)+len(d.Blocked) != 1 {
		t.Errorf("blockers (-want +got)\n%s", diff)
	}
}

func TestPodsBlockTheNodeThatTheyRunOn(t *testing.T) {
	for _, test := range []struct {
		rule, pod string
		held      bool
	}{
		{"a pod on the node", ``, true},
		{"a pod on another node", `spec: {nodeName: node-2}`, false},
		{"a pod on no node yet", `spec: {nodeName: null}`, false},
		{"a pod on a node without a name", `spec: {nodeName: ""}`, false},
	} {
		protected := different(t, different(t, pod, `metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}`), test.pod)
		c := read(t, documents(nodePool, drifted(t), node, protected))
		if d := disruptkit.Decide(c.Input(now), candidate.Drifted); (len(d.Blocked) > 0) != test.held {
			t.Errorf("%s: allowed %v, blocked %v", test.rule, d.Allowed, d.Blocked)
		}
	}
}

// Decisions look for what selects a pod once for all pods that share a map of labels.
func TestPodsOfTheSameLabelsShareThem(t *testing.T) {
	c := read(t, documents(nodePool, nodeClaim, node, pod, different(t, pod, `metadata: {name: web-2}`), different(t, pod, `metadata: {name: api-1, labels: {app: api}}`)))
	pods := c.Nodes[0].Pods
	if len(pods) != 3 || reflect.ValueOf(pods[0].Labels).Pointer() != reflect.ValueOf(pods[1].Labels).Pointer() || maps.Equal(pods[2].Labels, pods[1].Labels) {
		t.Errorf("labels are not shared by those pods alone that have the same: %+v", pods)
	}
}
