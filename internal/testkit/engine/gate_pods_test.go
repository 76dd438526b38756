package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/internal/testkit/naive"
)

// TestPodsTieNodesTogether reports for each node: its until, if it is allowed, or else the codes of what
// blocks it, and when that lifts. One pod each of the apps a and b may be evicted.
func TestPodsTieNodesTogether(t *testing.T) {
	zones := budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}}
	for _, c := range []struct {
		name    string
		budgets map[string][]budget.Budget // of each pool; none is no limit
		nodes   []candidate.Node
		now     []string
		at      string // a later time
		then    []string
	}{
		{
			name:  "a node of an unknown pool is blocked, and has no blocker for a PDB that others use up",
			nodes: []candidate.Node{fixture.Sharing("n1", "p", "", 3, "a"), fixture.Sharing("n2", "gone", "", 2, "a")},
			now:   []string{"n1 goes", "n2 node/unknown-pool"},
		},
		{
			name:  "a node in flight uses up what its pods need, and is asked nothing more",
			nodes: []candidate.Node{fixture.InFlight(fixture.Sharing("n1", "p", "", 3, "a")), fixture.Sharing("n2", "q", "", 2, "a")},
			now:   []string{"n1 node/deleting", "n2 pod/exhausted"},
		},
		{
			name:  "if a window closes, another node uses the PDB, and a third has to wait",
			nodes: []candidate.Node{fixture.GoesFrom(fixture.Sharing("n1", "p", "", 3, "a"), 11, 2), fixture.Sharing("n2", "q", "", 2, "a", "b"), fixture.Sharing("n3", "p", "", 1, "b")},
			now:   []string{"n1 goes until 13:00", "n3 goes", "n2 pod/exhausted pod/exhausted"},
			at:    "13:00",
			then:  []string{"n2 goes", "n1 pod/outside-schedule until 11:00 pod/exhausted", "n3 pod/exhausted"},
		},
		{
			name:  "no node loses a slot if there are enough for all",
			nodes: []candidate.Node{fixture.GoesFrom(fixture.Sharing("n1", "p", "", 3), 14, 2), fixture.GoesFrom(fixture.Sharing("n2", "p", "", 2), 8, 10)},
			now:   []string{"n2 goes until 18:00", "n1 pod/outside-schedule until 14:00"},
			at:    "14:00",
			then:  []string{"n1 goes until 16:00", "n2 goes until 18:00"},
		},
		{
			name:    "a window that closes lets another zone have its turn, which takes a PDB elsewhere",
			budgets: map[string][]budget.Budget{"p": {zones}},
			nodes: []candidate.Node{
				fixture.Sharing("q1", "q", "", 10, "a"), fixture.GoesFrom(fixture.Sharing("a1", "p", "a", 9, "a"), 11, 2),
				fixture.Sharing("b1", "p", "b", 8, "b"), fixture.Sharing("c", "q", "", 7, "b"),
			},
			now:  []string{"q1 goes", "c goes", "a1 pod/exhausted", "b1 pod/exhausted topology/waits-for-domain"},
			at:   "13:00",
			then: []string{"q1 goes", "b1 goes until 11:00", "a1 pod/outside-schedule until 11:00 pod/exhausted topology/waits-for-domain", "c pod/exhausted"},
		},
		{
			name:    "a window that closes during a freeze may leave the turn to another zone",
			budgets: map[string][]budget.Budget{"p": {zones, {Nodes: "0", Schedule: "0 11 * * *", Duration: "3h"}}},
			nodes:   []candidate.Node{fixture.GoesFrom(fixture.Sharing("n1", "p", "b", 9), 9, 4), fixture.Sharing("n2", "p", "a", 8), fixture.Sharing("n3", "p", "b", 7)},
			now: []string{
				"n1 budget/allows-none until 14:00",
				"n2 budget/allows-none until 14:00 topology/waits-for-domain",
				"n3 budget/allows-none until 14:00",
			},
			at:   "14:00",
			then: []string{"n2 goes until 09:00", "n1 pod/outside-schedule until 09:00 topology/waits-for-domain", "n3 topology/waits-for-domain"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon}
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{fixture.PDB("a"), fixture.PDB("b")}, nil)
			for _, pool := range []string{"p", "q"} {
				set, err := budget.Compile(append([]budget.Budget{}, c.budgets[pool]...))
				if err != nil {
					t.Fatal(err)
				}
				in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Budgets: set})
			}
			in.Nodes = c.nodes
			d := disruptkit.Decide(in, candidate.Drifted)
			if diff := cmp.Diff(c.now, fixture.Fates(d)); diff != "" {
				t.Error(diff)
			}
			if c.at == "" {
				return
			}
			in.Now, in.Memory = fixture.Clock(c.at), d.Memory
			if diff := cmp.Diff(c.then, fixture.Fates(disruptkit.Decide(in, candidate.Drifted))); diff != "" {
				t.Error("then", diff)
			}
		})
	}
}

