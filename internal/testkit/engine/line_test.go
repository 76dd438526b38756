package engine_test

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
	"github.com/disruptkit/disruptkit/probe"
)

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

// Where nodes differ in more than age, cost and rank, an order may allow others, and then more or fewer: those first in line may use up
// more PodDisruptionBudgets than others, or have reasons that use up more budgets. So the law is about nodes that do not. It holds for any
// budgets, paces and deadlines. Pools with orders allow as many as ever, each. A group's order may allow another pool of it first, but in
// all its pools as many go as ever, unless groups overlap: then those that are disrupted first may be in two of them.
func TestOrderDecidesWhoAndNeverHowMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := alike(testkit.Arbitrary(generate.Ordered).Draw(t, "input"))
		if slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return unknownOrder(p.Budgets) }) ||
			slices.ContainsFunc(in.Groups, func(g disruptkit.Group) bool { return unknownOrder(g.Budgets) }) {
			t.Skip("an unknown order blocks every node")
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

// aged returns a node that has drifted so many hours ago.
func aged(name, pool string, hours int, cost float64, rank int) candidate.Node {
	return candidate.Node{
		Name: name, Pool: pool, Phase: candidate.Running, Cost: cost, Rank: rank,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Duration(hours) * time.Hour)}},
	}
}

func TestAnUnknownOrderBlocksAllNodes(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}}, Order: "youngest"}.Compile()
	const want = `order: order "youngest" is unknown: write one of oldest, newest, cheapest, rank; until then, no node is allowed`
	if err == nil || err.Error() != want {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "web", Budgets: set}}, Nodes: []candidate.Node{aged("a", "web", 1, 0, 0)}}
	d := disruptkit.Decide(in, "")
	if len(d.Allowed) > 0 || d.Blocked[0].Blockers[0].Code != candidate.CodeInvalidBudget {
		t.Error(d)
	}
}

func TestAnOrderByAFieldThatNoNodeHasHasAWarning(t *testing.T) {
	for _, c := range []struct {
		order string
		node  candidate.Node
		want  string
	}{
		{"cheapest", aged("a", "web", 1, 0, 5), `NodePool/web: order: order "cheapest" has no effect, since no node has a Cost, so the oldest is first: set Node.Cost, or leave order out`},
		{"cheapest", aged("a", "web", 1, 1, 0), ""},
		{"rank", aged("a", "web", 1, 5, 0), `NodePool/web: order: order "rank" has no effect, since no node has a Rank, so the oldest is first: set Node.Rank, or leave order out`},
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

// unhealthy returns a node of the pool "default" that is not Ready, and has been to be repaired for some minutes.
func unhealthy(name string, minutes int) candidate.Node {
	return candidate.Node{Name: name, Pool: "default", Phase: candidate.NotReady, Conditions: []candidate.Condition{
		{Reason: "Unhealthy/Ready", Since: fixture.Noon.Add(-time.Duration(minutes) * time.Minute)},
	}}
}

// rebooting returns a node as it is while it reboots.
func rebooting(n candidate.Node) candidate.Node {
	n.Rebooting, n.Phase = true, candidate.Launched
	return n
}

// fatesOf decides for all reasons, and tells each node with its fate.
func fatesOf(in disruptkit.Input, asked candidate.Reason) string {
	return strings.Join(fixture.Fates(disruptkit.Decide(in, asked)), "\n")
}

// The numbers behind each reason are those of Karpenter: 0 of 1 in use for Unhealthy, 1 of 1 for Drifted.
func TestTheNumbersOfRepairAreItsOwn(t *testing.T) {
	in := disruptkit.Input{
		Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})},
		Nodes: []candidate.Node{unhealthy("a", 30), fixture.Wanted("b", fixture.Noon, "Drifted")},
	}
	want := `default : 2 nodes, 1 disrupting, 1 allowed by [0] for good, 0 remain
default Drifted: 2 nodes, 1 disrupting, 1 allowed by [0] for good, 0 remain
default Unhealthy/Ready: 2 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
+ a Unhealthy/Ready for good
- b Drifted budget/exhausted: 1 of 2 nodes may be disrupted at once, 1 in flight or not Ready: budgets[0] is 1
next change: never
`
	if diff := cmp.Diff(want, fixture.Story(disruptkit.Decide(in, ""))); diff != "" {
		t.Error(diff)
	}
	in.Nodes = append(in.Nodes, rebooting(unhealthy("r", 90)))
	want = "1 of 3 nodes may be disrupted at once, 1 in flight: budgets[0] is 1"
	for _, c := range disruptkit.Decide(in, candidate.Unhealthy).Blocked {
		if last := c.Blockers[len(c.Blockers)-1].Message; last != want {
			t.Errorf("%s: %s, want %s", c.Node, last, want)
		}
	}
}

