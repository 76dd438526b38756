package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// wanting returns the input in which as many more nodes are wanted of each pool.
func wanting(in disruptkit.Input, more int) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		in.Pools[i].Desired += more
	}
	return in
}

func allowed(d disruptkit.Decision) (names []string) {
	for _, c := range d.Allowed {
		names = append(names, c.Pool+"/"+c.Node)
	}
	return names
}

func TestTheMoreNodesAreMissingTheFewerGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Desired).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		with, more := disruptkit.Decide(in, asked), disruptkit.Decide(wanting(in, rapid.IntRange(1, 3).Draw(t, "more")), asked)
		if asked != "" && !candidate.Unhealthy.Covers(asked) && len(more.Allowed) > len(with.Allowed) {
			t.Fatalf("where more are missing, more may be disrupted: %v, and %v", allowed(more), allowed(with))
		}
		for i, p := range more.Pools {
			if less := with.Pools[i]; p.Disrupting < less.Disrupting || candidate.Unhealthy.Covers(p.Reason) && p.Disrupting != less.Disrupting {
				t.Fatalf("%s of %s: %d in use, and %d where fewer are missing", p.Reason, p.Pool, p.Disrupting, less.Disrupting)
			}
		}
	})
}

// The pool of the measurement: ten nodes, a budget of 1, nodes are terminated before their replacements launch, and none launches.
func TestAPoolWhoseReplacementsNeverComeIsNotEmptied(t *testing.T) {
	for desired, want := range map[int]int{0: 10, 10: 1, 12: 0, 8: 3} {
		in := disruptkit.Input{Now: fixture.Clock("12:00"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
		in.Pools[0].Desired = desired
		for i := range 10 {
			in.Nodes = append(in.Nodes, candidate.Node{
				Name: fmt.Sprintf("n%d", i), Pool: "default", Phase: candidate.Running,
				Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Clock("11:00")}},
			})
		}
		gone := 0
		for range 10 {
			d := disruptkit.Decide(in, candidate.Drifted)
			if len(d.Allowed) == 0 {
				if b := d.Blocked[0].Blockers[0]; !strings.Contains(b.Message, "missing") {
					t.Errorf("the blocker does not name the missing nodes: %s", b)
				}
				break
			}
			gone++
			in.Nodes = slices.DeleteFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == d.Allowed[0].Node })
		}
		if gone != want {
			t.Errorf("of %d that are wanted, %d went, not %d", desired, gone, want)
		}
	}
}

// What a group allows is what its pools allow without it, or less: none of the nodes that another node blocks, by a PDB or a
// turn, is counted. So each candidate is asked alone.
func TestOneMoreGroupNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Grouped).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		without := in
		i := rapid.IntRange(0, len(in.Groups)-1).Draw(t, "group")
		without.Groups = slices.Delete(slices.Clone(in.Groups), i, i+1)
		for i := range in.Nodes {
			if len(in.Nodes[i].Conditions) == 0 {
				continue
			}
			alone := func(in disruptkit.Input) int {
				in.Nodes = slices.Clone(in.Nodes)
				for j := range in.Nodes {
					if j != i {
						in.Nodes[j].Conditions = nil
					}
				}
				return len(disruptkit.Decide(in, asked).Allowed)
			}
			if with, before := alone(in), alone(without); with > before {
				t.Fatalf("%s may be disrupted, and may not without the group %s", in.Nodes[i].Name, in.Groups[i].Name)
			}
		}
	})
}

