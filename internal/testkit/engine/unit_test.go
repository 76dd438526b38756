package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/topology"
)

// unitOf returns running nodes of a unit in zone a. The first has drifted.
func unitOf(name string, n int) (nodes []candidate.Node) {
	for i := range n {
		node := candidate.Node{
			Name: fmt.Sprintf("%s-%d", name, i), Pool: "general", Unit: name, Phase: candidate.Running,
			Labels: map[string]string{fixture.Zone: "a"},
		}
		if i == 0 {
			node.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Hour)}}
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// single returns a node of no unit that has drifted after those of unitOf.
func single(zone string) candidate.Node {
	n := unitOf("alone", 1)[0]
	n.Name, n.Unit, n.Labels = "alone", "", map[string]string{fixture.Zone: zone}
	n.Conditions[0].Since = fixture.Noon.Add(-time.Minute)
	return n
}

func TestUnits(t *testing.T) {
	in := func(n *candidate.Node, leaving candidate.Leaving, reason candidate.Reason) {
		n.Leaving, n.DisruptedFor = leaving, reason
	}
	for _, test := range []struct {
		name    string
		spec    budget.Spec
		change  func(nodes []candidate.Node)
		nodes   []candidate.Node
		allowed string // the names
		blocked string // what the blockers of the first blocked candidate have
	}{
		{
			name: "a unit is disrupted as soon as one of its nodes has a reason",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: unitOf("gang", 4), allowed: "gang-0 gang-1 gang-2 gang-3",
		},
		{
			name: "a unit that is larger than a limit is blocked, and the message says which number allows it",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}}}, nodes: unitOf("gang", 4),
			blocked: "budget/unit-too-large: its unit has 4 nodes, and 3 of 4 nodes may be disrupted at once: allow 4",
		},
		{
			name: "a domain that is smaller blocks a unit",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2", TopologyKey: fixture.Zone}}}, nodes: unitOf("gang", 3),
			blocked: "topology/unit-too-large: its unit has 3 nodes, and 2 of 3 nodes in a may be disrupted at once",
		},
		{
			name: "what blocks one node blocks all, and names it",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: unitOf("gang", 2),
			change:  func(nodes []candidate.Node) { nodes[1].DoNotDisrupt = true },
			blocked: "node/do-not-disrupt: node gang-1 of its unit: ",
		},
		{
			name: "a pace counts all nodes of a unit at once",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2", Per: "1h"}}}, nodes: unitOf("gang", 3),
			blocked: "budget/paced: start limit reached: its unit has 3 nodes",
		},
		{
			name: "a unit in several zones is blocked by a budget that lets zones take turns",
			spec: budget.Spec{Budgets: []budget.Budget{fixture.Sequential("4")}}, nodes: unitOf("gang", 2),
			change:  func(nodes []candidate.Node) { nodes[1].Labels = map[string]string{fixture.Zone: "b"} },
			blocked: "topology/unit-spans-domains",
		},
		{
			name: "once a node of a unit is in flight, the others are candidates for the same reason",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: unitOf("gang", 3),
			change: func(nodes []candidate.Node) {
				nodes[0].Conditions = nil
				in(&nodes[0], candidate.Draining, candidate.Underutilized)
			},
			allowed: "gang-1 gang-2",
		},
		{
			name: "what replaces a node in flight hands no reason on to the unit, even if it is in flight itself",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: unitOf("gang", 3),
			change: func(nodes []candidate.Node) {
				nodes[0].Conditions, nodes[2].Replaces = nil, "gang-0"
				in(&nodes[0], candidate.Draining, candidate.Underutilized)
				in(&nodes[2], candidate.Draining, candidate.Drifted)
			},
			allowed: "gang-1",
		},
		{
			name: "nodes that have replaced others are a unit once those are gone",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: unitOf("gang", 3),
			change: func(nodes []candidate.Node) {
				for i := range nodes {
					nodes[i].Replaces = fmt.Sprint("gone-", i)
				}
				in(&nodes[0], candidate.Draining, candidate.Drifted)
			},
			allowed: "gang-1 gang-2",
		},
		{
			name: "a unit counts only its nodes that are not in flight",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}}, nodes: unitOf("gang", 3),
			change:  func(nodes []candidate.Node) { in(&nodes[2], candidate.Terminating, candidate.Drifted) },
			allowed: "gang-0 gang-1",
		},
		{
			name: "two units are disrupted if both fit",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}}}, nodes: append(unitOf("gang", 2), unitOf("ring", 3)...),
			allowed: "gang-0 gang-1 ring-0 ring-1 ring-2",
		},
		{
			name: "a unit that does not fit beside another one waits",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "4"}}}, nodes: append(unitOf("gang", 2), unitOf("ring", 3)...),
			allowed: "gang-0 gang-1",
			blocked: "budget/exhausted: its unit has 3 nodes, and 4 of 5 nodes may be disrupted at once, 2 already allowed",
		},
		{
			name: "the turn does not wait for a unit that never fits",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}, fixture.Sequential("4")}}, nodes: append(unitOf("gang", 3), single("b")),
			allowed: "alone", blocked: "budget/unit-too-large",
		},
		{
			name:  "nor for one that never fits into a domain of another budget",
			spec:  budget.Spec{Budgets: []budget.Budget{{Nodes: "2", TopologyKey: "rack"}, fixture.Sequential("4")}},
			nodes: append(unitOf("gang", 3), single("b")), change: func(nodes []candidate.Node) {
				for i := range nodes {
					nodes[i].Labels = map[string]string{fixture.Zone: nodes[i].Labels[fixture.Zone], "rack": "r" + nodes[i].Labels[fixture.Zone]}
				}
			},
			allowed: "alone", blocked: "topology/unit-too-large",
		},
		{
			name: "nor for one that another of its nodes blocks for good",
			spec: budget.Spec{Budgets: []budget.Budget{fixture.Sequential("4")}}, nodes: append(unitOf("gang", 2), single("b")),
			change:  func(nodes []candidate.Node) { nodes[1].DoNotDisrupt = true },
			allowed: "alone", blocked: "node/do-not-disrupt: node gang-1 of its unit: ",
		},
		{
			name:  "a unit that is too large is disrupted alone if the budgets say so",
			spec:  budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}, {Nodes: "1", TopologyKey: fixture.Zone}, {Nodes: "1", Per: "1h"}}, Oversized: "alone"},
			nodes: append(unitOf("gang", 4), single("a")), allowed: "gang-0 gang-1 gang-2 gang-3",
		},
		{
			name: "it waits while another node is in flight",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Oversized: "alone"}, nodes: append(unitOf("gang", 4), single("a")),
			change:  func(nodes []candidate.Node) { in(&nodes[4], candidate.Draining, candidate.Drifted) },
			blocked: "budget/exhausted: its unit has 4 nodes, and 2 of 5 nodes may be disrupted at once, 1 in flight",
		},
		{
			name: "or not Ready",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Oversized: "alone"}, nodes: append(unitOf("gang", 4), single("a")),
			change:  func(nodes []candidate.Node) { nodes[4].Phase, nodes[4].Conditions = candidate.NotReady, nil },
			blocked: "budget/exhausted: its unit has 4 nodes, and 2 of 5 nodes may be disrupted at once, 1 in flight or not Ready",
		},
		{
			name: "a limit of 0 allows no unit, however it is written",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}, Oversized: "alone"}, nodes: unitOf("gang", 4), blocked: "budget/allows-none",
		},
		{
			name: "of two units that are too large, one is disrupted",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Oversized: "alone"}, nodes: append(unitOf("gang", 3), unitOf("ring", 3)...),
			allowed: "gang-0 gang-1 gang-2", blocked: "budget/exhausted",
		},
		{
			name: "a wave that is smaller than a unit is of one unit",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "9"}}, Oversized: "alone",
				Drift: budget.Control{Rollout: &budget.Rollout{Waves: []string{"1"}}}},
			nodes: append(unitOf("gang", 3), unitOf("ring", 3)...), allowed: "gang-0 gang-1 gang-2", blocked: "wave/wave-full",
		},
		{
			name: "once it is overdue, it is disrupted alone despite a window",
			spec: budget.Spec{
				Budgets:   []budget.Budget{{Nodes: "2"}, {Nodes: "0", Schedule: "0 11 * * *", Duration: "2h"}},
				Oversized: "alone", Drift: budget.Control{Deadline: "30m"},
			},
			nodes: unitOf("gang", 4), allowed: "gang-0 gang-1 gang-2 gang-3",
		},
		{
			name: "the cost of a unit is the sum of its nodes'",
			spec: budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Order: "cheapest"}, nodes: append(unitOf("gang", 2), single("a")),
			change: func(nodes []candidate.Node) {
				for i, cost := range []float64{2, 2, 3} {
					nodes[i].Cost = cost
				}
			},
			allowed: "alone", blocked: "budget/exhausted",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := test.spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			if test.change != nil {
				test.change(test.nodes)
			}
			pool := disruptkit.Pool{Name: "general", Budgets: set}
			d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{pool}, Nodes: test.nodes}, "")
			var allowed []string
			for _, c := range d.Allowed {
				allowed = append(allowed, c.Node)
			}
			if got := strings.Join(allowed, " "); got != test.allowed {
				t.Errorf("allowed are %q, want %q: %v", got, test.allowed, d.Blocked)
			}
			said := ""
			for _, c := range d.Blocked {
				if c.Unit != "" && said == "" {
					said = fmt.Sprint(c.Blockers)
				}
			}
			if !strings.Contains(said, test.blocked) || (said == "") != (test.blocked == "") {
				t.Errorf("blockers are %s, want %s", said, test.blocked)
			}
		})
	}
}