// §10: "Since is when it became eligible; one in the future blocks as tolerated until then."
func TestRepairWaitsForToleration(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
	in.Nodes = []candidate.Node{unhealthy("a", -20), unhealthy("b", 5), unhealthy("c", -40)}
	in.Nodes[1].DoNotRepair, in.Nodes[0].DoNotDisrupt = true, true
	want := "b node/do-not-repair\na node/tolerated until 12:20\nc node/tolerated until 12:40"
	if diff := cmp.Diff(want, fatesOf(in, candidate.Unhealthy)); diff != "" {
		t.Error(diff)
	}
	if next := disruptkit.Decide(in, candidate.Unhealthy).NextChange; !next.Equal(fixture.Noon.Add(20 * time.Minute)) {
		t.Errorf("the next change is at %v", next)
	}
	in.Now = fixture.Noon.Add(20 * time.Minute)
	if got := fatesOf(in, candidate.Unhealthy); !strings.HasPrefix(got, "a goes\n") {
		t.Errorf("at 12:20: %s", got)
	}
}

// uninitialized returns a node as it is when it never got any further than to register.
func uninitialized(n candidate.Node) candidate.Node {
	n.Phase = candidate.Registered
	return n
}

// Where a caller lets zones take turns for repair, a node that no budget counts takes its turn all the same: when it is disrupted, its zone
// is rolling.
func TestWhereRepairTakesTurnsAllNodesDo(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1 b1 a2")}
	for i, minutes := range []int{30, 20, 10} {
		in.Nodes[i].Conditions, in.Nodes[i].Phase = unhealthy("", minutes).Conditions, candidate.NotReady
	}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "100%"})}
	if got := fatesOf(in, candidate.Unhealthy); got != "a1 goes\nb1 goes\na2 goes" {
		t.Errorf("by default, zones do not order repair: %s", got)
	}
	in.Pools[0].Topology.Reasons = []candidate.Reason{candidate.Unhealthy}
	if got := fatesOf(in, candidate.Unhealthy); got != "a1 goes\nb1 topology/waits-for-domain\na2 topology/exhausted" {
		t.Errorf("where a caller says so, they do: %s", got)
	}
	in.Nodes[1] = uninitialized(in.Nodes[1])
	if got := fatesOf(in, candidate.Unhealthy); got != "a1 goes\nb1 topology/waits-for-domain\na2 topology/exhausted" {
		t.Errorf("a node that is not counted goes beside the turn: %s", got)
	}
}

// "Callers decide Unhealthy first, then Apply": deciding everything at once lets the same nodes be repaired.
func TestDecidingAllReasonsAtOnceRepairsWhatRepairAloneDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input") // where zones take turns, those asked for may be of another zone
		repaired := func(asked candidate.Reason) (keys []string) {
			for _, c := range disruptkit.Decide(in, asked).Allowed {
				if candidate.Unhealthy.Covers(c.Reason) {
					keys = append(keys, fixture.Key(c))
				}
			}
			return keys
		}
		if diff := cmp.Diff(repaired(candidate.Unhealthy), repaired("")); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Each veto is for what it says: do-not-repair for repair alone, and do-not-disrupt for all but repair.
func TestAVetoBlocksNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input")
		vetoed := in
		vetoed.Nodes = slices.Clone(in.Nodes)
		for i := range vetoed.Nodes {
			n := &vetoed.Nodes[i]
			n.DoNotRepair, n.DoNotDisrupt = rapid.Bool().Draw(t, "do-not-repair"), rapid.Bool().Draw(t, "do-not-disrupt")
		}
		for _, c := range disruptkit.Decide(vetoed, "").Allowed {
			n := vetoed.Nodes[slices.IndexFunc(vetoed.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })]
			if repair := candidate.Unhealthy.Covers(c.Reason); repair && n.DoNotRepair || !repair && n.DoNotDisrupt {
				t.Fatalf("%s goes for %s", c.Node, c.Reason)
			}
		}
		for i := range vetoed.Nodes {
			vetoed.Nodes[i].DoNotRepair = in.Nodes[i].DoNotRepair
		}
		if diff := cmp.Diff(fatesOf(in, candidate.Unhealthy), fatesOf(vetoed, candidate.Unhealthy)); diff != "" {
			t.Fatalf("do-not-disrupt changes repair: %s", diff)
		}
		for i := range vetoed.Nodes {
			vetoed.Nodes[i].DoNotRepair, vetoed.Nodes[i].DoNotDisrupt = !in.Nodes[i].DoNotRepair, in.Nodes[i].DoNotDisrupt
		}
		for _, asked := range []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized} {
			if diff := cmp.Diff(fatesOf(in, asked), fatesOf(vetoed, asked)); diff != "" {
				t.Fatalf("do-not-repair changes %s: %s", asked, diff)
			}
		}
	})
}

// "A wave of unhealthy nodes must not starve the very budget that repairs them" (Karpenter, NodePoolStatsFromNodes).
func TestNodesThatAreNotReadyTakeNothingFromRepair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input")
		wave := in
		wave.Nodes = slices.Clone(in.Nodes)
		for i := range wave.Nodes {
			if n := &wave.Nodes[i]; !n.InFlight() && n.Phase.Known() && !n.Phase.Joining() { // of those in flight it may matter where they count
				n.Phase = rapid.SampledFrom([]candidate.Phase{candidate.Running, candidate.NotReady}).Draw(t, "phase")
			}
		}
		if diff := cmp.Diff(fatesOf(in, candidate.Unhealthy), fatesOf(wave, candidate.Unhealthy)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A node that begins to reboot never leaves a slot for one more, whatever the reason: it uses up one disruption, also where it was not
// counted before.
func TestARebootNeverLeavesMoreRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Draw(t, "input")
		rebooted := in
		rebooted.Nodes = slices.Clone(in.Nodes)
		for i := range rebooted.Nodes {
			rebooted.Nodes[i].Rebooting = rebooted.Nodes[i].Rebooting || rapid.Bool().Draw(t, "reboots")
		}
		for _, asked := range candidate.Methods() {
			before, after := disruptkit.Decide(in, asked).Pools, disruptkit.Decide(rebooted, asked).Pools
			for i := range before {
				if b, a := before[i], after[i]; a.Remaining > b.Remaining {
					t.Fatalf("%s of %s: %d remain, and then %d", b.Reason, b.Pool, b.Remaining, a.Remaining)
				}
			}
		}
	})
}

// due returns the fleet whose nodes, from the oldest on, have deadlines such as "11:00"; "-" is none.
func due(deadlines string) []candidate.Node {
	texts := strings.Fields(deadlines)
	nodes := fixture.Fleet(0, len(texts))
	for i, text := range texts {
		if text != "-" {
			nodes[i].Conditions[0].Deadline = fixture.Clock(text)
		}
	}
	return nodes
}

