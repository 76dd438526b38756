package later_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
)

// waiting returns a pool of candidates, the oldest first.
func waiting(t *testing.T, reasons []candidate.Reason, budgets ...budget.Budget) disruptkit.Input {
	nodes := fixture.Fleet(0, len(reasons))
	for i, r := range reasons {
		nodes[i].Conditions[0].Reason = r
	}
	return disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, budgets...)}}
}

// frozen is a budget of 0 from 09:00 on.
func frozen(hours int, reasons ...candidate.Reason) budget.Budget {
	return budget.Budget{Nodes: "0", Reasons: reasons, Schedule: "0 9 * * *", Duration: fmt.Sprintf("%dh", hours)}
}

func TestWhatIsBlockedForGoodDoesNotWaitInLine(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Empty"}, budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}, frozen(8, "Empty"))
	if got := disruptkit.Decide(in, "").Blocked[1].Blockers[0].Until; !got.Equal(fixture.Noon.Add(5 * time.Hour)) {
		t.Error(got)
	}
}

func TestANodeThatIsHeldBackStandsBehindTheLine(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "1"}, frozen(8))
	in.Nodes[1].DoNotDisrupt = true
	if got := disruptkit.Decide(in, "").Blocked[1].Blockers[2].Until; !got.IsZero() {
		t.Error(got)
	}
}

func TestTheFirstToWaitMayTakeThePlace(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted/A", "Drifted/B", "Drifted/C"}, budget.Budget{Nodes: "2"}, frozen(4, "Drifted/A"), frozen(8, "Drifted/B"))
	if got := disruptkit.Decide(in, "Drifted").Allowed[0].Until; !got.Equal(fixture.Noon.Add(time.Hour)) {
		t.Error(got)
	}
}

func TestAnOlderNodeThatIsNominatedTakesThePlaceLater(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "1"})
	in.Nodes[0].NominatedUntil = fixture.Noon.Add(time.Minute)
	if got := disruptkit.Decide(in, "Drifted").Allowed[0]; got.Node != "a-2" || !got.Until.Equal(fixture.Noon.Add(time.Minute)) {
		t.Error(got)
	}
}

// Two places: the older node of those that go keeps its own, and the younger one's is taken by the nominated node.
func TestAnOlderNodeThatIsNominatedTakesThePlaceOfTheYoungest(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted", "Drifted"}, budget.Budget{Nodes: "2"})
	in.Nodes[0].NominatedUntil = fixture.Noon.Add(time.Minute)
	allowed := disruptkit.Decide(in, "Drifted").Allowed
	if len(allowed) != 2 || !allowed[0].Until.IsZero() || !allowed[1].Until.Equal(fixture.Noon.Add(time.Minute)) {
		t.Error(allowed)
	}
}

// Each candidate of another reason changes what is taken. The search for when a budget lifts must not begin anew.
func TestManyReasonsInTurnDoNotMultiplyTheSearch(t *testing.T) {
	var budgets []budget.Budget
	for i := range 50 {
		budgets = append(budgets, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"},
			Schedule: fmt.Sprintf("%d-59/50 * * 1-11 *", i%10), Duration: "1m"})
	}
	reasons := slices.Repeat([]candidate.Reason{"Drifted", "Empty"}, 1000)
	d := disruptkit.Decide(waiting(t, reasons, budgets...), "")
	if len(d.Allowed)+len(d.Blocked) != 2000 {
		t.Error(len(d.Allowed), len(d.Blocked))
	}
}

func TestANodeThatStaysForGoodDoesNotWaitInLine(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "1"}, frozen(8))
	in.Nodes[0].DoNotDisrupt = true
	if got := disruptkit.Decide(in, "Drifted").Blocked[1]; len(got.Blockers) != 1 || !got.Blockers[0].Until.Equal(fixture.Noon.Add(5*time.Hour)) {
		t.Error(got)
	}
}

func TestAPlaceIsTakenOnceTheLastBlockerHasLifted(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Empty"}, budget.Budget{Nodes: "1"}, frozen(8, "Drifted"))
	in.Nodes[0].NominatedUntil = fixture.Noon.Add(6 * time.Hour)
	if got := disruptkit.Decide(in, "").Allowed[0]; !got.Until.Equal(fixture.Noon.Add(6 * time.Hour)) {
		t.Error(got)
	}
}

