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
	"github.com/disruptkit/disruptkit/probe"
)

// redated returns the input with other deadlines: those of change, or none of them.
func redated(in disruptkit.Input, change func(n *candidate.Node, c *candidate.Condition)) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			n.Conditions[j].Deadline = time.Time{}
			change(n, &n.Conditions[j])
		}
	}
	return in
}

// alone returns the input in which only one node has reasons to be disrupted.
func alone(in disruptkit.Input, only int) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if i != only {
			in.Nodes[i].Conditions = nil
		}
	}
	return in
}

func never(*candidate.Node, *candidate.Condition) {}

// withoutControls returns the input with the same budgets and no deadlines of controls.
func withoutControls(in disruptkit.Input) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Budgets, _ = budget.Spec{Budgets: p.Budgets.Budgets(), MostSpecific: p.Budgets.MostSpecific()}.Compile()
	}
	return in
}

func TestDeadlinesThatLieAheadChangeNothingButTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := withoutControls(testkit.Arbitrary(generate.Dated).Draw(t, "input"))
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		ahead := redated(in, func(_ *candidate.Node, c *candidate.Condition) {
			c.Since = in.Now.Add(-time.Hour)
			if rapid.Bool().Draw(t, "has a deadline") {
				c.Deadline = in.Now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "minutes")) * time.Minute)
			}
		})
		none := redated(ahead, never)
		if diff := cmp.Diff(disruptkit.Decide(none, asked).Pools, disruptkit.Decide(ahead, asked).Pools, cmp.FilterPath(func(p cmp.Path) bool {
			return p.Last().String() == ".Topology"
		}, cmp.Ignore())); diff != "" {
			t.Fatal(diff)
		}
		for i := range in.Nodes {
			before, after := disruptkit.Decide(alone(none, i), asked), disruptkit.Decide(alone(ahead, i), asked)
			if diff := cmp.Diff(fixture.Allowed(before), fixture.Allowed(after)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestNoWindowPaceOrBackoffBlocksAnOverdueNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		d := disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
		for _, c := range d.Blocked {
			for _, b := range c.Blockers {
				if !c.Overdue {
					continue
				}
				if b.Gate == candidate.GateBackoff || b.Code == candidate.CodePaced || b.Gate == candidate.GateBudget && b.Code == candidate.CodeAllowsNone {
					t.Fatalf("%s is overdue, but %s", c.Node, b)
				}
				if b.Gate != candidate.GateBudget || b.Code != candidate.CodeExhausted {
					continue
				}
				nodes, inFlight := counts(in, c.Pool, c.Reason)
				for _, o := range d.Allowed {
					if o.Pool == c.Pool {
						inFlight++
					}
				}
				if most := set(in, c.Pool).Overdue(nodes, c.Reason).Nodes; inFlight < most {
					t.Fatalf("%s is overdue, and %d of %d are in flight, but %s", c.Node, inFlight, most, b)
				}
			}
		}
	})
}

// counts returns how many nodes of a pool percentages are of, and how many of them use up its budgets for a reason.
func counts(in disruptkit.Input, pool string, reason candidate.Reason) (nodes, inFlight int) {
	for _, n := range in.Nodes {
		if n.Pool == pool && n.Counted() {
			nodes++
			if n.Disrupting(reason) {
				inFlight++
			}
		}
	}
	return nodes, inFlight
}

