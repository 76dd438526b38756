package line_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestDisplaced(t *testing.T) {
	one := func(b budget.Budget) budget.Set {
		set, err := budget.Compile([]budget.Budget{b})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	web := map[string]string{"app": "web"}
	rules, err := candidate.CompileRules([]candidate.PDB{{Namespace: "default", Name: "web", Selector: &candidate.Selector{MatchLabels: web}, DisruptionsAllowed: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	node := func(name, zone string) candidate.Node {
		return candidate.Node{
			Name: name, Pool: "default", Labels: map[string]string{"zone": zone}, Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon}},
		}
	}
	withPod := func(n candidate.Node) candidate.Node {
		n.Pods = []candidate.Pod{{Namespace: "default", Name: "web-" + n.Name, Labels: web}}
		return n
	}
	going := func(n candidate.Node) candidate.Node {
		n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted
		return n
	}
	held := func(n candidate.Node) candidate.Node {
		n.DoNotDisrupt = true
		return n
	}
	for name, c := range map[string]struct {
		budget budget.Budget
		nodes  []candidate.Node
		want   []string
	}{
		"a candidate for which there is no room after an older one": {
			budget.Budget{Nodes: "1"}, []candidate.Node{node("a1", "a"), node("a2", "a")}, []string{"a2"},
		},
		"none where a node in flight uses up the budget": {
			budget.Budget{Nodes: "1"}, []candidate.Node{going(node("a1", "a")), node("a2", "a")}, nil,
		},
		"none where the budget is 0": {
			budget.Budget{Nodes: "0"}, []candidate.Node{node("a1", "a"), node("a2", "a")}, nil,
		},
		"one whose PodDisruptionBudget an older one uses up": {
			budget.Budget{Nodes: "2"}, []candidate.Node{withPod(node("a1", "a")), withPod(node("a2", "a"))}, []string{"a2"},
		},
		"not one whose PodDisruptionBudget a node in flight uses up": {
			budget.Budget{Nodes: "2"}, []candidate.Node{withPod(going(node("a1", "a"))), withPod(node("a2", "a"))}, nil,
		},
		"not one that is held back by itself, too": {
			budget.Budget{Nodes: "1"}, []candidate.Node{node("a1", "a"), held(node("a2", "a"))}, nil,
		},
		"one of the zone whose turn it is, and none of another": {
			budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true},
			[]candidate.Node{node("a1", "a"), node("a2", "a"), node("b1", "b")},
			[]string{"a2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := disruptkit.Decide(disruptkit.Input{
				Now: fixture.Noon, Nodes: c.nodes, Rules: rules, Pools: []disruptkit.Pool{{Name: "default", Budgets: one(c.budget)}},
			}, candidate.Drifted)
			var got []string
			for _, b := range d.Blocked {
				if b.Displaced {
					got = append(got, b.Node)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestADisplacedCandidateMayGoIfItIsChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := arbitrary(generate.Input).Draw(t, "input")
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		for _, c := range disruptkit.Decide(in, asked).Blocked {
			if c.Displaced && !isAllowed(disruptkit.Decide(chosen(in, c.Node), asked), c.Node) {
				t.Fatalf("%s is displaced, but may not go by itself: %v", c.Node, c.Blockers)
			}
		}
	})
}

// Where zones take turns, it may be another's turn once others are not chosen.
func TestOnlyADisplacedCandidateMayGoIfItIsChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := arbitrary(generate.Single).Draw(t, "input")
		for _, c := range disruptkit.Decide(in, "").Blocked {
			if !c.Displaced && isAllowed(disruptkit.Decide(chosen(in, c.Node), ""), c.Node) {
				t.Fatalf("%s may go by itself, but is not displaced: %v", c.Node, c.Blockers)
			}
		}
	})
}

// chosen returns the input of a caller who chose one node.
func chosen(in disruptkit.Input, name string) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.Name != name {
			n.Blockers = append(slices.Clip(n.Blockers), candidate.Blocker{Gate: candidate.GateNode, Code: "not-chosen", Message: "not chosen"})
		}
	}
	return in
}

func isAllowed(d disruptkit.Decision, name string) bool {
	return slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return c.Node == name })
}