// TestWhatBlocksOverdueNodes at noon: who is disrupted, and what blocks the others.
func TestWhatBlocksOverdueNodes(t *testing.T) {
	none, two := budget.Budget{Nodes: "0"}, budget.Budget{Nodes: "2"}
	pace := budget.Budget{Nodes: "2", Per: "1h"}
	started := map[string]disruptkit.Memory{"default": {Starts: []disruptkit.Start{{Node: "x", At: fixture.Clock("11:50")}, {Node: "y", At: fixture.Clock("11:55")}}}}
	waits := map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: fixture.Clock("12:02")}}}
	for _, c := range []struct {
		name      string
		deadlines string
		budgets   []budget.Budget
		change    func(in *disruptkit.Input)
		want      string
	}{
		{"no window", "11:00 -", []budget.Budget{fixture.Freeze, two}, nil, "a-1; a-2 budget/allows-none"},
		{"from the deadline on", "12:00", []budget.Budget{fixture.Freeze, two}, nil, "a-1"},
		{"not before", "12:01", []budget.Budget{fixture.Freeze, two}, nil, "a-1 budget/allows-none"},
		{"how many go at once: as many as the least budget above 0 lets, active or not", "11:00 11:01 11:02",
			[]budget.Budget{fixture.Freeze, {Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")}, nil, "a-1 a-2; a-3 budget/exhausted"},
		{"one is disrupted at once where no budget gives more than 0", "11:00 11:01", []budget.Budget{none}, nil, "a-1; a-2 budget/exhausted"},
		{"those in flight, for whatever reason", "- 11:01", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, candidate.Empty
		}, "a-2 budget/exhausted; a-1 node/deleting budget/allows-none"},
		{"those that are not Ready", "- 11:01", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) {
			in.Nodes[0].Phase = candidate.NotReady
		}, "a-2 budget/exhausted; a-1 budget/allows-none"},
		{"no more than others where budgets allow nodes", "- - 11:00 11:01", []budget.Budget{{Nodes: "3"}, fixture.During(budget.Budget{Nodes: "1"}, "0 0 * * *", "1h")}, nil,
			"a-3 a-4 a-1; a-2 budget/exhausted"},
		{"nothing where no budget is for the reason", "11:00 11:01 11:02", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Empty"}}}, nil, "a-1 a-2 a-3"},
		{"no pace", "11:00 -", []budget.Budget{pace}, func(in *disruptkit.Input) { in.Memory = started }, "a-1; a-2 budget/paced"},
		{"how many a pace lets start, of those in flight", "11:00 11:01 11:02", []budget.Budget{pace}, func(in *disruptkit.Input) { in.Memory = started }, "a-1 a-2; a-3 budget/exhausted"},
		{"no back-off", "11:00 -", []budget.Budget{two}, func(in *disruptkit.Input) { in.Memory = waits }, "a-1; a-2 backoff/backed-off"},
		{"how many go at once in a back-off", "11:00 11:01 11:02", []budget.Budget{{Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")},
			func(in *disruptkit.Input) { in.Memory = waits }, "a-1 a-2; a-3 budget/exhausted"},
		{"how many go at once in a back-off, but only for reasons that back off", "11:00 11:01 11:02", []budget.Budget{{Nodes: "5"}, fixture.During(two, "0 0 * * *", "1h")},
			func(in *disruptkit.Input) {
				in.Memory = waits
				for i := range in.Nodes {
					in.Nodes[i].Conditions[0].Reason = candidate.Empty
				}
			}, "a-1 a-2 a-3"},
		{"a pause", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) {
			in.Pauses = []probe.Pause{{By: "alice", Until: fixture.Clock("13:00")}}
		}, "a-1 probe/paused"},
		{"a probe", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) {
			in.Verdicts = []probe.Verdict{{Probe: "p", Code: "unhealthy"}}
		}, "a-1 probe/unhealthy"},
		{"do-not-disrupt", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true }, "a-1 node/do-not-disrupt"},
		{"a pending pod that is expected", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) {
			in.Nodes[0].NominatedUntil = fixture.Clock("12:01")
		}, "a-1 node/nominated"},
		{"the caller's blockers", "11:00", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) { in.Nodes[0].Blockers = fixture.Spent }, "a-1 pod/pdb"},
		{"a budget that is broken", "11:00", []budget.Budget{two, {Nodes: "two"}}, nil, "a-1 budget/invalid-budget"},
		{"an unknown reason", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) { in.Nodes[0].Conditions[0].Reason = "drifted" }, "a-1 budget/unknown-reason"},
		{"no time", "11:00", []budget.Budget{two}, func(in *disruptkit.Input) { in.Now = time.Time{} }, "a-1 node/no-time budget/no-time"},
		{"a deadline before the reason began to hold is none", "-", []budget.Budget{fixture.Freeze}, func(in *disruptkit.Input) {
			c := &in.Nodes[0].Conditions[0]
			c.Deadline = c.Since.Add(-1)
		}, "a-1 budget/allows-none"},
		{"one since when the reason holds is one", "-", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			c := &in.Nodes[0].Conditions[0]
			c.Deadline = c.Since
		}, "a-1"},
		{"one of a reason of which nobody knows since when it holds", "11:00", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			in.Nodes[0].Conditions[0].Since = time.Time{}
		}, "a-1"},
		{"in Karpenter's dialect there are no deadlines", "11:00", []budget.Budget{fixture.Freeze, two}, func(in *disruptkit.Input) {
			in.Dialect = dialect.Karpenter
		}, "a-1 budget/allows-none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Compile(c.budgets)
			in := disruptkit.Input{Now: fixture.Noon, Nodes: due(c.deadlines), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			if c.change != nil {
				c.change(&in)
			}
			if diff := cmp.Diff(c.want, told(disruptkit.Decide(in, ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// told returns "a-1 a-2; a-3 budget/exhausted": who is disrupted, and what blocks each of the others now.
func told(d disruptkit.Decision) string {
	texts := []string{strings.Join(fixture.Allowed(d), " ")}
	if len(d.Allowed) == 0 {
		texts = nil
	}
	for _, c := range d.Blocked {
		text := c.Node
		for _, b := range c.Blockers {
			text += " " + string(b.Gate) + "/" + string(b.Code)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestOverdueIsReported(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 12:00 13:00 -"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	d := disruptkit.Decide(in, "Drifted")
	var got []string
	for _, c := range append(d.Allowed, d.Blocked...) {
		text := c.Node
		if !c.Deadline.IsZero() {
			text += c.Deadline.Format(" 15:04")
		}
		if c.Overdue {
			text += " overdue"
		}
		got = append(got, text)
	}
	if diff := cmp.Diff([]string{"a-1 11:00 overdue", "a-2 12:00 overdue", "a-3 13:00", "a-4"}, got); diff != "" {
		t.Error(diff)
	}
}

// Overdue nodes and others share the numbers of their pool and reason.
func TestNumbersAreReportedOncePerReason(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 -"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	in.Nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
	var got []candidate.Reason
	for _, p := range disruptkit.Decide(in, candidate.Drifted).Pools {
		got = append(got, p.Reason)
	}
	if diff := cmp.Diff([]candidate.Reason{"Drifted", "Drifted/AMIDrift"}, got); diff != "" {
		t.Error(diff)
	}
}

// Two of four nodes are overdue, and one of them has to wait for others.
func TestTheBlockerOfAnOverdueNodeHasTheLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		change  func(in *disruptkit.Input)
		want    string
	}{
		{"by the least limit above 0", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, nil,
			"a-2: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 already allowed: budgets[1] is 1"},
		{"beside those in flight", []budget.Budget{fixture.Freeze, {Nodes: "1"}}, func(in *disruptkit.Input) { in.Nodes[3].Leaving = candidate.Draining },
			"a-1: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 in flight or not Ready: budgets[1] is 1\n" +
				"a-2: the node is overdue, and 1 of 4 nodes may be disrupted at once then, 1 in flight or not Ready: budgets[1] is 1"},
		{"beside both", []budget.Budget{fixture.Freeze, {Nodes: "2"}}, func(in *disruptkit.Input) { in.Nodes[3].Phase = candidate.NotReady },
			"a-2: the node is overdue, and 2 of 4 nodes may be disrupted at once then, 1 in flight or not Ready, 1 already allowed: budgets[1] is 2"},
		{"or what is broken", []budget.Budget{fixture.Freeze, {Nodes: "two"}}, nil,
			`a-1: no node may be disrupted: budgets[1].nodes: nodes "two": write a count such as 5, or a percentage from 0% to 100%` + "\n" +
				`a-2: no node may be disrupted: budgets[1].nodes: nodes "two": write a count such as 5, or a percentage from 0% to 100%`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Compile(c.budgets)
			in := disruptkit.Input{Now: fixture.Noon, Nodes: due("11:00 11:01 - -"), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			if c.change != nil {
				c.change(&in)
			}
			var got []string
			for _, blocked := range disruptkit.Decide(in, "").Blocked {
				for _, b := range blocked.Blockers {
					if blocked.Overdue && b.Gate == candidate.GateBudget {
						got = append(got, blocked.Node+": "+b.Message)
					}
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Where two pools have one name, nobody knows whose deadlines hold, or whose back-off.
func TestPoolsOfOneNameHaveNoDeadlineAndNoBackOff(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Drift: budget.Control{Deadline: "1h"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	one := disruptkit.Pool{Name: "default", Budgets: set}
	for pools, want := range map[int]string{1: "a-1 overdue; 1 backed off", 2: "a-1; 0 backed off"} {
		d := disruptkit.Decide(disruptkit.Input{
			Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{one, one}[:pools],
			Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 2, Until: fixture.Clock("12:02")}}},
		}, candidate.Drifted)
		var got string
		for _, c := range append(d.Allowed, d.Blocked...) {
			got += c.Node
			if c.Overdue || !c.Deadline.IsZero() {
				got += " overdue"
			}
		}
		if got += fmt.Sprintf("; %d backed off", len(d.Pools[0].Blockers)); got != want {
			t.Errorf("%d pools: %s, want %s", pools, got, want)
		}
	}
}
