package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// Karpenter, SimulateScheduling: "we don't want to proceed disrupting if our scheduling decision relies on nodes that haven't
// entered a terminal state."
func TestWherePodsFitOnOtherReplacementsOneIsLaunchedAtATime(t *testing.T) {
	for _, test := range []struct {
		rule   string
		room   func(candidate.Node) string
		full   bool
		change func(*disruptkit.Input)
		want   string
	}{
		{rule: "in one pool", room: func(n candidate.Node) string { return n.Pool },
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:02:00 done 12:07:00; a-3 Drifted 12:04:00 done 12:09:00"},
		{rule: "of nodes that share room", room: func(n candidate.Node) string { return n.Name[:2] + n.Labels["zone"] },
			change: func(in *disruptkit.Input) { in.Nodes[1].Labels = map[string]string{"zone": "b"} },
			want:   "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:02:00 done 12:07:00"},
		{rule: "but nodes whose pods have all ended need no space", room: func(n candidate.Node) string { return n.Pool },
			change: func(in *disruptkit.Input) {
				in.Nodes[1].Pods = []candidate.Pod{{Name: "job", Inactive: true, Stays: true}}
			},
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:02:00 done 12:07:00"},
		{rule: "and full nodes have none", room: func(candidate.Node) string { return "" },
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00"},
		{rule: "or only for older pods", room: func(n candidate.Node) string { return n.Pool }, full: true, change: started(0, -1, 1),
			want: "a-1 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:02:00 done 12:07:00"},
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
			p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Room: test.room, Full: test.full}})
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

// Drift.ComputeCommands goes on to the next candidate, with a guard as well: a node that moves no pods starts instead.
func TestANodeWithoutPodsToMoveStartsBeforeOneThatWaitsForSpace(t *testing.T) {
	for _, as := range []dialect.Dialect{dialect.Karpenter, dialect.Disruptkit} {
		in := disruptkit.Input{Now: fixture.Noon, Dialect: as, Nodes: fixture.Fleet(0, 3)}
		in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}
		for i := range in.Nodes {
			in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
		}
		in.Nodes[2].Pods = nil
		p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Room: func(n candidate.Node) string { return n.Pool }}})
		for _, n := range p.Nodes {
			if n.Name == "a-3" && n.Start.After(fixture.Noon.Add(10*time.Second)) { // when it looks again
				t.Errorf("%v: %s", as, story(p.Nodes))
			}
		}
	}
}

// A node that waits for several things waits for room first, but not for room of nodes that wait themselves. The decision says when it
// next changes, also where Decide does not know.
func TestANodeWithoutABudgetWaitsForRoomAsWell(t *testing.T) {
	for _, test := range []struct {
		rule, nodes string
		inFlight    bool
		want        string // of the second of three
		change      time.Time
	}{
		{"room alone", "100%", false, "node/room 2m0s", fixture.Clock("12:02")},
		{"room, and then a budget", "1", false, "node/room 2m0s, budget/exhausted 3m0s", time.Time{}},
		{"a budget, and then room", "1", true, "budget/exhausted 6m0s, node/room 2m0s", time.Time{}},
	} {
		in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
		in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: test.nodes})}
		for i := range in.Nodes {
			in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
		}
		if test.inFlight {
			in.Nodes = append(in.Nodes, candidate.Node{Name: "gone", Pool: "default", Phase: candidate.Running, Leaving: candidate.Draining})
		}
		var first disruptkit.Decision
		p := plan.Run(in, plan.Options{
			Model: plan.Model{Pass: -1, Room: func(n candidate.Node) string { return n.Pool }},
			Observe: func(_ disruptkit.Input, d disruptkit.Decision) {
				if d.Now.Equal(fixture.Noon) {
					first = d
				}
			},
		})
		var waits []string
		second := p.Nodes[slices.IndexFunc(p.Nodes, func(n plan.Node) bool { return n.Name == "a-2" })]
		for _, w := range second.Waits {
			waits = append(waits, fmt.Sprintf("%s/%s %s", w.Gate, w.Code, w.For))
		}
		if got := strings.Join(waits, ", "); got != test.want {
			t.Errorf("%s: it waits for %s, want %s", test.rule, got, test.want)
		}
		if !first.NextChange.Equal(test.change) {
			t.Errorf("%s: the first decision changes next at %s, want %s", test.rule, first.NextChange, test.change)
		}
	}
}

// started lets the pods of nodes start at hours after noon, in the order of the nodes.
func started(hours ...int) func(*disruptkit.Input) {
	return func(in *disruptkit.Input) {
		for i := range in.Nodes {
			in.Nodes[i].Pods = []candidate.Pod{{Name: "web", Started: fixture.Noon.Add(time.Duration(hours[i]) * time.Hour)}}
		}
	}
}

