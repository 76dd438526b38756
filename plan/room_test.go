package plan_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// Karpenter, SimulateScheduling: "we don't want to proceed disrupting if our scheduling decision relies on nodes that haven't
// entered a terminal state."
func TestWherePodsFitOnOtherReplacementsOneIsLaunchedAtATime(t *testing.T) {
	for _, test := range []struct {
		rule   string
		room   func(candidate.Node) string
		change func(*disruptkit.Input)
		want   string
	}{
		{rule: "in one pool", room: func(n candidate.Node) string { return n.Pool },
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:02:00 done 12:07:00; a-3 Drifted 12:04:00 done 12:09:00"},
		{rule: "of nodes that share room", room: func(n candidate.Node) string { return n.Name[:2] + n.Labels["zone"] },
			change: func(in *disruptkit.Input) { in.Nodes[1].Labels = map[string]string{"zone": "b"} },
			want:   "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:02:00 done 12:07:00"},
		{rule: "but nodes whose pods have all ended need no room", room: func(n candidate.Node) string { return n.Pool },
			change: func(in *disruptkit.Input) {
				in.Nodes[1].Pods = []candidate.Pod{{Name: "job", Inactive: true, Stays: true}}
			},
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:02:00 done 12:07:00"},
		{rule: "and full nodes have none", room: func(candidate.Node) string { return "" },
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00"},
		{rule: "not so for other reasons", room: func(n candidate.Node) string { return n.Pool },
			change: func(in *disruptkit.Input) {
				for i := range in.Nodes {
					in.Nodes[i].Conditions[0].Reason = candidate.Empty
				}
			},
			want: "a-1 Empty 12:00:00 done 12:03:00; a-2 Empty 12:00:00 done 12:03:00; a-3 Empty 12:00:00 done 12:03:00"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
			for i := range in.Nodes {
				in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
			}
			if test.change != nil {
				test.change(&in)
			}
			p := plan.Run(in, plan.Options{Model: plan.Model{Room: test.room}})
			if got := story(p.Nodes); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			for _, n := range p.Nodes {
				waited := time.Duration(0)
				for _, w := range n.Waits {
					waited += w.For
				}
				if waited != n.Start.Sub(p.From) {
					t.Errorf("%s waits for %s: %v", n.Name, waited, n.Waits)
				}
			}
		})
	}
}

// A pass starts one node of the cluster. The other pool has room of its own, and its turn comes with the next pass.
func TestANodeThatAPassLeavesOutLaunchesNothing(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
	for i := range in.Nodes {
		in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
	}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	p := plan.Run(in, plan.Options{Model: plan.Model{
		Pass: time.Second, Room: func(n candidate.Node) string { return map[bool]string{true: "one", false: "two"}[n.Name == "a-1"] },
	}})
	want := "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:01 done 12:05:01; a-3 Drifted 12:02:02 done 12:07:02"
	if got := story(p.Nodes); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A replacement of a node that expires has room, too.
func TestADriftedNodeWaitsForTheReplacementOfANodeThatExpires(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	in.Nodes[1].Conditions = nil
	for i := range in.Nodes {
		in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
	}
	p := plan.Run(in, plan.Options{Model: plan.Model{
		Room: func(n candidate.Node) string { return n.Pool }, Expires: expireAt(map[string]int{"a-2": 0}),
	}})
	if got, want := story(p.Nodes), "a-1 Drifted 12:02:00 done 12:07:00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAPassTakesTheLongerTheLargerTheClusterIs(t *testing.T) {
	for nodes, want := range map[int]time.Duration{0: time.Second, 100: 1150 * time.Millisecond, 4_000: 7 * time.Second, -1: time.Second} {
		if got := plan.PassOf(nodes); got != want {
			t.Errorf("%d nodes: %s, want %s", nodes, got, want)
		}
	}
}