// Whoever goes although the budgets that are active, the paces or a back-off would not let it is overdue, and one of few.
func TestOverdueNodesAreNeverMoreAtOnceThanTheLeastBudgetGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		gone := in // with those that are disrupted; one that is not Ready counts once
		gone.Nodes = slices.Clone(in.Nodes)
		left := redated(withoutControls(in), never) // what is left for those that are not overdue
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			nodes, inFlight := counts(gone, c.Pool, c.Reason)
			i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			ordinary := slices.ContainsFunc(disruptkit.Decide(alone(left, i), c.Reason).Allowed, func(o candidate.Candidate) bool { return o.Node == c.Node })
			switch most := set(in, c.Pool).Overdue(nodes, c.Reason).Nodes; {
			case ordinary || !in.Nodes[i].Counted():
			case !c.Overdue:
				t.Fatalf("%s may be disrupted, but not if nobody had a deadline", c.Node)
			case inFlight >= most && !in.Nodes[i].HasGracePeriod: // else its pods allow it
				t.Fatalf("%s goes, the %d. of %d that may be in flight", c.Node, inFlight+1, most)
			}
			gone.Nodes[i].Leaving, gone.Nodes[i].DisruptedFor = candidate.Draining, c.Reason
			left.Nodes[i].Leaving, left.Nodes[i].DisruptedFor = candidate.Draining, c.Reason
		}
	})
}

// In a pool whose zones take turns at some hours, and in which nothing else may be disrupted at the others.
func TestOverdueNodesOfTwoZonesNeverGoAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		hour := fmt.Sprint(in.Now.UTC().Hour()) + " * * *"
		shift := "30 " + hour
		if rapid.Bool().Draw(t, "now") {
			shift = "0 " + hour
		}
		turns := budget.Budget{Nodes: "2", TopologyKey: "zone", Sequential: true, Schedule: shift, Duration: "8h", Outside: rapid.Bool().Draw(t, "outside")}
		closed := budget.Budget{Nodes: "0", Schedule: shift, Duration: "8h", Outside: !turns.Outside}
		reasons := []candidate.Reason{candidate.Drifted}
		budgets := []budget.Budget{{Nodes: "3"}, turns, closed}
		if rapid.Bool().Draw(t, "another order is active") {
			reasons = []candidate.Reason{"Drifted/A", "Drifted/B"}
			budgets[1].Reasons = reasons[1:]
			budgets = slices.Insert(budgets, rapid.IntRange(0, 2).Draw(t, "place"),
				budget.Budget{Nodes: "2", TopologyKey: "zone", Sequential: true, Reasons: reasons[:1]})
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.Pools {
			in.Pools[i].Budgets, in.Pools[i].Topology.Reasons = set, nil
		}
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.Conditions = n.Conditions[:1]
			reason := rapid.SampledFrom(reasons).Draw(t, "reason")
			n.Conditions[0].Reason, n.DisruptedFor = reason, reason
		}
		flying := func(in disruptkit.Input) (zones map[string]map[string]bool) { // by pool and reason
			zones = map[string]map[string]bool{}
			for _, n := range in.Nodes {
				if n.InFlight() {
					roll := n.Pool + " " + string(n.DisruptedFor)
					if zones[roll] == nil {
						zones[roll] = map[string]bool{}
					}
					zones[roll][n.Labels["zone"]] = true
				}
			}
			return zones
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		before, after := flying(in), flying(in.Apply(d))
		for roll, zones := range after {
			if len(zones) > max(1, len(before[roll])) {
				t.Fatalf("%s rolls in %v, and did in %v\n%s", roll, zones, before[roll], fixture.Story(d))
			}
		}
	})
}

func TestAPauseAProbeAndAnInvalidBudgetBlockOverdueNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Dated).Draw(t, "input")
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			in.Pauses = []probe.Pause{{By: "alice", Until: in.Now.Add(1)}}
		case 1:
			in.Verdicts = []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
		default:
			for i := range in.Pools {
				spec := budget.Spec{Budgets: append(in.Pools[i].Budgets.Budgets(), budget.Budget{Nodes: "two"}), Defaults: budget.Control{Deadline: "1h"}}
				in.Pools[i].Budgets, _ = spec.Compile()
			}
		}
		for _, c := range disruptkit.Decide(in, "").Allowed {
			i := slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
			if in.Nodes[i].Counted() {
				t.Fatalf("%s goes", c.Node)
			}
		}
	})
}