// Karpenter's scheduler takes pods in the order of their ages. Where all are as large, a full replacement that is launched has space for
// as many as its node had. A drifted node waits if one of its own pods would be put there.
func TestOfFullNodesTheOldestPodsGetTheReplacements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		age := func() time.Time {
			return fixture.Noon.Add(time.Duration(rapid.IntRange(-99, 0).Draw(t, "started")) * time.Minute)
		}
		type aged struct {
			started time.Time
			own     bool
		}
		var all []aged
		nodeOf := func(own bool) (n candidate.Node) {
			for range rapid.IntRange(1, 3).Draw(t, "pods") {
				p := candidate.Pod{Started: age()}
				n.Pods, all = append(n.Pods, p), append(all, aged{p.Started, own})
			}
			return n
		}
		var launching []candidate.Node
		room := 0
		for range rapid.IntRange(1, 3).Draw(t, "launching") {
			n := nodeOf(false)
			launching, room = append(launching, n), room+len(n.Pods)
		}
		n := nodeOf(true)
		slices.SortStableFunc(all, func(a, b aged) int { return a.started.Compare(b.started) }) // those of nodes that went first come first
		want := slices.ContainsFunc(all[:room], func(p aged) bool { return p.own })
		if got := plan.Held(launching, n, fixture.Noon); got != want {
			t.Fatalf("held %t, want %t: %v", got, want, all)
		}
	})
}

// Whoever drains first has evicted its pods before its replacement is launched.
func TestFullNodesThatDrainFirstDrainOneByOne(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	started(0, 0)(&in)
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Room: func(n candidate.Node) string { return n.Pool }, Full: true, DrainFirst: true}})
	if got, want := story(p.Nodes), "a-1 Drifted 12:00:00 done 12:03:00; a-2 Drifted 12:05:00 done 12:08:00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The pods of a node that expires are evicted at once, and others use their slot, as they are younger than all.
func TestADriftedNodeWaitsWhileTheReplacementOfAnEvictedNodeIsLaunched(t *testing.T) {
	for rule, test := range map[string]struct {
		expires map[string]int
		want    string
	}{
		"which expires while it waits for its replacement": {map[string]int{"a-1": 1},
			"a-1 Drifted 12:00:00 done 12:04:00; a-2 Drifted 12:02:00 done 12:07:00"},
		"and not while it has its pods": {map[string]int{"a-1": 3}, "a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:01:00 done 12:06:00"},
	} {
		t.Run(rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Schedule: "0 12 * * *", Duration: "1m"})}
			started(0, 0)(&in)
			p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1,
				Room: func(n candidate.Node) string { return n.Pool }, Full: true, Expires: expireAt(test.expires),
			}})
			if got := story(p.Nodes); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A pass starts one node of the cluster. The other pool has its own replacements, and is next with the next pass.
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

// The replacement of a node that expires also has space for others.
func TestADriftedNodeWaitsForTheReplacementOfANodeThatExpires(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
	in.Nodes[1].Conditions = nil
	for i := range in.Nodes {
		in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
	}
	for _, full := range []bool{false, true} {
		p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1,
			Room: func(n candidate.Node) string { return n.Pool }, Full: full, Expires: expireAt(map[string]int{"a-2": 0}),
		}})
		if got, want := story(p.Nodes), "a-1 Drifted 12:02:00 done 12:07:00"; got != want {
			t.Errorf("full %t: got  %s\nwant %s", full, got, want)
		}
	}
}

// So does a node that joins when the plan begins, whatever it replaces, unless it is of other room or already Ready.
func TestADriftedNodeWaitsForANodeThatJoinsAtTheBeginning(t *testing.T) {
	for _, test := range []struct {
		rule   string
		joins  candidate.Node
		static bool
		want   string
	}{
		{"launched", candidate.Node{Pool: "default", Phase: candidate.Launched}, false, "12:02:00"},
		{"registered", candidate.Node{Pool: "default", Phase: candidate.Registered}, false, "12:02:00"},
		{"Ready", candidate.Node{Pool: "default", Phase: candidate.Running, ReadySince: fixture.Noon}, false, "12:00:00"},
		{"of another pool", candidate.Node{Pool: "other", Phase: candidate.Launched}, false, "12:00:00"},
		{"of a static pool", candidate.Node{Pool: "default", Phase: candidate.Launched}, true, "12:00:00"},
	} {
		for _, full := range []bool{false, true} {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 1)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"}), {Name: "other"}}
			in.Nodes[0].Pods = []candidate.Pod{{Name: "web", Started: fixture.Noon.Add(-time.Hour)}}
			test.joins.Name = "new"
			in.Nodes = append(in.Nodes, test.joins)
			p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1,
				Room: func(n candidate.Node) string { return n.Pool }, Full: full,
				Static: func(string) (bool, int) { return test.static, 0 },
			}})
			if got := p.Nodes[0].Start.Format(time.TimeOnly); got != test.want {
				t.Errorf("%s, full %t: starts at %s, want %s", test.rule, full, got, test.want)
			}
		}
	}
}

func TestAPassTakesTheLongerTheLargerTheClusterIs(t *testing.T) {
	for nodes, want := range map[int]time.Duration{0: time.Second, 100: 1150 * time.Millisecond, 4_000: 7 * time.Second, -1: time.Second} {
		if got := plan.PassOf(nodes); got != want {
			t.Errorf("%d nodes: %s, want %s", nodes, got, want)
		}
	}
}
