package plan_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// rolled returns nodes with pods, and a plan that replaces them one after the other, each an hour after the one before.
func rolled(pods ...int) (nodes []candidate.Node, p plan.Plan) {
	for i, n := range pods {
		name := fmt.Sprintf("n%d", i)
		nodes = append(nodes, candidate.Node{Name: name, Pool: "default", Phase: candidate.Running, Pods: make([]candidate.Pod, n)})
		start := fixture.Noon.Add(time.Duration(i) * time.Hour)
		p.Nodes = append(p.Nodes, plan.Node{
			Name: name, Pool: "default", Outcome: plan.Done, Start: start, Replacement: "new-" + name,
			Ready: start.Add(time.Minute), Gone: start.Add(10 * time.Minute),
		})
	}
	return nodes, p
}

func TestMovesOfPods(t *testing.T) {
	for _, test := range []struct {
		name   string
		pods   []int
		change func(nodes []candidate.Node, p *plan.Plan)
		soon   time.Duration
		moves  float64
	}{
		{name: "a pod of the only node moves once", pods: []int{8}, moves: 8},
		{name: "half of the pods of the first node move twice", pods: []int{8, 0}, moves: 12},
		{name: "none does if they avoid what is next", pods: []int{8, 0}, soon: time.Hour, moves: 8},
		{name: "a node that is not next within the time is not avoided", pods: []int{8, 0}, soon: 40 * time.Minute, moves: 12},
		{
			name: "a node that is next is better than none", pods: []int{8, 0}, soon: time.Hour, moves: 16,
			change: func(_ []candidate.Node, p *plan.Plan) { p.Nodes[0].Replacement = "" },
		},
		{
			name: "no pod lands on a node that is not Ready", pods: []int{8, 0}, moves: 8,
			change: func(nodes []candidate.Node, _ *plan.Plan) { nodes[1].Phase = candidate.NotReady },
		},
		{
			name: "pods that stay do not move", pods: []int{8, 0}, moves: 0,
			change: func(nodes []candidate.Node, _ *plan.Plan) {
				for i := range nodes[0].Pods {
					nodes[0].Pods[i].Stays = true
				}
			},
		},
		{
			name: "a pod of a node that is never gone does not move", pods: []int{8, 0}, moves: 0,
			change: func(_ []candidate.Node, p *plan.Plan) { p.Nodes[0].Gone = time.Time{} },
		},
		{
			name: "pods stay in their pool", pods: []int{8, 0}, moves: 8,
			change: func(nodes []candidate.Node, _ *plan.Plan) { nodes[1].Pool = "other" },
		},
		{
			name: "so do nodes that expire, beside those that are to go", pods: []int{8, 0}, moves: 12,
			change: func(_ []candidate.Node, p *plan.Plan) { p.Expiring, p.Nodes = p.Nodes[1:], p.Nodes[:1] },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes, p := rolled(test.pods...)
			if test.change != nil {
				test.change(nodes, &p)
			}
			if _, moves := p.Moves(nodes, test.soon); math.Abs(moves-test.moves) > 1e-9 {
				t.Errorf("%v moves, want %v", moves, test.moves)
			}
		})
	}
}

// A pod of a node that is disrupted moves at least once; and once only if pods avoid all nodes that are disrupted.
func TestPodsMoveOnceIfTheyAvoidAllDisruptedNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, p := rolled(rapid.SliceOfN(rapid.IntRange(0, 20), 1, 8).Draw(t, "pods")...)
		soon := time.Duration(rapid.IntRange(0, 9).Draw(t, "soon")) * time.Hour
		pods, moves := p.Moves(nodes, soon)
		if moves < float64(pods)-1e-9 {
			t.Errorf("%d pods move %v times", pods, moves)
		}
		if _, once := p.Moves(nodes, 10*time.Hour); math.Abs(once-float64(pods)) > 1e-9 {
			t.Errorf("%d pods move %v times though they avoid all nodes that are disrupted", pods, once)
		}
	})
}
