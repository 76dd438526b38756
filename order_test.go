package disruptkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestOrdersAreThoseOfTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, testkit.Arbitrary(generate.Ordered).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
}

// byAge returns the input with every order left out, or put in place of all.
func byAge(in disruptkit.Input, order string) disruptkit.Input {
	in.Pools, in.Groups = slices.Clone(in.Pools), slices.Clone(in.Groups)
	for i := range in.Pools {
		spec := in.Pools[i].Budgets.Spec()
		spec.Order = order
		in.Pools[i].Budgets, _ = spec.Compile()
	}
	for i := range in.Groups {
		spec := in.Groups[i].Budgets.Spec()
		spec.Order = order
		in.Groups[i].Budgets, _ = spec.Compile()
	}
	return in
}

func TestOldestIsTheOrderWithoutOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Ordered).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		if diff := cmp.Diff(disruptkit.Decide(byAge(in, ""), asked), disruptkit.Decide(byAge(in, "oldest"), asked)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A pool's order is the last one. Nodes that are equal by it keep the order of the group, and all nodes of a pool without an order, or with
// "oldest", do. What is equal by both goes by age, then by name.
func TestTiesOfAnOrderKeepTheOrderOfTheGroup(t *testing.T) {
	node := func(name, pool string, hours int, cost float64, rank int) candidate.Node {
		n := fixture.Wanted(name, fixture.Noon)
		n.Pool, n.Cost, n.Rank = pool, cost, rank
		n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Duration(hours) * time.Hour)}}
		return n
	}
	for _, c := range []struct{ pool, group, want string }{
		{"", "", "a1 a2 a3 a4 b1"},
		{"oldest", "", "a1 a2 a3 a4 b1"},
		{"", "newest", "b1 a3 a4 a2 a1"},
		{"oldest", "newest", "b1 a3 a4 a2 a1"},
		{"rank", "", "a2 a3 a4 a1 b1"},
		{"rank", "newest", "b1 a3 a4 a2 a1"}, // a1 has the highest rank, and the rest of a the same
		{"rank", "cheapest", "a4 a3 a2 a1 b1"},
		{"cheapest", "newest", "b1 a4 a3 a2 a1"},
	} {
		of := func(order string) budget.Set {
			set, err := budget.Spec{Budgets: []budget.Budget{}, Order: order}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "a", Budgets: of(c.pool)}, {Name: "b", Budgets: of("")}},
			Groups: []disruptkit.Group{{Name: "g", Pools: []string{"a", "b"}, Budgets: of(c.group)}},
			Nodes:  []candidate.Node{node("a1", "a", 9, 4, 1), node("a2", "a", 8, 3, 0), node("a3", "a", 7, 2, 0), node("a4", "a", 7, 1, 0), node("b1", "b", 6, 9, 5)}}
		var got []string
		for _, a := range disruptkit.Decide(in, candidate.Drifted).Allowed {
			got = append(got, a.Node)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("pool %q, group %q: %s, want %s", c.pool, c.group, got, c.want)
		}
	}
}

// Where nodes differ in more than age, cost and rank, an order may let others go, and then more or fewer: those first in line may use up
// more PodDisruptionBudgets than others, or have reasons that use up more budgets. So the law is about nodes that do not. It holds for any
// budgets, paces and deadlines. Pools with orders let as many go as ever, each. A group's order may let another pool of it go first, but in
// all its pools as many go as ever, unless groups overlap: then those that go first may be in two of them.
func TestOrderDecidesWhoAndNeverHowMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := alike(testkit.Arbitrary(generate.Ordered).Draw(t, "input"))
		if slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return unknownOrder(p.Budgets) }) ||
			slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return unknownOrder(g.Budgets) }) {
			t.Skip("an order that is none holds back every node")
		}
		ordered := slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return g.Budgets.Spec().Order != "" })
		pools := map[string]bool{}
		for _, g := range in.Groups {
			for _, p := range slices.Compact(slices.Sorted(slices.Values(g.Pools))) {
				if pools[p] && ordered {
					t.Skip("groups overlap, and have orders")
				}
				pools[p] = true
			}
		}
		count := func(d disruptkit.Decision) map[string]int {
			n := map[string]int{}
			for _, c := range d.Allowed {
				if ordered {
					c.Pool = ""
				}
				n[c.Pool]++
			}
			return n
		}
		if diff := cmp.Diff(count(disruptkit.Decide(byAge(in, ""), "")), count(disruptkit.Decide(in, ""))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// alike returns the input without zones and pods, with nodes that have drifted, or have nothing to go for.
func alike(in disruptkit.Input) disruptkit.Input {
	in.Rules, in.Pauses = candidate.Rules{}, nil
	in.Pools, in.Groups, in.Nodes = slices.Clone(in.Pools), slices.Clone(in.Groups), slices.Clone(in.Nodes)
	for i := range in.Pools {
		in.Pools[i].Budgets = withoutZones(in.Pools[i].Budgets)
	}
	for i := range in.Groups {
		in.Groups[i].Budgets = withoutZones(in.Groups[i].Budgets)
	}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Pods, n.Name = nil, fmt.Sprintf("node-%d", i)
		if len(n.Conditions) > 0 {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: n.Conditions[0].Since}}
			n.Phase = candidate.Running
		}
	}
	return in
}

func unknownOrder(s budget.Set) bool {
	return slices.ContainsFunc(s.Warnings(), func(w candidate.Warning) bool { return w.Field == "order" })
}

func withoutZones(s budget.Set) budget.Set {
	spec := s.Spec()
	zoned := func(b budget.Budget) bool { return b.TopologyKey != "" }
	if spec.Budgets != nil {
		spec.Budgets = slices.DeleteFunc(spec.Budgets, zoned)
	}
	s, _ = spec.Compile()
	return s
}

func TestKarpenterKnowsNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Ordered).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = dialect.Karpenter
		with, without := disruptkit.Decide(in, asked), disruptkit.Decide(byAge(in, ""), asked)
		without.Warnings, with.Warnings = nil, nil // "karpenter.sh/v1 has no field order"
		if diff := cmp.Diff(without, with); diff != "" {
			t.Fatal(diff)
		}
	})
}

// aged returns a node that has drifted so many hours ago.
func aged(name, pool string, hours int, cost float64, rank int) candidate.Node {
	return candidate.Node{
		Name: name, Pool: pool, Phase: candidate.Running, Cost: cost, Rank: rank,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Duration(hours) * time.Hour)}},
	}
}

func TestWhoGoesFirst(t *testing.T) {
	nodes := []candidate.Node{
		aged("a", "web", 5, 2, 3), aged("b", "web", 4, 1, 1), aged("c", "web", 3, 3, 2),
		aged("d", "batch", 6, 0, 9), aged("e", "batch", 2, 5, 0),
	}
	for _, c := range []struct {
		name              string
		web, batch, group string
		change            func([]candidate.Node)
		want              string
	}{
		{name: "without an order, the oldest", want: "d a b c e"},
		{name: "the oldest", web: "oldest", batch: "oldest", want: "d a b c e"},
		{name: "the newest of a pool, at the places of that pool", web: "newest", want: "d c b a e"},
		{name: "the cheapest", web: "cheapest", want: "d b a c e"},
		{name: "the lowest rank", web: "rank", want: "d b c a e"},
		{name: "each pool in its own order", web: "rank", batch: "newest", want: "e b c a d"},
		{name: "the newest of a group, over its pools", group: "newest", want: "e c b a d"},
		{name: "the group between pools, and the pool's own order within it", group: "newest", web: "cheapest", want: "e b a c d"},
		{name: "the cheapest of all", group: "cheapest", want: "d b a c e"},
		{name: "of equal costs, the oldest", web: "cheapest", want: "d a b c e", change: func(all []candidate.Node) {
			for i := range all {
				all[i].Cost = 1
			}
		}},
		{name: "a rank below 0 before none", web: "rank", want: "d c b a e", change: func(all []candidate.Node) { all[2].Rank = -1 }},
		{name: "a deadline before any order", web: "newest", want: "a d c b e", change: func(all []candidate.Node) {
			all[0].Conditions[0].Deadline = fixture.Noon.Add(time.Hour)
		}},
		{name: "of those with the same deadline, the newest", web: "newest", want: "b a d c e", change: func(all []candidate.Node) {
			for i := range 2 {
				all[i].Conditions[0].Deadline = fixture.Noon.Add(time.Hour)
			}
		}},
		{name: "repair by its urgency, whatever the order", web: "newest", want: "b c d a e", change: func(all []candidate.Node) {
			for i := 1; i < 3; i++ {
				all[i].Phase = candidate.NotReady
				all[i].Conditions[0].Reason = candidate.Unhealthy
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := slices.Clone(nodes)
			for i := range all {
				all[i].Conditions = slices.Clone(all[i].Conditions)
			}
			if c.change != nil {
				c.change(all)
			}
			set := func(order string) budget.Set {
				s, err := budget.Spec{Budgets: []budget.Budget{}, Order: order}.Compile()
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			in := disruptkit.Input{
				Now: fixture.Noon, Nodes: all,
				Pools:  []disruptkit.Pool{{Name: "web", Budgets: set(c.web)}, {Name: "batch", Budgets: set(c.batch)}},
				Groups: []disruptkit.Group{{Name: "both", Pools: []string{"web", "batch"}, Budgets: set(c.group)}},
			}
			var got []string
			for _, c := range disruptkit.Decide(in, "").Allowed {
				got = append(got, c.Node)
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestAnOrderThatIsNoneHoldsAllNodesBack(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}}, Order: "youngest"}.Compile()
	const want = `order: order "youngest" is unknown: write one of oldest, newest, cheapest, rank; until then, no node may go`
	if err == nil || err.Error() != want {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "web", Budgets: set}}, Nodes: []candidate.Node{aged("a", "web", 1, 0, 0)}}
	d := disruptkit.Decide(in, "")
	if len(d.Allowed) > 0 || d.Blocked[0].Blockers[0].Code != candidate.CodeInvalidBudget {
		t.Error(d)
	}
}

func TestAnOrderByWhatNoNodeHasIsToldOf(t *testing.T) {
	for _, c := range []struct {
		order string
		node  candidate.Node
		want  string
	}{
		{"cheapest", aged("a", "web", 1, 0, 5), `NodePool/web: order: order "cheapest" has no effect, since no node has a Cost, and the oldest goes first: set Node.Cost, or leave order out`},
		{"cheapest", aged("a", "web", 1, 1, 0), ""},
		{"rank", aged("a", "web", 1, 5, 0), `NodePool/web: order: order "rank" has no effect, since no node has a Rank, and the oldest goes first: set Node.Rank, or leave order out`},
		{"rank", aged("a", "web", 1, 0, -1), ""},
		{"rank", aged("a", "other", 1, 0, 0), ""},
		{"newest", aged("a", "web", 1, 0, 0), ""},
	} {
		set, err := budget.Spec{Order: c.order}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "web", Budgets: set}}, Nodes: []candidate.Node{c.node}}
		var got []string
		for _, w := range disruptkit.Decide(in, "").Warnings {
			got = append(got, w.Error())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %v", c.order, got)
		}
	}
}