func TestADeadlineThatHasPassedNeverBlocksANode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := redated(withoutControls(testkit.Arbitrary(generate.DatedUnzoned).Draw(t, "input")), never)
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes {
			before := alone(in, i)
			overdue := redated(before, func(_ *candidate.Node, c *candidate.Condition) { c.Deadline = in.Now })
			if len(disruptkit.Decide(before, asked).Allowed) > len(disruptkit.Decide(overdue, asked).Allowed) {
				t.Fatalf("%s may be disrupted, but not once it is overdue", in.Nodes[i].Name)
			}
		}
	})
}

// Nodes of one pool have drifted, drains take equally long, and all of it is known from the start. If any order of starts then lets all
// nodes start before their deadlines, Decide finds one: the earliest deadline first. If none does, its latest start is as little late as
// that of the best. (Where drains differ, or where nodes drift later, no rule that starts whatever may start finds all such orders.)
func TestNobodyIsOverdueWhoCouldHaveGoneInTime(t *testing.T) {
	const hours = 7
	rapid.Check(t, func(t *rapid.T) {
		start := fixture.Noon
		drain := rapid.IntRange(1, 3).Draw(t, "drain")
		deadlines := rapid.SliceOfN(rapid.IntRange(1, hours), 2, 4).Draw(t, "deadlines")
		var budgets []budget.Budget
		allowed := [hours]int{}
		for h := range allowed {
			allowed[h] = len(deadlines)
		}
		for range rapid.IntRange(1, 2).Draw(t, "budgets") {
			nodes, from, length := rapid.IntRange(0, 2).Draw(t, "nodes"), rapid.IntRange(0, hours-1).Draw(t, "from"), rapid.IntRange(1, hours).Draw(t, "length")
			budgets = append(budgets, budget.Budget{Nodes: fmt.Sprint(nodes), Schedule: fmt.Sprintf("0 %d * * *", start.Hour()+from), Duration: fmt.Sprintf("%dh", length)})
			for h := from; h < min(from+length, hours); h++ {
				allowed[h] = min(allowed[h], nodes)
			}
		}
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: start, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fixture.Fleet(0, len(deadlines))}
		for i, d := range deadlines {
			in.Nodes[i].Conditions[0].Deadline = start.Add(time.Duration(d) * time.Hour)
		}
		late := func(starts []int) int { // how late the latest is: below 0, all are in time
			worst := -hours
			for i, s := range starts {
				worst = max(worst, s-deadlines[i])
			}
			return worst
		}
		got := simulate(in, drain, hours)
		if best := bestOrder(allowed[:], drain, len(deadlines), late); late(got) > max(best, -1) {
			t.Fatalf("starts at %v, the latest late by %d, but %d is possible; allowed %v", got, late(got), best, allowed)
		}
	})
}

// simulate starts each node when Decide says so, and returns when that was. A node is gone after so many hours, and its replacement is
// there.
func simulate(in disruptkit.Input, drain, hours int) []int {
	starts := slices.Repeat([]int{hours}, len(in.Nodes))
	for h := range hours {
		for i := range in.Nodes {
			if n := &in.Nodes[i]; n.Leaving == candidate.Draining && starts[i]+drain <= h {
				n.Leaving, n.Conditions = candidate.Staying, nil
			}
		}
		in.Now = fixture.Noon.Add(time.Duration(h) * time.Hour)
		d := disruptkit.Decide(in, candidate.Drifted)
		for _, c := range d.Allowed {
			starts[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })] = h
		}
		in = in.Apply(d)
	}
	return starts
}

