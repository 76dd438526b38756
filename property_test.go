package disruptkit_test

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

// compiled compares compiled values, which no test may look into, by what they were compiled from.
var compiled = cmp.Options{
	cmp.Comparer(func(a, b budget.Set) bool {
		return cmp.Equal(a.Budgets(), b.Budgets()) && a.MostSpecific() == b.MostSpecific()
	}),
	cmp.Comparer(func(a, b candidate.Rules) bool {
		return cmp.Equal(a.PDBs(), b.PDBs()) && cmp.Equal(a.PodSchedules(), b.PodSchedules())
	}),
	cmp.Comparer(func(a, b schedule.Window) bool { return a == b }),
}

func TestDecideAgreesWithTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		agreesWithNaive(t, in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
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
	for i := range 600 {
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

func TestPacesHoldNodesBackAsInTheNaiveDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agreesWithNaive(t, testkit.Arbitrary(generate.Paced).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
	})
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
		in := inAnyDialect(t)
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		before := in
		before.Nodes = nil
		before.Memory = maps.Clone(in.Memory)
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
