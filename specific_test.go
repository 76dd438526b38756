package disruptkit_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// wanted returns a node that has been a candidate for some reasons for hours, the first of them for the longest.
func wanted(name string, now time.Time, reasons ...candidate.Reason) candidate.Node {
	n := candidate.Node{Name: name, Pool: "default", Initialized: true, Ready: true}
	for i, r := range reasons {
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: r, Since: now.Add(time.Duration(i-9) * time.Hour)})
	}
	return n
}

// going returns a node in flight.
func going(name string, reason candidate.Reason) candidate.Node {
	n := wanted(name, time.Time{})
	n.Deleting, n.DisruptedFor = true, reason
	return n
}

func specificInput(t *testing.T, now time.Time, budgets []budget.Budget, nodes ...candidate.Node) disruptkit.Input {
	t.Helper()
	set, err := budget.Spec{Budgets: budgets, MostSpecific: true}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return disruptkit.Input{Now: now, Nodes: nodes, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
}

func allowedNames(d disruptkit.Decision) (names []string) {
	for _, c := range d.Allowed {
		names = append(names, c.Node)
	}
	return names
}

func TestABudgetThatSeveralReasonsShareLimitsThemTogether(t *testing.T) {
	in := specificInput(t, noon, []budget.Budget{
		{Nodes: "2", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "2", Reasons: []candidate.Reason{"Empty"}},
		{Nodes: "3", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, wanted("a", noon, "Drifted"), wanted("b", noon, "Drifted"), wanted("c", noon, "Empty"), wanted("d", noon, "Empty"))
	if names := allowedNames(disruptkit.Decide(in, "")); len(names) != 3 {
		t.Errorf("%v may go, of 3 together", names)
	}
}

func TestABudgetOfItsOwnIsNotUsedUpByWhatSharesAnother(t *testing.T) {
	in := specificInput(t, noon, []budget.Budget{
		{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "10", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}, going("a", "Empty"), wanted("b", noon, "Drifted"))
	if names := allowedNames(disruptkit.Decide(in, candidate.Drifted)); len(names) != 1 {
		t.Errorf("%v may go, of 1 for drift", names)
	}
}

// Five hours later the budget for drift ends, and drift shares what the node in flight for Empty uses.
func TestTheNextChangeIsAlsoWhenOthersBeginToShareABudget(t *testing.T) {
	blocked := wanted("b", noon, "Drifted")
	blocked.Initialized = false
	in := specificInput(t, noon, []budget.Budget{
		{Nodes: "1"},
		{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}, Schedule: "0 9 * * *", Duration: "8h"},
	}, going("a", "Empty"), blocked)
	d := disruptkit.Decide(in, candidate.Drifted)
	if five := noon.Add(5 * time.Hour); d.Pools[0].Disrupting != 0 || !d.NextChange.Equal(five) {
		t.Fatalf("%d in use, next change %v", d.Pools[0].Disrupting, d.NextChange)
	}
	in.Now = d.NextChange
	if d := disruptkit.Decide(in, candidate.Drifted); d.Pools[0].Disrupting != 1 {
		t.Errorf("then %d in use", d.Pools[0].Disrupting)
	}
}

// a goes for Underutilized, and once that is frozen, would go for Drifted: it keeps the only place.
func TestWhoMayGoForAnotherReasonLaterKeepsItsPlace(t *testing.T) {
	in := specificInput(t, noon, []budget.Budget{
		{Nodes: "1"},
		{Nodes: "0", Reasons: []candidate.Reason{"Underutilized"}, Schedule: "0 13 * * *", Duration: "1h"},
	}, wanted("a", noon, "Underutilized", "Drifted"), wanted("b", noon.Add(time.Hour*20), "Empty"))
	for _, c := range disruptkit.Decide(in, "").Blocked {
		at, lifts := candidate.Lift(c.Blockers)
		if c.Node != "b" || !lifts {
			continue
		}
		in.Now = at
		if names := allowedNames(disruptkit.Decide(in, "")); len(names) != 1 || names[0] != "b" {
			t.Errorf("b waits until %v, and then %v may go", at, names)
		}
	}
}

// Both ways to resolve: a node that waits for two reasons takes one place once it may go.
func TestANodeThatWaitsForTwoReasonsTakesOnePlace(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "2"}, {Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}})
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}},
		Nodes: []candidate.Node{wanted("a", noon, "Drifted", "Empty"), wanted("b", noon.Add(20*time.Hour), "Drifted")}}
	for _, c := range disruptkit.Decide(in, "").Blocked {
		if at, lifts := candidate.Lift(c.Blockers); c.Node == "b" && (!lifts || !at.Equal(noon.Add(5*time.Hour))) {
			t.Errorf("b: %v", c.Blockers)
		}
	}
}