// A domain that has the turn has nothing to go if its nodes are of a unit in several domains, even if that is overdue.
func TestTheTurnDoesNotStayForAUnitInSeveralZones(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{fixture.Sequential("4")}, Drift: budget.Control{Deadline: "30m"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	nodes := append(unitOf("gang", 2), single("b"))
	nodes[1].Labels = map[string]string{fixture.Zone: "c"}
	in := disruptkit.Input{
		Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "general", Budgets: set}}, Nodes: nodes,
		Memory: map[string]disruptkit.Memory{"general": {Roll: topology.Roll{Key: fixture.Zone, Domain: "a"}}},
	}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != 1 || d.Allowed[0].Node != "alone" {
		t.Errorf("%v is allowed: %v", d.Allowed, d.Blocked)
	}
}

// A window that ends lifts the blocker of a unit that is too large only if it is alone then.
func TestTheEndOfAWindowLiftsTheBlockerOfALargeUnitThatIsAlone(t *testing.T) {
	set, err := budget.Spec{
		Budgets: []budget.Budget{{Nodes: "2"}, {Nodes: "0", Schedule: "0 11 * * *", Duration: "2h"}}, Oversized: "alone",
	}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for others, want := range map[int]time.Time{0: fixture.Clock("13:00"), 1: {}} {
		nodes := unitOf("gang", 4)
		for range others {
			n := single("a")
			n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted
			nodes = append(nodes, n)
		}
		d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "general", Budgets: set}}, Nodes: nodes}, "")
		for _, c := range d.Blocked {
			if b := c.Blockers[0]; c.Unit != "" && (b.Gate != candidate.GateBudget || !b.Until.Equal(want)) {
				t.Errorf("beside %d nodes in flight: %v until %v, want %v", others, b, b.Until, want)
			}
		}
	}
}