// The pods of a node with many reasons are judged twice: for those that are eventual, and for the others.
func TestANodeWithAGracePeriodIsBlockedForSomeReasonsOnly(t *testing.T) {
	n := fixture.Sharing("n", "p", "", 1)
	n.HasGracePeriod = true
	n.Pods = []candidate.Pod{{Namespace: "shop", Name: "busy", Terms: candidate.Terms{Protect: candidate.Forever}}}
	n.Conditions = nil
	for i, reason := range []candidate.Reason{"Underutilized", "Empty", "Drifted/AMIDrift", "Drifted", "Expired"} {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: reason, Since: fixture.Noon.Add(time.Duration(i-9) * time.Hour)})
	}
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "p"}}, Nodes: []candidate.Node{n}}, "")
	var got []string
	for _, c := range append(d.Allowed, d.Blocked...) {
		text := string(c.Reason)
		for _, b := range c.Blockers {
			text += " " + string(b.Gate) + "/" + string(b.Code)
		}
		got = append(got, text)
	}
	want := []string{"Drifted/AMIDrift", "Underutilized node/already-allowed pod/do-not-disrupt budget/exhausted",
		"Empty node/already-allowed pod/do-not-disrupt budget/exhausted", "Drifted node/already-allowed budget/exhausted",
		"Expired node/already-allowed pod/do-not-disrupt budget/exhausted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// candidate.Node.PodsUnknown: "Any of them may block the node, so it stays, whatever the reason and its grace period."
func TestANodeWhosePodsAreNotKnownStaysAndUsesNothingUp(t *testing.T) {
	now := fixture.Noon
	one, err := budget.Compile([]budget.Budget{{Nodes: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []candidate.Reason{candidate.Drifted, "Drifted/AMIDrift", candidate.Empty, candidate.Underutilized, candidate.Expired} {
		in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: one}}}
		for age, name := range []string{"young", "old"} {
			in.Nodes = append(in.Nodes, candidate.Node{
				Name: name, Pool: "default", Phase: candidate.Running, HasGracePeriod: true,
				Conditions: []candidate.Condition{{Reason: reason, Since: now.Add(-time.Duration(age+1) * time.Hour)}},
			})
		}
		in.Nodes[1].PodsUnknown = true
		d := disruptkit.Decide(in, "")
		if len(d.Allowed) != 1 || d.Allowed[0].Node != "young" {
			t.Errorf("%s: allowed: %+v", reason, d.Allowed)
		}
		if len(d.Blocked) != 1 || len(d.Blocked[0].Blockers) != 2 || d.Blocked[0].Blockers[0].Code != candidate.CodePodsUnknown ||
			d.Blocked[0].Blockers[0].Gate != candidate.GatePod || d.Blocked[0].Blockers[1].Gate != candidate.GateBudget {
			t.Errorf("%s: blocked: %+v", reason, d.Blocked)
		}
	}
}

// What one decision allows, and the next on what it leaves, can all be started together.
func TestPDBsAreNeverOverdrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Tied).Draw(t, "input")
		gone := naive.InFlight(in)
		for range 2 {
			d := disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
			for _, c := range d.Allowed {
				i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
				j := slices.IndexFunc(in.Nodes[i].Conditions, func(o candidate.Condition) bool { return o.Reason == c.Reason })
				codes, used, _ := naive.Pods(in, in.Nodes[i], in.Nodes[i].Conditions[j], gone)
				if len(codes) > 0 {
					t.Fatalf("%s may be disrupted, but %v", c.Node, codes)
				}
				for _, pdb := range used {
					gone[pdb]++
				}
			}
			in = in.Apply(d)
		}
	})
}

// Other nodes may go instead: one that stays leaves its disruption of a PDB to another.
func TestOneMorePodNeverAllowsItsNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Filter(func(in disruptkit.Input) bool { return len(in.Nodes) > 0 }).Draw(t, "input")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		i := rapid.IntRange(0, len(in.Nodes)-1).Draw(t, "node")
		may := func(in disruptkit.Input) bool {
			return slices.ContainsFunc(disruptkit.Decide(in, asked).Allowed, func(c candidate.Candidate) bool { return c.Node == in.Nodes[i].Name })
		}
		more := in
		more.Nodes = slices.Clone(in.Nodes)
		more.Nodes[i].Pods = slices.Concat(in.Nodes[i].Pods, testkit.Arbitrary(generate.Pods(in.Now)).Draw(t, "more pods"))
		if !may(in) && may(more) {
			t.Fatalf("%s may be disrupted only with more pods", in.Nodes[i].Name)
		}
	})
}
