package steward

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// refused is a node whose pods Karpenter cannot move for a while.
func refused(n *corev1.Node, _ *v1.NodeClaim) { n.Labels[refusedByPods] = "true" }

// takable ends that for all nodes.
func takable(r *rollout) {
	for _, n := range all[*corev1.Node](r.api.objects) {
		if n.Labels[refusedByPods] != "" {
			alter(r, n, func(n *corev1.Node) { delete(n.Labels, refusedByPods) })
		}
	}
}

// labelled adds a NodePool that is opted in, with labels.
func (r *rollout) labelled(name string, labels ...string) {
	r.addPool(name, map[string]string{annotation.StewardEnforced: "true"})
	for _, l := range labels {
		label(name, l, "yes")(r)
	}
}

// label labels a NodePool; "" takes the label away.
func label(pool, label, value string) func(*rollout) {
	return func(r *rollout) {
		r.changed = r.now
		alter(r, r.api.objects[objectKey{"NodePool", pool}].(*v1.NodePool), func(np *v1.NodePool) {
			labels := map[string]string{}
			for name, value := range np.Labels {
				labels[name] = value
			}
			if np.Labels = labels; value == "" {
				delete(np.Labels, label)
			} else {
				np.Labels[label] = value
			}
		})
	}
}

// share puts a policy there, in place of the one of its name.
func (r *rollout) share(name, spec string) {
	e := &estate{}
	e.share(name, spec)
	r.changed = r.now
	e.objects[0].SetUID(types.UID(name + r.now.String()))
	r.api.put(e.objects[0])
}

// allDrift is somebody who changes all NodePools, so that all nodes are old.
func allDrift(r *rollout) {
	for _, np := range all[*v1.NodePool](r.api.objects) {
		alter(r, np, func(np *v1.NodePool) { np.Annotations[v1.NodePoolHashAnnotationKey] = newHash })
	}
}

// The scenarios of policies over several NodePools. Nothing of what they limit is limited by a NodePool alone.
var underPolicies = []scenario{
	twoUnderACap("a cap over two pools", ""),
	twoUnderACap("a cap over two pools, with memory", ", soak: 1m"),
	{
		rule: "two policies that overlap", most: 2, caps: []string{"one", "two"}, over: 25 * time.Minute, done: old,
		build: func(r *rollout) {
			r.labelled("p", "one")
			r.labelled("q", "one", "two")
			r.labelled("r", "two")
			r.join("a", "p", 2*time.Hour, refused)
			r.join("a", "q", time.Hour)
			r.join("a", "r", 90*time.Minute)
			r.join("a", "r", time.Hour)
			r.share("one", `{nodePoolSelector: {matchLabels: {one: "yes"}}, budgets: [{nodes: "1"}]}`)
			r.share("two", `{nodePoolSelector: {matchLabels: {two: "yes"}}, budgets: [{nodes: "1", soak: 1m}]}`)
		},
		events: []happening{{2 * time.Second, allDrift}, {130 * time.Second, takable}},
	},
	{
		rule: "pools that join and leave a policy, which is made again", most: 4, caps: []string{"one"}, over: 25 * time.Minute, done: old,
		build: func(r *rollout) {
			r.labelled("p", "one")
			r.labelled("q", "one")
			r.labelled("r")
			r.join("a", "p", 2*time.Hour, refused)
			r.join("a", "q", time.Hour)
			r.join("a", "r", 3*time.Hour, refused)
			r.join("a", "r", time.Hour)
			r.addPool("s", map[string]string{annotation.Steward: ""})
			label("s", "one", "yes")(r)
			r.join("a", "s", time.Hour, heldBySomebody)
			r.share("one", `{nodePoolSelector: {matchLabels: {one: "yes"}}, budgets: [{nodes: "1"}]}`)
		},
		events: []happening{
			{2 * time.Second, func(r *rollout) {
				for _, pool := range []string{"p", "q"} {
					alter(r, r.api.objects[objectKey{"NodePool", pool}].(*v1.NodePool), func(np *v1.NodePool) { np.Annotations[v1.NodePoolHashAnnotationKey] = newHash })
				}
			}},
			{8 * time.Second, label("r", "one", "yes")},
			{10 * time.Second, func(r *rollout) {
				alter(r, r.api.objects[objectKey{"NodePool", "r"}].(*v1.NodePool), func(np *v1.NodePool) { np.Annotations[v1.NodePoolHashAnnotationKey] = newHash })
			}},
			{45 * time.Second, label("q", "one", "")},
			{60 * time.Second, label("q", "one", "yes")},
			{70 * time.Second, func(r *rollout) {
				r.share("one", `{nodePoolSelector: {matchLabels: {one: "yes"}}, budgets: [{nodes: "1", soak: 1m}]}`)
			}},
			{80 * time.Second, func(r *rollout) {
				delete(r.api.objects, objectKey{"DisruptionPolicy", "one"})
				r.api.version++
				r.changed = r.now
			}},
			{81 * time.Second, func(r *rollout) {
				r.share("one", `{nodePoolSelector: {matchLabels: {one: "yes"}}, budgets: [{nodes: "1"}]}`)
			}},
			{95 * time.Second, takable},
		},
	},
}

// twoUnderACap is a node of one pool that Karpenter does not take, and another pool under the same cap.
func twoUnderACap(rule, extra string) scenario {
	return scenario{
		rule: rule, most: 1, caps: []string{"one"}, over: 25 * time.Minute, done: old,
		build: func(r *rollout) {
			r.labelled("p", "one")
			r.labelled("q", "one")
			r.join("a", "p", 2*time.Hour, refused)
			r.join("a", "q", time.Hour)
			r.join("a", "q", time.Hour)
			r.share("one", `{all: true, budgets: [{nodes: "1"`+extra+`}]}`)
		},
		events: []happening{{2 * time.Second, allDrift}, {130 * time.Second, takable}},
	}
}

// What a NodePool says of the policies that it is under is there before anything is released under one of them, and gone with it.
func TestNodePoolsSayWhichPoliciesTheyAreUnder(t *testing.T) {
	e := twoPools()
	e.share("cap", `{all: true, budgets: [{nodes: "1"}]}`)
	s, told := e.steward("")
	if got, want := passed(t, s, told), "cap; released of-p"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	under := func() (text string) {
		var pools v1.NodePoolList
		if err := s.Client.List(t.Context(), &pools); err != nil {
			t.Fatal(err)
		}
		for _, np := range pools.Items {
			text += np.Name + np.Annotations[annotation.Policies] + " "
		}
		return text
	}
	if got, want := under(), `p{"cap":"policy-cap"} q{"cap":"policy-cap"} `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := s.Client.Delete(t.Context(), e.objects[len(e.objects)-1].DeepCopyObject().(client.Object)); err != nil {
		t.Fatal(err)
	}
	passed(t, s, told)
	if got, want := under(), "p q "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nothing is released under a policy while one of its NodePools cannot be told of it: another steward may be about to release a node of that.
func TestNothingIsReleasedUnderAPolicyThatANodePoolDoesNotKnow(t *testing.T) {
	e := twoPools()
	e.share("cap", `{all: true, budgets: [{nodes: "1"}]}`)
	s, told := e.steward("q")
	if got := passed(t, s, told); strings.Contains(got, "released") {
		t.Error(got)
	}
}
