package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
)

// "It uncordons no others": a node that was to go, and that somebody else has cordoned before the drainer did, stays cordoned once nobody asks
// any more; one with the drainer's mark comes back.
func TestOnlyNodesWithTheMarkAreUncordoned(t *testing.T) {
	for _, row := range []struct {
		name        string
		annotations map[string]string
		stored      bool // that the drainer has let it go
		want        bool // cordoned afterwards
	}{
		{"cordoned by the drainer", map[string]string{Cordoned: "2026-11-20T12:00:00Z"}, true, false},
		{"cordoned by the drainer, and what it stored is lost", map[string]string{Cordoned: "2026-11-20T12:00:00Z"}, false, false},
		{"let go by the drainer, and cordoned by somebody else", nil, true, true},
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
			s := &story{T: t, pools: must(cluster.ParsePolicy([]byte("pools: [{name: all}]"), Maintenance))}
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