// a goes for Underutilized, and once that is frozen, would go for Drifted: it keeps the only place.
func TestWhoMayGoForAnotherReasonLaterKeepsItsPlace(t *testing.T) {
	in := fixture.SpecificInput(t, fixture.Noon, []budget.Budget{
		{Nodes: "1"},
		{Nodes: "0", Reasons: []candidate.Reason{"Underutilized"}, Schedule: "0 13 * * *", Duration: "1h"},
	}, fixture.Wanted("a", fixture.Noon, "Underutilized", "Drifted"), fixture.Wanted("b", fixture.Noon.Add(time.Hour*20), "Empty"))
	for _, c := range disruptkit.Decide(in, "").Blocked {
		at, lifts := candidate.LiftsAt(c.Blockers)
		if c.Node != "b" || !lifts {
			continue
		}
		in.Now = at
		if names := fixture.Allowed(disruptkit.Decide(in, "")); len(names) != 1 || names[0] != "b" {
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
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}},
		Nodes: []candidate.Node{fixture.Wanted("a", fixture.Noon, "Drifted", "Empty"), fixture.Wanted("b", fixture.Noon.Add(20*time.Hour), "Drifted")}}
	for _, c := range disruptkit.Decide(in, "").Blocked {
		if at, lifts := candidate.LiftsAt(c.Blockers); c.Node == "b" && (!lifts || !at.Equal(fixture.Noon.Add(5*time.Hour))) {
			t.Errorf("b: %v", c.Blockers)
		}
	}
}

// The third node comes first, and puts the two older ones off. The second comes before the first then, which has to wait until 14:00. So
// there is a place left at 13:05.
func TestOfTwoWhoArePutOffTheOneThatComesFirstTakesThePlace(t *testing.T) {
	drifted, empty := []candidate.Reason{"Drifted"}, []candidate.Reason{"Empty"}
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted", "Drifted", "Empty"}, budget.Budget{Nodes: "3"},
		fixture.During(budget.Budget{Nodes: "1", Reasons: drifted}, "0 9 * * *", "3h50m"),
		fixture.During(budget.Budget{Nodes: "2", Reasons: drifted}, "0 9 * * *", "5h"),
		fixture.During(budget.Budget{Nodes: "0", Reasons: empty}, "0 9 * * *", "4h5m"))
	for i, at := range []string{"13:00", "12:45", "12:30"} {
		in.Nodes[i].NominatedUntil = fixture.Clock(at)
	}
	blocked := disruptkit.Decide(in, "").Blocked
	last := blocked[len(blocked)-1]
	if last.Reason != "Empty" || len(last.Blockers) != 1 || !last.Blockers[0].Until.Equal(fixture.Clock("13:05")) {
		t.Error(last)
	}
}

// It uses no start, and no place.
func TestARepairThatNoBudgetCountsTakesNoStart(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Unhealthy", "Drifted"}, budget.Budget{Nodes: "1", Per: "1h"})
	n := &in.Nodes[0]
	n.Phase = candidate.Registered
	n.Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x", Until: fixture.Clock("12:30")}}
	d := disruptkit.Decide(in, "")
	if len(d.Blocked) != 1 || d.Blocked[0].Node != "a-1" || len(d.Allowed) != 1 || !d.Allowed[0].Until.IsZero() {
		t.Error(fixture.Story(d))
	}
}

// The fourth and the fifth node take both places of their pool before the first one comes: it never does, nor do the two behind it. So two of
// three places of the group are taken at 12:10, when the last node, of another pool, may go. That the second node waits for two reasons puts in
// doubt who comes after the third, but not that others can overtake the first.
func TestANodeThatComesBeforeADoubtCanBeOvertaken(t *testing.T) {
	in := waiting(t, slices.Repeat([]candidate.Reason{"Drifted"}, 6), budget.Budget{Nodes: "2"})
	in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty", Since: in.Nodes[1].Conditions[0].Since})
	for i, at := range []string{"12:08", "12:20", "12:15", "12:05", "12:06"} {
		in.Nodes[i].NominatedUntil = fixture.Clock(at)
	}
	other := fixture.Pool(t, fixture.During(budget.Budget{Nodes: "0"}, "0 9 * * *", "3h10m"))
	shared := fixture.Pool(t, budget.Budget{Nodes: "6"}, fixture.During(budget.Budget{Nodes: "3"}, "0 9 * * *", "3h30m"))
	other.Name, in.Nodes[5].Pool = "other", "other"
	in.Pools = append(in.Pools, other)
	in.Groups = []disruptkit.Group{{Name: "g", Pools: []string{"default", "other"}, Budgets: shared.Budgets}}
	if fault := tellsTheTruth(in, ""); fault != "" {
		t.Error(fault)
	}
}
