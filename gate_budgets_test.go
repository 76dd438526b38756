package disruptkit_test

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestABudgetThatSeveralReasonsShareLimitsThemTogether(t *testing.T) {
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "2", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "2", Reasons: []candidate.Reason{"Empty"}},
		{Nodes: "3", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, fixture.Wanted("a", fixture.Noon, "Drifted"), fixture.Wanted("b", fixture.Noon, "Drifted"), fixture.Wanted("c", fixture.Noon, "Empty"), fixture.Wanted("d", fixture.Noon, "Empty"))
	if names := fixture.Allowed(disruptkit.Decide(in, "")); len(names) != 3 {
		t.Errorf("%v may be disrupted, of 3 together", names)
	}
}

func TestABudgetOfItsOwnIsNotUsedUpByWhatSharesAnother(t *testing.T) {
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "10", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, fixture.Going("a", "Empty"), fixture.Wanted("b", fixture.Noon, "Drifted"))
	if names := fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)); len(names) != 1 {
		t.Errorf("%v may be disrupted, of 1 for drift", names)
	}
}

// Overdue nodes are the one exception: their limit is the lowest above 0 of the pool's budgets. If none is above 0, one node is allowed at a
// time, and one more budget, above 0, allows as many as it says. (Which nodes are allowed may change: one more budget for single zones may
// give the turn to another zone, and a node that is blocked leaves its disruption of a PDB to another one.)
func TestOneMoreBudgetNeverAllowsMoreNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		in.Rules = candidate.Rules{}
		in = fixture.Restrictive(in)
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes { // of one reason, since children may have budgets of their own
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		more := in
		more.Pools = slices.Clone(in.Pools)
		one := rapid.OneOf(testkit.Arbitrary(generate.Budget), testkit.Arbitrary(generate.BrokenBudget)).Draw(t, "one more")
		more.Pools[0].Budgets, _ = budget.Compile(append(in.Pools[0].Budgets.Budgets(), one))
		a, b := disruptkit.Decide(in, reason), disruptkit.Decide(more, reason)
		before, after := in.Pools[0].Budgets.Overdue(len(in.Nodes), reason), more.Pools[0].Budgets.Overdue(len(in.Nodes), reason)
		for _, c := range b.Allowed {
			if c.Overdue && c.Pool == in.Pools[0].Name && before.Nodes == 1 && after.Nodes > 1 {
				continue
			}
			if !slices.ContainsFunc(a.Allowed, func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(c) }) {
				t.Fatalf("%s may be disrupted only with one more budget, %s", c.Node, one)
			}
		}
	})
}

func TestOneMoreBudgetAllowsMoreOverdueNodesIfNoOtherIsAboveZero(t *testing.T) {
	for _, c := range []struct {
		budgets []budget.Budget
		allowed int
	}{
		{[]budget.Budget{{Nodes: "0"}}, 1},
		{[]budget.Budget{{Nodes: "0"}, {Nodes: "3"}}, 3},
		{[]budget.Budget{{Nodes: "0"}, {Nodes: "3"}, {Nodes: "2"}}, 2},
	} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, c.budgets...)}, Nodes: fixture.Zoned("a1* a2* a3* a4*")}
		for i := range in.Nodes {
			in.Nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
		}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != c.allowed {
			t.Errorf("%v: %d overdue nodes are allowed instead of %d", c.budgets, len(d.Allowed), c.allowed)
		}
	}
}

func TestReasonsThatOnlyTurnsDependOnHaveNoNumbers(t *testing.T) {
	nodes := fixture.Zoned("a1* b1*")
	nodes[0].Conditions[0].Reason, nodes[1].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/SubnetDrift"
	d := disruptkit.Decide(disruptkit.Input{
		Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))},
	}, "Drifted/AMIDrift")
	if len(d.Pools) != 1 || d.Pools[0].Reason != "Drifted/AMIDrift" {
		t.Error(d.Pools)
	}
}

// The message of a budget has the numbers of the next decision, once all that this one allows is in flight.
func TestABudgetCountsWhatIsAllowedAsItCountsInFlight(t *testing.T) {
	numbers := regexp.MustCompile(`at once(?:, (\d+) in flight[^,:]*)?(?:, (\d+) allowed now)?`)
	used := func(c candidate.Candidate) (n int, told bool) {
		for _, b := range c.Blockers {
			if b.Gate == candidate.GateBudget && b.Code == candidate.CodeExhausted && b.Source != nil && b.Source.Group == "" && !c.Overdue {
				for _, text := range numbers.FindStringSubmatch(b.Message)[1:] {
					one, _ := strconv.Atoi(text)
					n += one
				}
				return n, true
			}
		}
		return 0, false
	}
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		d := disruptkit.Decide(in, "")
		after := map[string]int{}
		for _, c := range disruptkit.Decide(in.Apply(d), "").Blocked {
			if n, told := used(c); told {
				after[fixture.Key(c)] = n
			}
		}
		for _, c := range d.Blocked {
			n, told := used(c)
			if then, same := after[fixture.Key(c)]; told && same && n != then {
				t.Fatalf("%s for %s: %v, and then %d are in use", c.Node, c.Reason, c.Blockers, then)
			}
		}
	})
}
