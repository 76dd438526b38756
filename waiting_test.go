package disruptkit_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// waiting returns a pool of candidates, the oldest first.
func waiting(t *testing.T, reasons []candidate.Reason, budgets ...budget.Budget) disruptkit.Input {
	nodes := fleet(0, len(reasons))
	for i, r := range reasons {
		nodes[i].Conditions[0].Reason = r
	}
	return disruptkit.Input{Now: friday, Nodes: nodes, Pools: []disruptkit.Pool{pool(t, budgets...)}}
}

// frozen is a budget of 0 from 09:00 on.
func frozen(hours int, reasons ...candidate.Reason) budget.Budget {
	return budget.Budget{Nodes: "0", Reasons: reasons, Schedule: "0 9 * * *", Duration: fmt.Sprintf("%dh", hours)}
}

func TestWhatIsBlockedForGoodDoesNotWaitInLine(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Empty"}, budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}, frozen(8, "Empty"))
	if got := disruptkit.Decide(in, "").Blocked[1].Blockers[0].Until; !got.Equal(friday.Add(5 * time.Hour)) {
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
	if got := disruptkit.Decide(in, "Drifted").Allowed[0].Until; !got.Equal(friday.Add(time.Hour)) {
		t.Error(got)
	}
}

func TestTheNextChangeIsNeverPast(t *testing.T) {
	for _, until := range []time.Time{friday.Add(-time.Hour), friday} {
		in := waiting(t, []candidate.Reason{"Drifted"})
		in.Nodes[0].Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x", Until: until}}
		if d := disruptkit.Decide(in, "Drifted"); !d.NextChange.IsZero() {
			t.Error(d.NextChange)
		}
	}
}

func TestWarningsOfDuplicateNodesAreSorted(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: append(fleet(0, 9), fleet(0, 9)...)}
	w := disruptkit.Decide(in, "Drifted").Warnings
	if len(w) != 9 || !slices.IsSortedFunc(w, func(a, b candidate.Warning) int { return cmp.Compare(a.Value, b.Value) }) {
		t.Error(w)
	}
}

func TestWhatTheCallerHasAgainstAPoolOfAnAmbiguousNameIsNotSaid(t *testing.T) {
	a, b := pool(t), pool(t)
	a.Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x"}}
	in := disruptkit.Input{Now: friday, Nodes: fleet(0, 1), Pools: []disruptkit.Pool{a, b}}
	d := disruptkit.Decide(in, "Drifted")
	slices.Reverse(in.Pools)
	if diff := gocmp.Diff(d, disruptkit.Decide(in, "Drifted")); diff != "" {
		t.Error(diff)
	}
}

func TestAnOlderNodeThatIsNominatedTakesThePlaceLater(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Drifted"}, budget.Budget{Nodes: "1"})
	in.Nodes[0].NominatedUntil = friday.Add(time.Minute)
	if got := disruptkit.Decide(in, "Drifted").Allowed[0]; got.Node != "a-2" || !got.Until.Equal(friday.Add(time.Minute)) {
		t.Error(got)
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
	if got := disruptkit.Decide(in, "Drifted").Blocked[1]; len(got.Blockers) != 1 || !got.Blockers[0].Until.Equal(friday.Add(5*time.Hour)) {
		t.Error(got)
	}
}

func TestAPlaceIsTakenOnceTheLastBlockerHasLifted(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted", "Empty"}, budget.Budget{Nodes: "1"}, frozen(8, "Drifted"))
	in.Nodes[0].NominatedUntil = friday.Add(6 * time.Hour)
	if got := disruptkit.Decide(in, "").Allowed[0]; !got.Until.Equal(friday.Add(6 * time.Hour)) {
		t.Error(got)
	}
}