// bestOrder tries all starts that budgets allow, and returns how late the latest is in the best of them.
func bestOrder(allowed []int, drain, nodes int, late func(starts []int) int) int {
	best := len(allowed)
	starts := make([]int, nodes)
	var try func(i int)
	try = func(i int) {
		if i < nodes {
			for starts[i] = range len(allowed) + 1 { // the last is never
				try(i + 1)
			}
			return
		}
		for h := range allowed {
			begun, inFlight := 0, 0
			for _, s := range starts {
				if s == h {
					begun++
				}
				if s <= h && h < s+drain {
					inFlight++
				}
			}
			if begun > 0 && inFlight > allowed[h] {
				return
			}
		}
		best = min(best, late(starts))
	}
	try(0)
	return best
}

func TestADeadlineBeforeItsReasonIsWarnedOf(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: fixture.Fleet(0, 2)}
	for i := range in.Nodes {
		c := &in.Nodes[i].Conditions[0]
		c.Since = fixture.Noon.Add(time.Duration(i-2) * time.Hour)
		c.Deadline = fixture.Noon.Add(-2 * time.Hour)
	}
	var got []string
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		got = append(got, string(w.Code)+" "+w.Error())
	}
	want := "invalid-deadline Node/a-2: deadline: deadline 2026-11-20T10:00:00Z is before 2026-11-20T11:00:00Z, when Drifted began to hold, and is ignored: write a later one"
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Error(diff)
	}
	if other := disruptkit.Decide(in, candidate.Empty).Warnings; len(other) > 0 {
		t.Error(other)
	}
	in.Dialect = dialect.Karpenter
	for _, w := range disruptkit.Decide(in, candidate.Drifted).Warnings {
		if w.Code == "invalid-deadline" {
			t.Error("Karpenter has no deadlines:", w)
		}
	}
}

// In any place, an own deadline that is invalid counts as none: the pool's holds, if it has one.
func TestADeadlineBeforeItsReasonLeavesThatOfThePool(t *testing.T) {
	for control, overdue := range map[string]bool{"": false, "30m": true, "1h": true, "2h": false, "Never": false} {
		set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}, Drift: budget.Control{Deadline: control}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fixture.Fleet(0, 1)}
		in.Nodes[0].Conditions[0].Since, in.Nodes[0].Conditions[0].Deadline = fixture.Clock("11:00"), fixture.Clock("10:00")
		d := disruptkit.Decide(in, candidate.Drifted)
		if got := len(d.Allowed) == 1 && d.Allowed[0].Overdue; got != overdue {
			t.Errorf("with a deadline of %q of the pool, overdue is %t instead of %t", control, got, overdue)
		}
		if !slices.ContainsFunc(d.Warnings, func(w candidate.Warning) bool { return w.Code == "invalid-deadline" }) {
			t.Errorf("with a deadline of %q of the pool, no warning says that the node's own is ignored: %v", control, d.Warnings)
		}
		in.Nodes[0].Conditions[0].Deadline = time.Time{}
		if without := disruptkit.Decide(in, candidate.Drifted); !cmp.Equal(d.Allowed, without.Allowed) || !cmp.Equal(d.Blocked, without.Blocked) {
			t.Errorf("with a deadline of %q of the pool, an invalid one changes the decision", control)
		}
	}
}

func TestWarningsOfDeadlinesAreInOrderOfNamesAndTimes(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}}
	for _, name := range []string{"c", "a", "b"} {
		n := fixture.Wanted(name, fixture.Noon.Add(-time.Hour), candidate.Empty, candidate.Drifted)
		for i := range n.Conditions {
			n.Conditions[i].Deadline = n.Conditions[i].Since.Add(-time.Hour)
		}
		slices.Reverse(n.Conditions)
		in.Nodes = append(in.Nodes, n)
	}
	var got []string
	for _, w := range disruptkit.Decide(in, "").Warnings {
		_, reason, _ := strings.Cut(w.Message, "when ")
		reason, _, _ = strings.Cut(reason, " ")
		got = append(got, w.Object+" "+reason)
	}
	want := []string{"Node/a Empty", "Node/a Drifted", "Node/b Empty", "Node/b Drifted", "Node/c Empty", "Node/c Drifted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