// unlimited is a list of budgets that is empty, so that nothing is limited.
func unlimited(t rapid.TB) budget.Set {
	set, err := budget.Compile([]budget.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// nameless takes out of a decision what it says of pools and groups by name.
func nameless(d disruptkit.Decision) disruptkit.Decision {
	clean := func(list []candidate.Blocker) (all []candidate.Blocker) {
		for _, b := range list {
			b.Message = strings.Replace(strings.ReplaceAll(b.Message, "group all: ", ""), "after that, ", "", 1)
			if b.Source != nil {
				s := *b.Source
				s.Group = ""
				b.Source = &s
				if s.Budgets == nil && s.Key == "" {
					b.Source = nil
				}
			}
			all = append(all, b)
		}
		slices.SortFunc(all, candidate.Blocker.Compare)
		return all
	}
	for _, list := range [][]candidate.Candidate{d.Allowed, d.Blocked} {
		for i := range list {
			list[i].Blockers = clean(list[i].Blockers)
		}
	}
	if len(d.Groups) > 0 {
		d.Pools = d.Groups
	}
	d.Groups, d.Warnings = nil, nil
	d.Pools = slices.Clone(d.Pools)
	for i := range d.Pools {
		d.Pools[i].Pool, d.Pools[i].Blockers = "all", nil
		for _, s := range d.Pools[i].Topology {
			for j := range s.Domains {
				s.Domains[j].HeldUp = strings.ReplaceAll(s.Domains[j].HeldUp, "group all: ", "")
			}
		}
	}
	slices.SortFunc(d.Pools, func(a, b disruptkit.PoolDecision) int { return strings.Compare(string(a.Reason), string(b.Reason)) })
	return d
}

// Deadlines are the pool's, and a pool that backs off excuses overdue nodes by its own budgets, so neither is part of the law.
func TestAGroupOfOnePoolWithBudgetsIsThatPoolWithThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := rapid.SampledFrom([]func(generate.Source) disruptkit.Input{
			generate.Input, generate.Waiting, generate.WaitingInZones, generate.Paced, generate.Dated,
		}).Draw(t, "inputs")
		in, asked := testkit.Arbitrary(inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		if len(in.Pools) == 0 {
			t.Skip("no pool")
		}
		in.Pools = slices.Clone(in.Pools[:1])
		p := &in.Pools[0]
		p.Budgets, _ = budget.Compile(p.Budgets.Budgets()) // without controls
		p.Budgets, _ = budget.Spec{Budgets: p.Budgets.Budgets()}.Compile()
		m := in.Memory[p.Name]
		m.Backoff = disruptkit.Backoff{}
		in.Memory = map[string]disruptkit.Memory{p.Name: m}

		grouped := in
		g := disruptkit.Group{Name: "all", Pools: []string{p.Name}, Budgets: p.Budgets, Topology: p.Topology}
		grouped.Groups, grouped.Pools = []disruptkit.Group{g}, []disruptkit.Pool{*p}
		grouped.Pools[0].Budgets = unlimited(t)
		grouped.Memory = map[string]disruptkit.Memory{g.Key(): m}

		want, got := disruptkit.Decide(in, asked), disruptkit.Decide(grouped, asked)
		if diff := cmp.Diff(want.Memory[p.Name], got.Memory[g.Key()]); diff != "" {
			t.Fatal(diff)
		}
		want.Memory, got.Memory = nil, nil
		if diff := cmp.Diff(nameless(want), nameless(got), compiled); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestGroupsInAnyOrderDecideTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Grouped).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		want := disruptkit.Decide(in, asked)
		in.Groups = rapid.Permutation(in.Groups).Draw(t, "order")
		if diff := cmp.Diff(want, disruptkit.Decide(in, asked), compiled); diff != "" {
			t.Fatal(diff)
		}
	})
}

// inPools returns pools a, b, … without budgets, each with drifted nodes in zones x and y: a-x-0, a-x-1, …
func inPools(t rapid.TB, pools, each int) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon}
	for p := range pools {
		name := string(rune('a' + p))
		in.Pools = append(in.Pools, disruptkit.Pool{Name: name, Budgets: unlimited(t)})
		for _, zone := range []string{"x", "y"} {
			for i := range each {
				in.Nodes = append(in.Nodes, candidate.Node{
					Name: fmt.Sprintf("%s-%s-%d", name, zone, i), Pool: name, Phase: candidate.Running,
					Labels:     map[string]string{"zone": zone, "karpenter.sh/nodepool": name},
					Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Noon.Add(-time.Hour)}},
				})
			}
		}
	}
	return in
}

// inGroup adds a group of pools, written without spaces, such as "ab".
func inGroup(t rapid.TB, in disruptkit.Input, name, pools string, budgets ...budget.Budget) disruptkit.Input {
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Fatal(err)
	}
	in.Groups = append(slices.Clip(in.Groups), disruptkit.Group{Name: name, Pools: strings.Split(pools, ""), Budgets: set})
	return in
}

