package disruptkit_test

import (
	"math"
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
)

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

// Karpenter v1.15, NodePoolStatsFromNodes: "A node is subtracted from the allowed disruptions when it is marked for deletion,
// rebooting, or NotReady, EXCEPT for the Unhealthy (repair) budget."
func TestWhatUsesUpBudgetsBesideRepair(t *testing.T) {
	half, one := budget.Budget{Nodes: "50%"}, budget.Budget{Nodes: "1"}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		nodes   []candidate.Node
		want    string
	}{
		{"4 nodes at 50%, one of which reboots: 1 is left", []budget.Budget{half},
			[]candidate.Node{rebooting(fixture.Wanted("r", fixture.Noon)), fixture.Wanted("a", fixture.Noon, "Drifted"), fixture.Wanted("b", fixture.Noon, "Empty"), fixture.Wanted("c", fixture.Noon)},
			"a goes\nb budget/exhausted"},
		{"a NodeClaim that reboots counts without a Node", []budget.Budget{half},
			[]candidate.Node{{Name: "r", Pool: "default", Phase: candidate.Launched, Rebooting: true}, fixture.Wanted("a", fixture.Noon, "Drifted"), fixture.Wanted("b", fixture.Noon, "Empty"), fixture.Wanted("c", fixture.Noon)},
			"a goes\nb budget/exhausted"},
		{"a reboot uses up the budget of repair, too", []budget.Budget{one}, []candidate.Node{rebooting(unhealthy("r", 60)), unhealthy("a", 30)},
			"r node/not-initialized node/rebooting budget/exhausted\na budget/exhausted"},
		{"of a budget of 1, one node that is not Ready may be repaired", []budget.Budget{one}, []candidate.Node{unhealthy("a", 30), fixture.Wanted("b", fixture.Noon)}, "a goes"},
		{"but nothing else may go", []budget.Budget{one}, []candidate.Node{unhealthy("a", 30), fixture.Wanted("b", fixture.Noon, "Drifted")}, "a goes\nb budget/exhausted"},
		{"one that is repaired uses up the budget of all", []budget.Budget{one},
			[]candidate.Node{unhealthy("a", 30), unhealthy("b", 20), unhealthy("c", 10)}, "a goes\nb budget/exhausted\nc budget/exhausted"},
		{"one that is going, too", []budget.Budget{one}, []candidate.Node{fixture.Going("g", "Drifted"), unhealthy("a", 30)}, "a budget/exhausted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, c.budgets...)}, Nodes: c.nodes}
			if diff := cmp.Diff(c.want, fatesOf(in, "")); diff != "" {
				t.Error(diff)
			}
			restrictive := in.Pools[0].Budgets
			in.Pools[0].Budgets, _ = budget.Spec{Budgets: restrictive.Budgets(), MostSpecific: true}.Compile() // one budget for all is shared by all
			if diff := cmp.Diff(c.want, fatesOf(in, "")); diff != "" {
				t.Errorf("where the most specific decide\n%s", diff)
			}
		})
	}
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

// In a zone, too: what reboots is missing there. It comes back, so that a roll waits for it, but it is no part of the roll.
func TestANodeThatRebootsCountsInItsZone(t *testing.T) {
	perZone := budget.Budget{Nodes: "1", TopologyKey: fixture.Zone}
	for _, c := range []struct {
		name   string
		budget budget.Budget
		nodes  string // those with a ! reboot
		want   string
	}{
		{"it uses up what may go in its zone", perZone, "a1! a2* b1*", "b1 goes\na2 topology/exhausted"},
		{"it sets no zone rolling", fixture.Sequential("1"), "a1! b1* b2*", "b1 goes\nb2 topology/exhausted"},
		{"it is still to go after the reboot, if it drifted", fixture.Sequential("1"), "a1!* b1*", "b1 goes\na1 node/not-initialized node/rebooting budget/exhausted topology/waits-for-domain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned(strings.ReplaceAll(c.nodes, "!", ""))}
			for i, name := range strings.Fields(c.nodes) {
				if strings.Contains(name, "!") {
					in.Nodes[i] = rebooting(in.Nodes[i])
				}
			}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, c.budget, budget.Budget{Nodes: "100%"})}
			got := strings.Split(fatesOf(in, candidate.Drifted), "\n")
			if diff := cmp.Diff(strings.Split(c.want, "\n"), got); diff != "" {
				t.Error(diff)
			}
		})
	}
	in := disruptkit.Input{Now: fixture.Noon, Memory: fixture.Rolling("a", ""), Nodes: fixture.Zoned("a1 b1*")}
	in.Nodes[0].Rebooting = true // and still Ready, while it drains
	in.Pools = []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "100%"})}
	if got := fatesOf(in, candidate.Drifted); got != "b1 topology/waits-for-domain" {
		t.Errorf("a roll leaves a zone in which a node reboots: %s", got)
	}
}

