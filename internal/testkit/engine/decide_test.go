package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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
	"github.com/disruptkit/disruptkit/internal/testkit/naive"
	"github.com/disruptkit/disruptkit/schedule"
)

// Decision.Allowed: "together, or one after the other in this order".
func TestAllowedNodesStartTogetherOrInTheirOrder(t *testing.T) {
	nodes := fixture.Zoned("a1* a2*")
	nodes[0].Conditions[0].Deadline = fixture.Clock("11:00") // overdue, and may be disrupted only while no other node is in flight
	nodes[1].Conditions[0].Reason = candidate.Empty
	none := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}
	five := budget.Budget{Nodes: "5", Reasons: []candidate.Reason{"Empty"}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, none, five)}}
	both := disruptkit.Decide(in, "")
	for _, c := range []struct {
		first int
		want  []string
	}{{0, []string{"a2"}}, {1, nil}} {
		started := both
		started.Allowed = both.Allowed[c.first : c.first+1]
		var got []string
		for _, next := range disruptkit.Decide(in.Apply(started), "").Allowed {
			got = append(got, next.Node)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(both.Allowed) != 2 {
			t.Errorf("once %s of %v has started: %s", started.Allowed[0].Node, both.Allowed, diff)
		}
	}
}

func TestDecisions(t *testing.T) {
	freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"what is in flight or not Ready uses up the budget", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(7, 3)
			nodes[9].Phase, nodes[8].Leaving = candidate.NotReady, candidate.Draining
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "3"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 2 disrupting, 3 allowed by [0] for good, 1 remain
+ a-1 Drifted for good
- a-2 Drifted budget/exhausted: 3 of 10 nodes may be disrupted at once, 2 in flight or not Ready, 1 already allowed: budgets[0] is 3
- a-3 Drifted budget/exhausted: 3 of 10 nodes may be disrupted at once, 2 in flight or not Ready, 1 already allowed: budgets[0] is 3
next change: never
`},
		{"a candidate that may go knows when the freeze comes", func(t *testing.T) disruptkit.Input {
			night := budget.Budget{Nodes: "1", Schedule: "30 12 * * *", Duration: "1h"}
			evening := budget.Budget{Nodes: "0", Schedule: "0 18 * * *", Duration: "1h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, night, evening)}, Nodes: fixture.Fleet(1, 2)}
		}, candidate.Drifted, `
default Drifted: 3 nodes, 0 disrupting, any allowed by [] until Fri 12:30, any remain
+ a-1 Drifted until Fri 12:30
+ a-2 Drifted until Fri 12:30
next change: Fri 12:30
`},
		{"each candidate is judged at its own reason", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(7, 3)
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			nodes[1].Conditions[0].Reason = "Drifted/SubnetDrift"
			ami := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, ami, budget.Budget{Nodes: "5"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 5 allowed by [1] for good, 5 remain
default Drifted/AMIDrift: 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Drifted/SubnetDrift: 10 nodes, 0 disrupting, 5 allowed by [1] for good, 5 remain
+ a-2 Drifted/SubnetDrift for good
+ a-3 Drifted for good
- a-1 Drifted/AMIDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (Drifted/AMIDrift)
next change: never
`},
		{"an older candidate that waits for a budget of its own is blocked when a younger one uses up what they share", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(8, 2)
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			own := freeze
			own.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, own, budget.Budget{Nodes: "1"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [1] for good, 1 remain
default Drifted/AMIDrift: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
+ a-2 Drifted for good
- a-1 Drifted/AMIDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * mon-fri for 8h, UTC)
next change: Fri 17:00
`},
		{"no gate hides what the next one says", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].DoNotDisrupt, nodes[0].NominatedUntil = true, fixture.Noon.Add(time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze)}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
- a-1 Drifted node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)
- a-1 Drifted node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"
- a-1 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: Fri 12:01
`},
		{"a node goes once, for the reason that has held for longest", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Empty", Since: fixture.Noon})
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{})}, Nodes: nodes}
		}, "", `
default : 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
default Empty: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
+ a-1 Drifted for good
- a-1 Empty node/already-allowed: the node is already disrupted for another of its reasons
- a-1 Empty budget/exhausted: 1 of 10 nodes may be disrupted at once, 1 already allowed: budgets[0] is 10%
next change: never
`},
		{"an invalid budget blocks the reasons that it names, and is reported", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(8, 2)
			nodes[1].Conditions[0].Reason = "Empty"
			broken := budget.Budget{Nodes: "50%", Reasons: []candidate.Reason{"Drifted"}, Schedule: "@daily"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, broken)}, Nodes: nodes}
		}, "", `
default : 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Empty: 10 nodes, 0 disrupting, any allowed by [] for good, any remain
+ a-2 Empty for good
- a-1 Drifted budget/invalid-budget: no node may be disrupted: budgets[0].duration: schedule "@daily" has no duration: write how long the budget stays active after each hit, such as 8h
! invalid-budget: NodePool/default: budgets[0].duration: schedule "@daily" has no duration: write how long the budget stays active after each hit, such as 8h
next change: never
`},
		{"a list of more than fifty budgets allows nothing", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, slices.Repeat([]budget.Budget{{Nodes: "1"}}, 51)...)}, Nodes: fixture.Fleet(9, 1)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted budget/invalid-budget: no node may be disrupted: budgets: 51 budgets are too many: write at most 50