// rolls decides, starts what may be disrupted, and replaces it at once, until nothing is left. It returns the nodes of each pass.
func rolls(in disruptkit.Input) (rounds [][]string) {
	for range 100 {
		d := disruptkit.Decide(in, candidate.Drifted)
		in = in.Apply(d)
		var round []string
		for _, c := range d.Allowed {
			round = append(round, c.Node)
		}
		for i := range in.Nodes {
			if n := &in.Nodes[i]; n.InFlight() {
				n.Name, n.Leaving, n.DisruptedFor, n.Conditions = n.Name+"'", candidate.Staying, "", nil
			}
		}
		switch {
		case len(round) > 0:
			rounds = append(rounds, round)
		case d.NextChange.IsZero():
			return rounds
		}
		in.Now = in.Now.Add(time.Minute)
		if len(round) == 0 {
			in.Now = d.NextChange
		}
	}
	return rounds
}

func sequential(key, nodes string) budget.Budget {
	return budget.Budget{Nodes: nodes, TopologyKey: key, Sequential: true}
}

func TestWhatGroupsDo(t *testing.T) {
	for _, c := range []struct {
		name string
		in   disruptkit.Input
		want string
	}{
		{"at most 3 nodes at once in two pools", inGroup(t, inPools(t, 2, 2), "all", "ab", budget.Budget{Nodes: "3"}),
			"a-x-0 a-x-1 a-y-0, a-y-1 b-x-0 b-x-1, b-y-0 b-y-1"},
		{"a percentage is of the nodes of all pools", inGroup(t, inPools(t, 3, 2), "all", "abc", budget.Budget{Nodes: "50%"}),
			"a-x-0 a-x-1 a-y-0 a-y-1 b-x-0 b-x-1, b-y-0 b-y-1 c-x-0 c-x-1 c-y-0 c-y-1"},
		{"one pool after the other", inGroup(t, inPools(t, 2, 1), "all", "ab", sequential("karpenter.sh/nodepool", "1")),
			"a-x-0, a-y-0, b-x-0, b-y-0"},
		{"the same zone in all pools", inGroup(t, inPools(t, 2, 1), "all", "ab", sequential("zone", "100%")),
			"a-x-0 b-x-0, a-y-0 b-y-0"},
		{"each of two groups holds its own pools", inGroup(t, inGroup(t, inPools(t, 3, 1), "one", "ab", budget.Budget{Nodes: "1"}), "two", "bc", budget.Budget{Nodes: "2"}),
			"a-x-0 c-x-0 c-y-0, a-y-0, b-x-0, b-y-0"},
		{"pools outside the group go on", inGroup(t, inPools(t, 2, 1), "all", "a", budget.Budget{Nodes: "0"}),
			"b-x-0 b-y-0"},
	} {
		var rounds []string
		for _, round := range rolls(c.in) {
			rounds = append(rounds, strings.Join(round, " "))
		}
		if got := strings.Join(rounds, ", "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// Groups that overlap, pools with turns of their own, keys that cross: in whatever order rolls start, all nodes are disrupted, none of two
// zones of a group at once.
func TestOverlappingGroupsNeverWaitForEachOtherForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pools := rapid.IntRange(1, 4).Draw(t, "pools")
		in := inPools(t, pools, 1)
		turns := rapid.SampledFrom([]budget.Budget{sequential("zone", "1"), sequential("zone", "100%"), sequential("karpenter.sh/nodepool", "1")})
		zones := rapid.SampledFrom([]string{"x", "y", "a", "b", "c"})
		in.Memory = map[string]disruptkit.Memory{}
		roll := func(key string, b budget.Budget) {
			m := disruptkit.Memory{}
			m.Roll.Key, m.Roll.Domain = b.TopologyKey, zones.Draw(t, "roll")
			in.Memory[key] = m
		}
		for i := range in.Pools {
			p := &in.Pools[i]
			p.Topology.Patience = rapid.SampledFrom([]time.Duration{0, candidate.Forever}).Draw(t, "patience of a pool")
			if rapid.Bool().Draw(t, "the pool takes turns") {
				b := turns.Draw(t, "turns")
				p.Budgets, _ = budget.Compile([]budget.Budget{b})
				roll(p.Name, b)
			}
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "groups") {
			b, names := turns.Draw(t, "turns"), ""
			for p := range pools {
				if rapid.Bool().Draw(t, "in the group") {
					names += string(rune('a' + p))
				}
			}
			if names == "" {
				continue
			}
			in = inGroup(t, in, fmt.Sprint("group ", i), names, b)
			g := &in.Groups[len(in.Groups)-1]
			g.Topology.Patience = rapid.SampledFrom([]time.Duration{0, candidate.Forever}).Draw(t, "patience")
			roll(g.Key(), b)
		}
		gone := 0
		for _, round := range rolls(in) {
			gone += len(round)
			for _, g := range in.Groups {
				seen := map[string]bool{}
				for _, n := range in.Nodes {
					if slices.Contains(round, n.Name) && slices.Contains(g.Pools, n.Pool) {
						seen[n.Labels[g.Budgets.Budgets()[0].TopologyKey]] = true
					}
				}
				if len(seen) > 1 {
					t.Fatalf("%s: %v go at once", g.Name, slices.Sorted(maps.Keys(seen)))
				}
			}
		}
		if gone != len(in.Nodes) {
			t.Fatalf("of %d nodes, %d go: %v", len(in.Nodes), gone, rolls(in))
		}
	})
}