// TestUnitsOfOneNodeChangeNothing is the law of units that a caller without groups of nodes relies on.
func TestUnitsOfOneNodeChangeNothing(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		for i := range in.Nodes {
			in.Nodes[i].Unit = ""
		}
		want := disruptkit.Decide(in, asked)
		for i := range in.Nodes {
			in.Nodes[i].Unit = fmt.Sprint("unit-", i)
		}
		return cmp.Diff(want, disruptkit.Decide(in, asked), compiled)
	})
}

// TestAUnitIsDisruptedAsAWholeOrNotAtAll is the law of units.
func TestAUnitIsDisruptedAsAWholeOrNotAtAll(t *testing.T) {
	everyInput(t, func(in disruptkit.Input, asked candidate.Reason) string {
		if in.Dialect != "" {
			return ""
		}
		allowed := map[string]bool{}
		d := disruptkit.Decide(in, asked)
		for _, c := range d.Allowed {
			allowed[c.Node] = true
		}
		for _, c := range d.Allowed {
			for _, n := range in.Nodes {
				if c.Unit != "" && n.Unit == c.Unit && !n.InFlight() && !allowed[n.Name] {
					return fmt.Sprintf("%s is disrupted without %s of its unit %s", c.Node, n.Name, c.Unit)
				}
			}
		}
		return ""
	})
}

func TestAUnitThatIsInFlightForAnUnknownReasonIsWarnedOfAsLongAsSomeNodesAreNot(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: unitOf("gang", 2), Pools: []disruptkit.Pool{{Name: "general"}}}
	for i, want := range []int{1, 0} {
		in.Nodes[i].Leaving = candidate.Draining
		if got := disruptkit.Decide(in, "").Warnings; len(got) != want {
			t.Errorf("with %d nodes in flight, the warnings are %v", i+1, got)
		}
	}
}

func TestAUnitInSeveralPoolsIsWarnedOf(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: unitOf("gang", 2), Pools: []disruptkit.Pool{{Name: "general"}, {Name: "other"}}}
	for i, pool := range []string{"general", "other"} {
		in.Nodes[1].Pool = pool
		if got := fmt.Sprint(disruptkit.Decide(in, "").Warnings); strings.Contains(got, "has nodes of several pools (general, other)") != (i == 1) {
			t.Errorf("with nodes of general and %s, the warnings are %s", pool, got)
		}
	}
}