! invalid-budget: NodePool/default: budgets: 51 budgets are too many: write at most 50
next change: never
`},
		{"a reason that is none allows nothing", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].Conditions[0].Reason = "drifted"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}, Nodes: nodes}
		}, "drifted", `
default drifted: 10 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 drifted budget/unknown-reason: no node may be disrupted: reason "drifted" is unknown: write Drifted
! unknown-reason: NodePool/default: reason "drifted" is unknown: write Drifted
next change: never
`},
		{"nodes of no pool, or of one that nobody knows, stay", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(0, 2)
			nodes[0].Pool, nodes[1].Pool = "", "gone"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 0 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
- a-1 Drifted node/unmanaged: the node belongs to no pool
- a-2 Drifted node/unknown-pool: the node's pool "gone" is not in the input
next change: never
`},
		{"nodes of the same name stay, and no percentage is of them", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(0, 3)
			nodes[1].Name, nodes[1].Phase = "a-1", candidate.NotReady
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 1 nodes, 1 disrupting, 1 allowed by [0] for good, 0 remain
- a-1 Drifted node/duplicate-node: another node has this name
- a-1 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
- a-1 Drifted node/duplicate-node: another node has this name
- a-1 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
- a-3 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
! duplicate-node: Node/a-1: name: several nodes are called "a-1", and none of them is disrupted: write each node once
next change: never
`},
		{"what the caller has against a pool blocks all of its nodes", func(t *testing.T) disruptkit.Input {
			p := fixture.Pool(t, budget.Budget{})
			p.Blockers = []candidate.Blocker{{Gate: candidate.GateBudget, Code: "unreadable", Message: "the NodePool cannot be read"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: fixture.Fleet(9, 1)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
- a-1 Drifted budget/unreadable: the NodePool cannot be read
next change: never
`},
		{"pools of the same name disrupt nothing", func(t *testing.T) disruptkit.Input {
			p := fixture.Pool(t, []budget.Budget{}...)
			return disruptkit.Input{Pools: []disruptkit.Pool{p, p, p}, Nodes: fixture.Fleet(1, 1)}
		}, candidate.Drifted, `
default Drifted: 2 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted node/unknown-pool: another pool has the name of the node's pool
! unknown-pool: NodePool/default: name: several pools are called "default", and it is unclear whose budgets apply: write each pool once
next change: never
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			in.Now = fixture.Noon
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), fixture.Story(disruptkit.Decide(in, c.reason))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheZeroPoolIsKarpentersDefault(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default"}}, Nodes: fixture.Fleet(10, 10)}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != 2 || d.Pools[0].Nodes != 20 {
		t.Error(fixture.Story(d))
	}
}

func TestTheExtremesOfTime(t *testing.T) {
	weekly := budget.Budget{Nodes: "1", Schedule: "0 9 * * mon", Duration: "8h", TimeZone: "America/New_York"}
	for _, now := range []time.Time{{}, time.Unix(1<<62, 0), time.Unix(-1<<62, 0), time.Unix(1<<63-1, 999_999_999), time.Unix(-1<<63, 0)} {
		in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{fixture.Pool(t, weekly)}, Nodes: fixture.Fleet(1, 1)}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed)+len(d.Blocked) != 1 {
			t.Errorf("%v: %s", now, fixture.Story(d))
		}
	}
}

func TestAPoolWithoutCandidatesWakesItsCaller(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})}}
	if d := disruptkit.Decide(in, "Drifted"); !d.NextChange.Equal(fixture.Noon.Add(5 * time.Hour)) {
		t.Error(fixture.Story(d))
	}
}

func TestChildrenAreListedByName(t *testing.T) {
	nodes := fixture.Fleet(0, 2)
	nodes[0].Conditions[0].Reason, nodes[1].Conditions[0].Reason = "Drifted/Z", "Drifted/A"
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: nodes}, "Drifted")
	var got []candidate.Reason
	for _, p := range d.Pools {
		got = append(got, p.Reason)
	}
	if !slices.Equal(got, []candidate.Reason{"Drifted", "Drifted/A", "Drifted/Z"}) {
		t.Error(got)
	}
}

func TestOfPoolsOfTheSameNameNeitherShows(t *testing.T) {
	a := fixture.Pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})
	b := fixture.Pool(t, budget.Budget{Nodes: "x"})
	for _, pools := range [][]disruptkit.Pool{{a, b}, {b, a}} {
		d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: pools, Nodes: fixture.Fleet(0, 1)}, "Drifted")
		if !d.Pools[0].Until.IsZero() || !d.NextChange.IsZero() || len(d.Warnings) != 1 {
			t.Error(fixture.Story(d))
		}
	}
}

func TestABlockerIsOneLine(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "x", Sequential: true})}}
	if got := disruptkit.Decide(in, "Drifted").Blocked[0].Blockers[0].Message; strings.Contains(got, "\n") {
		t.Error(got)
	}
}

func TestNodesOfTheSameNameHaveAnOrder(t *testing.T) {
	nodes := fixture.Fleet(0, 2)
	nodes[1].Name, nodes[1].Conditions = nodes[0].Name, nodes[0].Conditions
	nodes[1].DoNotDisrupt = true
	flies := candidate.Node{Name: "flies", Pool: nodes[0].Pool, Phase: candidate.Running, Rebooting: true}
	nodes = append(nodes, flies, flies) // one reboots, and one drains for an unknown reason
	nodes[3].Rebooting, nodes[3].Leaving = false, candidate.Draining
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "3", Per: "1h"})}}
	d := disruptkit.Decide(in, "Drifted")
	slices.Reverse(in.Nodes)
	if diff := cmp.Diff(d, disruptkit.Decide(in, "Drifted")); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsOfDuplicateNodesAreSorted(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: append(fixture.Fleet(0, 9), fixture.Fleet(0, 9)...)}
	w := disruptkit.Decide(in, "Drifted").Warnings
	if len(w) != 9 || !slices.IsSortedFunc(w, func(a, b candidate.Warning) int { return strings.Compare(a.Value, b.Value) }) {
		t.Error(w)
	}
}

func TestWhatTheCallerHasAgainstAPoolOfAnAmbiguousNameIsNotSaid(t *testing.T) {
	a, b := fixture.Pool(t), fixture.Pool(t)
	a.Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x"}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{a, b}}
	d := disruptkit.Decide(in, "Drifted")
	slices.Reverse(in.Pools)
	if diff := cmp.Diff(d, disruptkit.Decide(in, "Drifted")); diff != "" {
		t.Error(diff)
	}
}

// compiled compares compiled values, which no test may look into, by what they were compiled from.
var compiled = cmp.Options{
	cmp.Comparer(func(a, b budget.Set) bool {
		return cmp.Equal(a.Budgets(), b.Budgets()) && a.MostSpecific() == b.MostSpecific()
	}),
	cmp.Comparer(func(a, b candidate.Rules) bool {
		pdbs, schedules := a.Written()
		others, other := b.Written()
		return cmp.Equal(pdbs, others) && cmp.Equal(schedules, other)
	}),
	cmp.Comparer(func(a, b schedule.Window) bool { return a == b }),
}

// Whatever is in the input, a decision is that of package naive, which is written from the rules, one by one.
func TestDecideAgreesWithTheNaiveDecision(t *testing.T) {
	for name, inputs := range generate.Inputs {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := testkit.Arbitrary(inputs).Draw(t, "input")
				agreesWithNaive(t, in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
			})
		})
	}
}

func TestDigestsChangeNoDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Input).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		want := disruptkit.Decide(in, asked)
		in.Nodes = candidate.Digest(in.Rules, in.Nodes)
		for range 2 { // a decision changes no digest
			if diff := cmp.Diff(want, disruptkit.Decide(in, asked), compiled); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// agreesWithNaive fails if package naive decides otherwise.
func agreesWithNaive(t rapid.TB, in disruptkit.Input, asked candidate.Reason) {
	d := disruptkit.Decide(in, asked)
	var allowed, blocked []string
	for _, line := range naive.Decide(in, asked) {
		if strings.HasSuffix(line, ": ") {
			allowed = append(allowed, line)
		} else {
			blocked = append(blocked, withoutTurn(line))
		}
	}
	lines := func(cs []candidate.Candidate) (lines []string) {
		for _, c := range cs {
			lines = append(lines, withoutTurn(naive.Line(c)))
		}
		return lines
	}
	if diff := cmp.Diff(allowed, lines(d.Allowed)); diff != "" {
		t.Fatal("allowed: ", diff)
	}
	if diff := cmp.Diff(blocked, lines(d.Blocked)); diff != "" {
		t.Fatal("blocked: ", diff)
	}
}

// withoutTurn leaves out that a node waits for another domain where a negative number or duration blocks all nodes of its pool: whose
// turn it is there does not matter.
func withoutTurn(line string) string {
	if strings.Contains(line, "node/negative") {
		return strings.ReplaceAll(line, " topology/waits-for-domain", "")
	}
	return line
}

// Domains are found for 256 nodes at a time. The nodes at which that starts again are in flight, and not in the first zone.
func TestDomainsOfManyNodesAreThoseOfTheNaiveDecision(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{
		fixture.Pool(t, budget.Budget{Nodes: "30", TopologyKey: fixture.Zone}), fixture.Pool(t, fixture.Sequential("30")),
	}}
	in.Pools[0].Name, in.Pools[1].Name = "blue", "green"
	for i := range 520 {
		n := candidate.Node{Name: fmt.Sprintf("n-%d", i), Pool: []string{"blue", "green", "unknown"}[random.IntN(3)], Phase: candidate.Running,
			Leaving: []candidate.Leaving{19: candidate.Draining}[random.IntN(20)], Conditions: []candidate.Condition{{Reason: "Drifted", Since: in.Now.Add(time.Duration(-random.IntN(1000)) * time.Hour)}}}
		if zone := random.IntN(4); zone < 3 {
			n.Labels = map[string]string{fixture.Zone: []string{"a", "b", "c"}[zone]}
		}
		if i == 256 || i == 512 || i == 513 {
			n.Pool, n.Leaving, n.Labels = "blue", candidate.Draining, map[string]string{fixture.Zone: "c"}
		}
		in.Nodes = append(in.Nodes, n)
	}
	agreesWithNaive(t, in, "Drifted")
}

// Most inputs have no pause, or no turns that it could change.
func TestARollSkipsPausedZonesAsTheNaiveDecisionDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Filter(func(in disruptkit.Input) bool { return len(in.Pools)*len(in.Nodes) > 0 }).Draw(t, "input")
		in.Pauses = rapid.SliceOfN(testkit.Arbitrary(generate.Pause(in.Now)), 1, 2).Draw(t, "pauses")
		set, _ := budget.Compile([]budget.Budget{{Nodes: "2", TopologyKey: "zone", Sequential: true}})
		for i := range in.Pools {
			in.Pools[i].Budgets, in.Pools[i].Verdicts = set, nil
		}
		in.Verdicts = nil
		agreesWithNaive(t, in, candidate.Drifted)
	})
}

// inAnyDialect draws an input, for either of those who may decide.
func inAnyDialect(t *rapid.T) disruptkit.Input {
	in := testkit.Arbitrary(generate.Input).Draw(t, "input")
	in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
	return in
}

func TestDecideIsAPartitionOfTheCandidates(t *testing.T) {
	key := func(c candidate.Candidate) string { return fmt.Sprint(c.Node, " ", c.Pool, " ", c.Reason) }
	rapid.Check(t, func(t *rapid.T) {
		in := inAnyDialect(t)
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		var want, got []string
		for _, n := range in.Nodes {
			reasons := map[candidate.Reason]bool{} // each once
			for _, c := range n.Conditions {
				if asked.Covers(c.Reason) && !reasons[c.Reason] {
					want = append(want, key(candidate.Candidate{Node: n.Name, Pool: n.Pool, Reason: c.Reason}))
				}
				reasons[c.Reason] = true
			}
		}
		left := map[string]int{} // of each name; to Karpenter several nodes may have one
		for _, n := range in.Nodes {
			if left[n.Name]++; in.Dialect != dialect.Karpenter {
				left[n.Name] = 1
			}
		}
		for _, c := range d.Allowed {
			if left[c.Node]--; left[c.Node] < 0 {
				t.Fatalf("%s is allowed twice", c.Node)
			}
			if len(c.Blockers) > 0 {
				t.Fatalf("%s is allowed, but %v", c.Node, c.Blockers)
			}
			got = append(got, key(c))
		}
		for _, c := range d.Blocked {
			if len(c.Blockers) == 0 {
				t.Fatalf("%s is blocked, and nothing says why", c.Node)
			}
			for _, b := range c.Blockers {
				if b.Gate == "" || b.Code == "" || b.Message == "" {
					t.Fatalf("%s: %+v explains nothing", c.Node, b)
				}
			}
			got = append(got, key(c))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTheOrderOfTheInputNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := inAnyDialect(t)
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		shuffled := in
		shuffled.Memory = maps.Clone(in.Memory)
		shuffled.Pools = rapid.Permutation(in.Pools).Draw(t, "pools")
		shuffled.Pauses = rapid.Permutation(in.Pauses).Draw(t, "pauses")
		shuffled.Nodes = rapid.Permutation(in.Nodes).Draw(t, "nodes")
		for i := range shuffled.Nodes {
			shuffled.Nodes[i].Pods = rapid.Permutation(shuffled.Nodes[i].Pods).Draw(t, "pods")
			shuffled.Nodes[i].Conditions = rapid.Permutation(shuffled.Nodes[i].Conditions).Draw(t, "conditions")
		}
		if diff := cmp.Diff(disruptkit.Decide(in, asked), disruptkit.Decide(shuffled, asked)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDecideChangesNoInputAndIsRaceFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(generate.Inputs))).Draw(t, "generator")
		in := testkit.Arbitrary(generate.Inputs[name]).Draw(t, "input")
		in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		before := in
		before.Nodes = nil
		before.Memory = maps.Clone(in.Memory)
		for key, m := range before.Memory {
			m.Starts, m.Soak.Slots = slices.Clone(m.Starts), slices.Clone(m.Soak.Slots)
			before.Memory[key] = m
		}
		for _, n := range in.Nodes {
			n.Conditions, n.Blockers, n.Pods = slices.Clone(n.Conditions), slices.Clone(n.Blockers), slices.Clone(n.Pods)
			before.Nodes = append(before.Nodes, n)
		}
		want := disruptkit.Decide(in, asked)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				d := disruptkit.Decide(in, asked)
				in.Apply(d)
				if diff := cmp.Diff(want, d); diff != "" {
					panic(diff)
				}
			})
		}
		group.Wait()
		opts := cmp.Options{compiled, cmp.Comparer(func(a, b time.Time) bool { return a == b })}
		if diff := cmp.Diff(before, in, opts); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestApplyingADecisionSpendsNoBudgetTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		for i := range in.Nodes { // those that are not Ready count twice until they are in flight
			in.Nodes[i].Phase = candidate.Running
		}
		first := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, first)
		applied := in.Apply(d)
		if diff := cmp.Diff(d.Memory, applied.Memory); diff != "" {
			t.Fatal(diff)
		}
		for _, c := range d.Allowed {
			i := slices.IndexFunc(applied.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			if n := applied.Nodes[i]; n.Leaving != candidate.Draining || n.DisruptedFor != c.Reason {
				t.Fatalf("%s is not in flight for %s", c.Node, c.Reason)
			}
		}
		for _, asked := range append(candidate.Methods(), first) {
			again := disruptkit.Decide(applied, asked)
			for _, p := range again.Pools {
				ordinary, started, room := 0, 0, p.Remaining
				for _, c := range again.Allowed {
					counted := slices.ContainsFunc(applied.Nodes, func(n candidate.Node) bool { return n.Name == c.Node && n.Counted() })
					ofItsOwn := set(in, p.Pool).MostSpecific() && c.Reason != p.Reason
					if c.Pool != p.Pool || !p.Reason.Covers(c.Reason) || ofItsOwn || !counted {
						continue
					}
					started++
					if !c.Overdue {
						ordinary++
						continue
					}
					nodes, inFlight := counts(applied, c.Pool, c.Reason) // overdue nodes go up to a limit of their own
					room = max(room, set(in, c.Pool).Overdue(nodes, c.Reason).Nodes-inFlight)
				}
				if ordinary > p.Remaining || started > room {
					t.Fatalf("%s: %d of %s allowed, %d of them not overdue, but %d remain, and %d with overdue nodes", p.Pool, started, p.Reason, ordinary, p.Remaining, room)
				}
			}
		}
		if first.Method() == first && first != "" {
			return // children with budgets of their own may have let others wait
		}
		for _, c := range disruptkit.Decide(applied, first).Allowed {
			if p := first; p == c.Reason {
				t.Fatalf("%s could have gone at once", c.Node)
			}
		}
	})
}

// set returns the budgets of a pool.
func set(in disruptkit.Input, pool string) budget.Set {
	i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	return in.Pools[i].Budgets
}

// A decision is no looser than one node after the other: each may go once those before it are in flight.
func TestWhatIsAllowedTogetherIsAllowedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		for i := range in.Nodes { // those that are not Ready count twice until they are in flight
			in.Nodes[i].Phase = candidate.Running
		}
		if rapid.Bool().Draw(t, "turns for one child of a method") {
			set, _ := budget.Compile([]budget.Budget{{Nodes: "2", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{"Drifted/AMIDrift"}}})
			for i := range in.Pools {
				in.Pools[i].Budgets = set
			}
		}
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			next := disruptkit.Decide(in, asked)
			found := slices.IndexFunc(next.Allowed, func(other candidate.Candidate) bool { return fixture.Key(other) == fixture.Key(c) })
			if found < 0 {
				t.Fatalf("%s may not go once the others are in flight:\n%s", c.Node, fixture.Story(next))
			}
			next.Allowed = next.Allowed[found : found+1]
			in = in.Apply(next)
		}
	})
}

// Whatever the clock and the caller say, no loop spins.
func TestWaitIsAtLeastASecondAndNeverPastTheNextChange(t *testing.T) {
	for _, c := range []struct {
		name         string
		next, now    time.Time
		atMost, want time.Duration
	}{
		{"never", time.Time{}, fixture.Noon, time.Hour, time.Hour},
		{"never, and no limit", time.Time{}, fixture.Noon, 0, time.Second},
		{"never, and a limit below 0", time.Time{}, fixture.Noon, -time.Hour, time.Second},
		{"soon", fixture.Noon.Add(time.Minute), fixture.Noon, time.Hour, time.Minute},
		{"late", fixture.Noon.Add(2 * time.Hour), fixture.Noon, time.Hour, time.Hour},
		{"at once", fixture.Noon.Add(time.Millisecond), fixture.Noon, time.Hour, time.Second},
		{"now", fixture.Noon, fixture.Noon, time.Hour, time.Second},
		{"before now", fixture.Noon, fixture.Noon.Add(time.Hour), time.Hour, time.Second},
		{"without a time", fixture.Noon, time.Time{}, time.Hour, time.Hour},
	} {
		if got := (disruptkit.Decision{NextChange: c.next}).Wait(c.now, c.atMost); got != c.want {
			t.Errorf("%s: %v instead of %v", c.name, got, c.want)
		}
	}
}