func TestABrokenGroupHoldsItsPoolsAndSaysWhatToWrite(t *testing.T) {
	one := budget.Budget{Nodes: "100%"}
	denied := probe.Verdict{Probe: "health"}
	for _, c := range []struct {
		name string
		in   func(disruptkit.Input) disruptkit.Input
		want string // who is disrupted
		says string // a warning
		by   string // a blocker of a-x-0
	}{
		{"no pools", func(in disruptkit.Input) disruptkit.Input {
			in.Groups = []disruptkit.Group{{Name: "g"}}
			return in
		}, "a-x-0 a-y-0 b-x-0 b-y-0", "Group/g: pools: the group has no pools, and limits nothing: write the names of its pools", ""},
		{"an unknown pool", func(in disruptkit.Input) disruptkit.Input { return inGroup(t, in, "g", "az", one) },
			"b-x-0 b-y-0", `Group/g: pools: no pool is called "z", and until the group names only pools that exist, no node of its pools may be disrupted: write the name of a pool, or remove it`,
			`node/invalid-group: group g: no pool is called "z", and until the group names only pools that exist, no node of its pools may be disrupted: write the name of a pool, or remove it`},
		{"the same name twice", func(in disruptkit.Input) disruptkit.Input {
			return inGroup(t, inGroup(t, in, "g", "a", one), "g", "b", one)
		}, "", `Group/g: name: several groups are called "g", and it is unclear what applies to their pools, so no node of these may be disrupted: write each group once`,
			`node/invalid-group: group g: several groups are called "g", and it is unclear what applies to their pools, so no node of these may be disrupted: write each group once`},
		{"a pool twice", func(in disruptkit.Input) disruptkit.Input {
			return inGroup(t, in, "g", "aa", budget.Budget{Nodes: "75%"})
		},
			"a-x-0 a-y-0 b-x-0 b-y-0", `Group/g: pools: pool "a" is in the group twice, and counts once: write it once`, ""},
		{"an invalid budget", func(in disruptkit.Input) disruptkit.Input {
			in = inGroup(t, in, "g", "a")
			in.Groups[0].Budgets, _ = budget.Compile([]budget.Budget{{Nodes: "many"}})
			return in
		}, "b-x-0 b-y-0", "Group/g: budgets[0].nodes: ", "budget/invalid-budget: group g: no node may be disrupted: budgets[0].nodes: "},
		{"a deadline", func(in disruptkit.Input) disruptkit.Input {
			in = inGroup(t, in, "g", "a")
			in.Groups[0].Budgets, _ = budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{Deadline: "1h"}}.Compile()
			return in
		}, "a-x-0 a-y-0 b-x-0 b-y-0", "Group/g: deadline: a group's deadlines make no node overdue, since a group allows no more nodes than their pools do: write them for the pools", ""},
		{"a minimum age", func(in disruptkit.Input) disruptkit.Input {
			in = inGroup(t, in, "g", "a")
			in.Groups[0].Budgets, _ = budget.Spec{Budgets: []budget.Budget{}, Drift: budget.Control{MinAge: "1h"}}.Compile()
			return in
		}, "b-x-0 b-y-0", "", ""},
		{"a probe that was not asked", func(in disruptkit.Input) disruptkit.Input {
			in = inGroup(t, in, "g", "a")
			in.Groups[0].Verdicts = []probe.Verdict{denied}
			return in
		}, "b-x-0 b-y-0", "", "probe/not-observed: group g: "},
		{"a blocker of the caller", func(in disruptkit.Input) disruptkit.Input {
			in = inGroup(t, in, "g", "a")
			in.Groups[0].Blockers = []candidate.Blocker{{Gate: candidate.GateBudget, Code: "unread", Message: "it was not read"}}
			return in
		}, "b-x-0 b-y-0", "", "budget/unread: group g: it was not read"},
	} {
		d := disruptkit.Decide(c.in(inPools(t, 2, 1)), candidate.Drifted)
		if got := strings.Join(fixture.Allowed(d), " "); got != c.want {
			t.Errorf("%s: %s may be disrupted, want %s", c.name, got, c.want)
		}
		says := func(w candidate.Warning) bool { return strings.HasPrefix(w.Error(), c.says) }
		if c.says != "" && !slices.ContainsFunc(d.Warnings, says) {
			t.Errorf("%s: %v", c.name, d.Warnings)
		}
		for _, b := range d.Blocked {
			if b.Node == "a-x-0" && c.by != "" && !slices.ContainsFunc(b.Blockers, func(b candidate.Blocker) bool {
				return strings.HasPrefix(b.String(), c.by) && b.Source.Group == "g"
			}) {
				t.Errorf("%s: %v", c.name, b.Blockers)
			}
		}
	}
}