// §10: "Since is when it became eligible; one in the future blocks as tolerated until then."
func TestRepairWaitsForWhatIsTolerated(t *testing.T) {
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

// Each reason of a node hears its pods on its own: a bound is for repair, a grace period also for drift.
func TestPodsHoldBackRepairOnlyWhereNothingEndsItsDrain(t *testing.T) {
	for _, c := range []struct {
		grace, bounded bool
		want           string
	}{
		{false, false, "Drifted Unhealthy/Ready Empty"}, {false, true, "Drifted Empty"}, {true, false, "Empty"}, {true, true, "Empty"},
	} {
		n := unhealthy("a", 30)
		n.HasGracePeriod = c.grace
		if c.bounded {
			n.Conditions[0].Bound = new(time.Duration)
		}
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: "Empty", Since: fixture.Noon.Add(-time.Minute)})
		n.Conditions = append([]candidate.Condition{{Reason: "Drifted", Since: fixture.Noon.Add(-time.Hour)}}, n.Conditions...)
		n.Pods = []candidate.Pod{{Namespace: "shop", Name: "busy", Terms: candidate.Terms{Protect: candidate.Forever}}}
		in := disruptkit.Input{Now: fixture.Noon, Nodes: []candidate.Node{n}, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
		held := map[candidate.Reason]bool{}
		for _, blocked := range disruptkit.Decide(in, "").Blocked {
			for _, b := range blocked.Blockers {
				held[blocked.Reason] = held[blocked.Reason] || b.Code == candidate.CodeDoNotDisrupt
			}
		}
		var got []string
		for _, condition := range n.Conditions {
			if held[condition.Reason] {
				got = append(got, string(condition.Reason))
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("grace period %t, bounded %t: %s", c.grace, c.bounded, diff)
		}
	}
}

// uninitialized returns a node as it is when it never got any further than to register.
func uninitialized(n candidate.Node) candidate.Node {
	n.Phase = candidate.Registered
	return n
}

// Karpenter v1.15: "Budgets only count initialized nodes, since an uninitialized node runs no workload to protect, so repairing one
// neither needs nor consumes budget." (Repair.ComputeCommands)
func TestTheRepairOfANodeThatIsNotCountedNeedsAndUsesNoBudget(t *testing.T) {
	one, none := budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0"}
	perZone := func(nodes string) budget.Budget { return budget.Budget{Nodes: nodes, TopologyKey: fixture.Zone} }
	inZone := func(zone string, n candidate.Node) candidate.Node {
		n.Labels = map[string]string{fixture.Zone: zone}
		return n
	}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		nodes   []candidate.Node
		want    string
	}{
		{"it needs none", []budget.Budget{none}, []candidate.Node{uninitialized(unhealthy("u", 30)), unhealthy("a", 20)}, "u goes\na budget/allows-none"},
		{"it uses none", []budget.Budget{one}, []candidate.Node{uninitialized(unhealthy("u", 30)), uninitialized(unhealthy("v", 25)), unhealthy("a", 20), unhealthy("b", 10), uninitialized(unhealthy("w", 5))},
			"u goes\nv goes\na goes\nw goes\nb budget/exhausted"},
		{"it is none of those that percentages are of", []budget.Budget{{Nodes: "50%"}},
			[]candidate.Node{uninitialized(unhealthy("u", 30)), unhealthy("a", 20), fixture.Wanted("b", fixture.Noon), unhealthy("c", 10)}, "u goes\na goes\nc goes"},
		{"a broken budget holds back what needs it", []budget.Budget{{Nodes: "x"}}, []candidate.Node{uninitialized(unhealthy("u", 30)), unhealthy("a", 20)},
			"u goes\na budget/invalid-budget"},
		{"a freeze that comes does not end it", []budget.Budget{fixture.During(none, "0 13 * * *", "1h")}, []candidate.Node{uninitialized(unhealthy("u", 30)), unhealthy("a", 20)},
			"u goes\na goes until 13:00"},
		{"in a zone, too", []budget.Budget{perZone("0")}, []candidate.Node{inZone("a", uninitialized(unhealthy("u", 30))), inZone("a", unhealthy("a", 20))},
			"u goes\na topology/allows-none"},
		{"and uses none there", []budget.Budget{perZone("1")}, []candidate.Node{inZone("a", uninitialized(unhealthy("u", 30))), inZone("a", unhealthy("a", 20)), inZone("a", unhealthy("b", 10))},
			"u goes\na goes\nb topology/exhausted"},
		{"for another reason it stays", []budget.Budget{one}, []candidate.Node{uninitialized(fixture.Wanted("u", fixture.Noon, "Drifted")), fixture.Going("g", "")}, "u node/not-initialized budget/exhausted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, c.budgets...)}, Nodes: c.nodes}
			if diff := cmp.Diff(c.want, fatesOf(in, "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Where a caller lets zones take turns for repair, a node that no budget counts takes its turn all the same: when it goes, its zone
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

// §10: "Order for Unhealthy: Urgency, then Cost, then name." Karpenter: "higher score repairs first … lower disruption cost, then node
// name" (Repair.ComputeCommands), and "Repair runs first" (NewMethods).
func TestTheOrderOfRepair(t *testing.T) {
	urgent := func(n candidate.Node, minutes int, cost float64) candidate.Node {
		n.Conditions[0].Urgency, n.Cost = fixture.Noon.Add(-time.Duration(minutes)*time.Minute), cost
		return n
	}
	by := func(n candidate.Node, deadline string) candidate.Node {
		n.Conditions[0].Deadline = fixture.Clock(deadline)
		return n
	}
	both := unhealthy("both", 5)
	both.Conditions = append(both.Conditions, candidate.Condition{Reason: "Drifted", Since: fixture.Noon.Add(-time.Hour)})
	drifted := func(name string, cost float64) candidate.Node {
		n := fixture.Wanted(name, fixture.Noon, "Drifted")
		n.Cost = cost
		return n
	}
	for _, c := range []struct {
		name  string
		nodes []candidate.Node
		want  string
	}{
		{"the most urgent first, whoever has been due for longest", []candidate.Node{urgent(unhealthy("a", 60), 60, 0), urgent(unhealthy("b", 5), 65, 0)}, "b a"},
		{"without an urgency, who has been due for longest", []candidate.Node{unhealthy("a", 5), unhealthy("b", 6), urgent(unhealthy("c", 1), 7, 0)}, "c b a"},
		{"to the nanosecond", []candidate.Node{unhealthy("a", 5), func() candidate.Node {
			n := unhealthy("b", 5)
			n.Conditions[0].Since = n.Conditions[0].Since.Add(-1)
			return n
		}()}, "b a"},
		{"of equals the cheapest", []candidate.Node{urgent(unhealthy("a", 5), 9, 2.5), urgent(unhealthy("b", 8), 9, 2), urgent(unhealthy("c", 8), 9, -1)}, "c b a"},
		{"those with a deadline before those without, the earliest deadline first", []candidate.Node{
			by(unhealthy("a", 300), "11:00"), unhealthy("b", 900), by(unhealthy("c", 300), "10:00"), by(unhealthy("d", 5), "13:00")}, "c a d b"},
		{"of one deadline, who has been due for longest", []candidate.Node{by(unhealthy("a", 5), "11:57"), by(unhealthy("b", 6), "11:57")}, "b a"},
		{"but an urgency alone decides of those that have one", []candidate.Node{
			by(urgent(unhealthy("a", 5), 5, 0), "11:56"), urgent(unhealthy("b", 5), 6, 0), by(unhealthy("c", 5), "13:00")}, "c b a"},
		{"of those the first by name", []candidate.Node{urgent(unhealthy("b", 5), 9, 2), urgent(unhealthy("a", 5), 9, 2)}, "a b"},
		{"a cost that is not a number is the least", []candidate.Node{urgent(unhealthy("b", 5), 9, math.NaN()), urgent(unhealthy("c", 5), 9, 1), urgent(unhealthy("a", 5), 9, math.NaN())}, "a b c"},
		{"repair before all others", []candidate.Node{drifted("a", 0), unhealthy("b", 1), drifted("c", 0)}, "b a c"},
		{"a node of several reasons is repaired", []candidate.Node{both, drifted("a", 0)}, "both a"},
		{"what is cheap goes no sooner for other reasons", []candidate.Node{drifted("a", 9), drifted("b", 1)}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, []budget.Budget{{Nodes: "100"}}...)}, Nodes: c.nodes}
			if got := strings.Join(fixture.Allowed(disruptkit.Decide(in, "")), " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			slices.Reverse(in.Nodes)
			if got := strings.Join(fixture.Allowed(disruptkit.Decide(in, "")), " "); got != c.want {
				t.Errorf("the order of the input shows: %s", got)
			}
		})
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
func TestAVetoHoldsBackNothingElse(t *testing.T) {
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

// A node that begins to reboot never leaves room for one more, whatever the reason: it uses up one disruption, also where it was not
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
