package main

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// "It uncordons no others": a node that was to go, and that somebody else has cordoned before the drainer did, stays cordoned once nobody asks
// any more; one with the drainer's mark comes back.
func TestOnlyNodesWithTheMarkAreUncordoned(t *testing.T) {
	for _, row := range []struct {
		name        string
		annotations map[string]string
		stored      bool // that the drainer has allowed it
		want        bool // cordoned afterwards
	}{
		{"cordoned by the drainer", map[string]string{Cordoned: "2026-11-20T12:00:00Z"}, true, false},
		{"cordoned by the drainer, and what it stored is lost", map[string]string{Cordoned: "2026-11-20T12:00:00Z"}, false, false},
		{"allowed by the drainer, and cordoned by somebody else", nil, true, true},
		{"cordoned by somebody else", nil, false, true},
		{"cordoned by somebody else, for reasons of another program", map[string]string{"example.com/cordoned": "yes"}, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx := t.Context()
			client := fake.NewClientset(&corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: row.annotations},
				Spec:       corev1.NodeSpec{Unschedulable: true},
				Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
			})
			s := &story{T: t, pools: must(cluster.ParsePolicy([]byte(`pools: [{name: all, selector: ""}]`), Maintenance))}
			d := s.drainer(client)
			if row.stored {
				state := must(d.Load(ctx))
				state.Nodes["a"] = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
				if err := d.Save(ctx, state); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := d.pass(ctx); err != nil {
				t.Fatal(err)
			}
			n := must(client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{}))
			if _, marked := n.Annotations[Cordoned]; n.Spec.Unschedulable != row.want || marked {
				t.Errorf("cordoned: %t, with the mark: %t; want %t, without", n.Spec.Unschedulable, marked, row.want)
			}
			if state := must(d.Load(ctx)); len(state.Nodes) > 0 {
				t.Errorf("it is still in flight: %v", state.Nodes)
			}
		})
	}
}

// KEP-5683: "Clearing the lifecycle state is done by setting the condition status to False or removing the condition." Whoever does the
// maintenance may take back the plan once it has begun.
func TestANodeComesBackWhenNobodyAsksAndNobodyIsAtWork(t *testing.T) {
	for _, row := range []struct {
		name  string
		is    map[corev1.NodeConditionType]corev1.ConditionStatus
		stays bool
	}{
		{"the plan holds", map[corev1.NodeConditionType]corev1.ConditionStatus{planned: corev1.ConditionTrue}, true},
		{"the maintenance has begun, and the plan was taken back", map[corev1.NodeConditionType]corev1.ConditionStatus{planned: corev1.ConditionFalse, inProgress: corev1.ConditionTrue}, true},
		{"it is over", map[corev1.NodeConditionType]corev1.ConditionStatus{planned: corev1.ConditionFalse, inProgress: corev1.ConditionFalse}, false},
		{"it was never said to begin", map[corev1.NodeConditionType]corev1.ConditionStatus{planned: corev1.ConditionFalse}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx := t.Context()
			n := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{Cordoned: "2026-11-20T12:00:00Z"}},
				Spec:       corev1.NodeSpec{Unschedulable: true},
				Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, {Type: drained, Status: corev1.ConditionTrue}}},
			}
			for kind, is := range row.is {
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: is})
			}
			client := fake.NewClientset(n)
			s := &story{T: t, pools: must(cluster.ParsePolicy([]byte(`pools: [{name: all, selector: ""}]`), Maintenance))}
			if _, err := s.drainer(client).pass(ctx); err != nil {
				t.Fatal(err)
			}
			if n = must(client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})); n.Spec.Unschedulable != row.stays {
				t.Errorf("cordoned: %t, want %t", n.Spec.Unschedulable, row.stays)
			}
		})
	}
}

// A node that somebody else drains takes the room of one, and is not drained twice.
func TestNodesThatOthersDrainCount(t *testing.T) {
	for kind, waits := range map[corev1.NodeConditionType]bool{draining: true, drained: true, inProgress: true, planned: false} {
		ctx := t.Context()
		var nodes []runtime.Object
		for _, name := range []string{"a", "b"} {
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
			if name == "a" {
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionTrue})
			} else {
				n.Annotations = map[string]string{"maintenance": "2026-11-20T12:00:00Z"}
			}
			nodes = append(nodes, n)
		}
		client := fake.NewClientset(nodes...)
		s := &story{T: t, pools: must(cluster.ParsePolicy([]byte(`pools: [{name: all, selector: "", disruption: {budgets: [{nodes: "1"}]}}]`), Maintenance))}
		if _, err := s.drainer(client).pass(ctx); err != nil {
			t.Fatal(err)
		}
		a, b := must(client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})), must(client.CoreV1().Nodes().Get(ctx, "b", metav1.GetOptions{}))
		went := a.Spec.Unschedulable || b.Spec.Unschedulable
		if went == waits {
			t.Errorf("%s: a node is disrupted: %t", kind, went)
		}
		if c := cluster.Condition(b, drained); !waits && b.Spec.Unschedulable && !strings.HasPrefix(c.Message, "it was drained for maintenance, which may begin (20") {
			t.Errorf("it says %q", c.Message)
		}
	}
}

// lastTransitionTime is when the status became what it is: it stays where only the message changes, or the other condition.
func TestConditionsKeepTheTimeOfTheirLastTransition(t *testing.T) {
	before := metav1.NewTime(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	n := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: draining, Status: corev1.ConditionFalse, LastTransitionTime: before},
		{Type: drained, Status: corev1.ConditionTrue, LastTransitionTime: before},
	}}}
	kept := map[string]bool{}
	for _, c := range conditions(n, false, false, "back")["status"].(map[string]any)["conditions"].([]any) {
		c := c.(map[string]any)
		kept[string(c["type"].(corev1.NodeConditionType))] = c["lastTransitionTime"] == before.UTC().Format(time.RFC3339)
	}
	if !kept[string(draining)] || kept[string(drained)] || len(kept) != 2 {
		t.Errorf("kept: %v, want that of %s alone", kept, draining)
	}
}

// A request for a replacement is drained under the budgets of its reason, in which maintenance counts as well; false asks for nothing.
func TestRequestsAreDrainedUnderTheirBudgets(t *testing.T) {
	ctx := t.Context()
	const pools = `pools: [{name: all, selector: "", disruption: {budgets: [{nodes: "3", reasons: [Requested]}, {nodes: "2", reasons: [Maintenance]}]}}]`
	s := &story{T: t, pools: must(cluster.ParsePolicy([]byte(pools), Maintenance))}
	var nodes []runtime.Object
	for name, annotations := range map[string]map[string]string{
		"a": {annotation.Replace: "2026-11-20T12:00:00Z INC-1"}, "b": {annotation.Replace: "2026-11-20T11:00:00Z"}, "c": {"maintenance": "now"},
		"d": {annotation.Replace: "false"}, "e": {"maintenance": "now"}, "f": {"maintenance": "now"},
	} {
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		})
	}
	client := fake.NewClientset(nodes...)
	for range 2 {
		if _, err := s.drainer(client).pass(ctx); err != nil {
			t.Fatal(err)
		}
		cordoned := ""
		for _, n := range must(client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})).Items {
			if n.Spec.Unschedulable {
				cordoned += n.Name
			}
		}
		if cordoned != "bce" {
			t.Errorf("%s are cordoned, want bce: who asked first, and two for maintenance", cordoned)
		}
	}
}