func TestGroupsHaveNumbersAndMemory(t *testing.T) {
	in := inGroup(t, inPools(t, 2, 2), "prod", "ab", budget.Budget{Nodes: "3"}, budget.Budget{Nodes: "2", Per: "1h"}, sequential("zone", "100%"))
	d := disruptkit.Decide(in, candidate.Drifted)
	g := d.Groups[0]
	if len(d.Groups) != 1 || g.Pool != "prod" || g.Nodes != 8 || g.Remaining != 3 || g.MayStart.Nodes != 2 || len(g.Topology) != 1 {
		t.Error(d.Groups)
	}
	if m := d.Memory[in.Groups[0].Key()]; m.Roll.Domain != "x" || len(m.Starts) != 2 || len(d.Memory) != 1 {
		t.Error(d.Memory)
	}
	d = disruptkit.Decide(in.Apply(d), candidate.Drifted)
	if g := d.Groups[0]; g.Disrupting != 2 || g.MayStart.Nodes != 0 || !g.NextStart.Equal(in.Now.Add(time.Hour)) {
		t.Error(g)
	}
	if len(d.Allowed) != 0 || !d.NextChange.Equal(in.Now.Add(time.Hour)) {
		t.Error(d.Allowed, d.NextChange)
	}
}

// The pool's racks take turns, and so do the group's zones. In zone a, which has the group's turn, one node is in flight already, as many as
// may be, and one of zone b is as well. So no node of rack 1 could start now, and rack 1 has no turn for which rack 2 would wait.
func TestAZoneWhoseLimitIsUsedUpHasNoTurnInItsPoolWhileItWaitsForAnother(t *testing.T) {
	racks := budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"}, racks)}}
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", TopologyKey: "zone", Sequential: true}})
	if err != nil {
		t.Fatal(err)
	}
	in.Groups = []disruptkit.Group{{Name: "all", Pools: []string{"default"}, Budgets: set, Topology: topology.Options{Reasons: []candidate.Reason{"Drifted", "Empty"}}}}
	node := func(n candidate.Node, rack, zone string) {
		n.Labels = map[string]string{"rack": rack, "zone": zone}
		in.Nodes = append(in.Nodes, n)
	}
	node(fixture.Going("a-1", "Empty"), "2", "a")
	node(fixture.Going("b-1", "Empty"), "2", "b")
	node(fixture.Wanted("a-2", in.Now, "Drifted"), "1", "a")
	node(fixture.Wanted("a-3", in.Now, "Drifted"), "2", "a")
	agreesWithNaive(t, in, "Drifted")
	for _, c := range disruptkit.Decide(in, "Drifted").Blocked {
		if own := c.Blockers[0]; c.Node == "a-3" && own.Code != candidate.CodeExhausted {
			t.Errorf("a-3 is blocked by %v, want that rack 2 is full", own)
		}
	}
}
