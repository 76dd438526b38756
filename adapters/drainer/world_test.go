package main

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
)

// A world is a cluster without a server, where a day takes a moment, and somebody who does the maintenance of drained nodes.
type world struct {
	*testing.T
	client  *fake.Clientset
	drainer *story
	writes  int
	crashes bool // every third write of the drainer fails
	mine    bool // the present write is not the drainer's

	cordoned, back []time.Time // of each time that one was cordoned, or came back
	away, most     int
}

func inWorld(t *testing.T, pools string, tell func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, drainer: &story{T: t, pools: must(cluster.ParsePolicy([]byte(pools), Maintenance))}}
		var nodes []runtime.Object
		for i := range 6 {
			nodes = append(nodes, &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), Labels: map[string]string{"of": fmt.Sprint(i % 2)}, Annotations: map[string]string{"maintenance": "2000-01-01T00:00:00Z"}},
				Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
			})
		}
		w.client = fake.NewClientset(nodes...)
		w.client.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if a.GetVerb() == "list" || a.GetVerb() == "get" || w.mine {
				return false, nil, nil
			}
			if w.writes++; w.crashes && w.writes%3 == 0 {
				return true, nil, errors.New("the drainer crashed")
			}
			return false, nil, nil
		})
		tell(w)
	})
}

// run lets a drainer that restarts every time look at it twice a minute.
func (w *world) run(lasts time.Duration) {
	for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(30 * time.Second) {
		_, err := w.drainer.drainer(w.client).pass(w.Context())
		if err != nil && !w.crashes {
			w.Fatal(err)
		}
		w.elapse()
	}
}

func (w *world) elapse() {
	w.mine = true
	defer func() { w.mine = false }()
	away := 0
	for _, n := range must(w.client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})).Items {
		if n.Spec.Unschedulable {
			away++
		}
		if c := cluster.Condition(&n, drained); c.Status == corev1.ConditionTrue && time.Since(c.LastTransitionTime.Time) > 5*time.Minute && n.Annotations["maintenance"] != "" {
			delete(n.Annotations, "maintenance")
			must(w.client.CoreV1().Nodes().Update(w.Context(), &n, metav1.UpdateOptions{}))
		}
	}
	for ; w.away < away; w.away++ {
		w.cordoned = append(w.cordoned, time.Now())
	}
	for ; w.away > away; w.away-- {
		w.back = append(w.back, time.Now())
	}
	w.most = max(w.most, away)
}

// left returns how many nodes somebody still asks for.
func (w *world) left() (left int) {
	for _, n := range must(w.client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})).Items {
		if _, asked := n.Annotations["maintenance"]; asked {
			left++
		}
	}
	return left
}

func TestNoMoreNodesAreAwayThanTheBudgetWhereverTheDrainerCrashes(t *testing.T) {
	for most := 1; most <= 3; most++ {
		for _, crashes := range []bool{false, true} {
			inWorld(t, fmt.Sprintf(`pools: [{name: all, selector: "", disruption: {budgets: [{nodes: "%d"}]}}]`, most), func(w *world) {
				w.crashes = crashes
				w.run(4 * time.Hour)
				if w.most != most || w.away > 0 {
					t.Errorf("%d were away at once, and the budget is %d; %d are still", w.most, most, w.away)
				}
				if left := w.left(); left > 0 {
					t.Errorf("%d were not drained", left)
				}
			})
		}
	}
}

// A node that is back under its name soaks from then on.
func TestADrainedNodeSoaksOnceItIsBack(t *testing.T) {
	inWorld(t, `pools: [{name: all, selector: "", disruption: {budgets: [{nodes: "1", soak: 20m}]}}]`, func(w *world) {
		w.run(6 * time.Hour)
		if len(w.back) != 6 {
			t.Fatalf("%d came back", len(w.back))
		}
		for i, at := range w.cordoned[1:] {
			if soaked := at.Sub(w.back[i]); soaked < 20*time.Minute || soaked > 21*time.Minute {
				t.Errorf("one goes %s after the last one came back", soaked)
			}
		}
	})
}

func TestAPolicyHoldsOverSeveralPools(t *testing.T) {
	const pools = `
pools:
- {name: even, selector: of=0, labels: {team: shop}, disruption: {budgets: [{nodes: 100%}]}}
- {name: odd, selector: of=1, labels: {team: shop}, disruption: {budgets: [{nodes: 100%}]}}
policies:
- metadata: {name: shop}
  spec: {nodePoolSelector: {matchLabels: {team: shop}}, `
	for spec, want := range map[string]int{
		`budgets: [{nodes: "2", reasons: [Maintenance]}]}`:                                2,
		`budgets: [{nodes: 100%, topologyKey: karpenter.sh/nodepool, sequential: true}]}`: 3,
		`pause: {by: alice}}`: 0,
	} {
		inWorld(t, pools+spec, func(w *world) {
			w.run(4 * time.Hour)
			if left := w.left(); w.most != want || (left > 0) != (want == 0) {
				t.Errorf("%s: %d were away at once, want %d; %d were not drained", spec, w.most, want, left)
			}
		})
	}
}