func TestANodeSaysBecauseOfWhichNodeOfItsUnitItIsDisrupted(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: unitOf("gang", 2), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}}
	in.Pools[0].Name = "general"
	d := disruptkit.Decide(in, "")
	if len(d.Allowed) != 2 || d.Allowed[0].Because != "" || d.Allowed[1].Because != "gang-0" {
		t.Errorf("%+v", d.Allowed)
	}
}

// A deadline that is ignored is warned of once, for the node that has it.
func TestADeadlineOfAUnitThatIsIgnoredIsThatOfOneNode(t *testing.T) {
	nodes := unitOf("gang", 3)
	nodes[0].Conditions[0].Deadline = fixture.Noon.Add(-2 * time.Hour) // before it drifted
	nodes[1].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon}}
	set, _ := budget.Compile(nil)
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{{Name: "general", Budgets: set}}}, "")
	var warned []string
	for _, w := range d.Warnings {
		if w.Code == "invalid-deadline" {
			warned = append(warned, w.Object)
		}
	}
	if diff := cmp.Diff([]string{"Node/gang-0"}, warned); diff != "" {
		t.Error(diff)
	}
}

// A node that follows another one of its unit into repair is healthy: nothing that protects it gives way.
func TestWhoFollowsABrokenNodeIntoItsRepairIsNotBroken(t *testing.T) {
	none := fixture.PDB("web")
	none.DisruptionsAllowed = 0
	rules, err := candidate.CompileRules([]candidate.PDB{none}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pods := fixture.Sharing("", "", "", 24, "web").Pods
	for name, test := range map[string]struct {
		protect func(n *candidate.Node)
		blocked string
	}{
		"nothing protects it":        {func(*candidate.Node) {}, ""},
		"do-not-disrupt":             {func(n *candidate.Node) { n.DoNotDisrupt = true }, "node/do-not-disrupt"},
		"do-not-repair":              {func(n *candidate.Node) { n.DoNotRepair = true }, "node/do-not-repair"},
		"it joins":                   {func(n *candidate.Node) { n.Phase = candidate.Registered }, "node/not-initialized"},
		"a PDB":                      {func(n *candidate.Node) { n.Pods = pods }, "pod/allows-none"},
		"a PDB and its grace period": {func(n *candidate.Node) { n.Pods, n.HasGracePeriod = pods, true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Rules: rules, Nodes: unitOf("gang", 2), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}}
			for i := range in.Nodes {
				in.Nodes[i].Pool = in.Pools[0].Name
			}
			sick, well := &in.Nodes[0], &in.Nodes[1]
			sick.DoNotDisrupt, sick.Pods = true, pods // its own repair goes on all the same
			sick.Conditions = []candidate.Condition{{Reason: candidate.Unhealthy, Since: fixture.Noon.Add(-time.Hour), Bound: new(time.Duration)}}
			test.protect(well)
			var got string
			if d := disruptkit.Decide(in, candidate.Unhealthy); len(d.Blocked) > 0 {
				b := d.Blocked[0].Blockers[0]
				got = string(b.Gate) + "/" + string(b.Code)
			}
			if got != test.blocked {
				t.Errorf("the unit is blocked by %q, want %q", got, test.blocked)
			}
		})
	}
}

// Each node of a unit is judged once, not once for each other node of the unit.
func TestAUnitIsJudgedOnceHoweverLargeItIs(t *testing.T) {
	asked := map[int]int{}
	for _, size := range []int{10, 100} {
		in := disruptkit.Input{Now: fixture.Noon, Nodes: unitOf("gang", size), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "0"})}}
		for i := range in.Nodes {
			in.Nodes[i].Pool = in.Pools[0].Name
		}
		counter := &countingGate{}
		in.Gates = []func(disruptkit.Input) disruptkit.Gate{func(disruptkit.Input) disruptkit.Gate { return counter }}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Blocked) != size {
			t.Fatalf("%d of %d are blocked", len(d.Blocked), size)
		}
		asked[size] = counter.asked
	}
	if asked[100] > 10*asked[10] {
		t.Errorf("a unit ten times as large asks the gate %d times instead of %d", asked[100], asked[10])
	}
}

// A countingGate counts how often it is asked.
type countingGate struct{ asked int }

func (g *countingGate) Blockers(candidate.Candidate, *candidate.Node) []candidate.Blocker {
	g.asked++
	return nil
}
func (*countingGate) Count(candidate.Candidate, *candidate.Node, int) {}
func (*countingGate) NextChange() (never time.Time)                   { return never }
