package budget_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestTheSameIsAllowedForReasonsThatAreAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(testkit.Arbitrary(generate.Budget), testkit.Arbitrary(generate.Budget), testkit.Arbitrary(generate.BrokenBudget)), 0, 6).Draw(t, "budgets")
		set, _ := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec").Compile()
		reasons := append(candidate.Methods(), "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty/Buffer", "Expired/X", "typo")
		var all []candidate.Reason
		for _, group := range set.Alike(reasons) {
			all = append(all, group...)
			for range 5 {
				at, nodes := testkit.Arbitrary(generate.Time).Draw(t, "at"), rapid.IntRange(0, 200).Draw(t, "nodes")
				want, err := budget.AllowedByReason(set, at, nodes, group[0])
				for _, r := range group[1:] {
					if got, other := budget.AllowedByReason(set, at, nodes, r); got != want || (other == nil) != (err == nil) {
						t.Fatalf("%v: %s has %v, %v, and %s has %v, %v", list, group[0], want, err, r, got, other)
					}
				}
			}
		}
		slices.Sort(all)
		slices.Sort(reasons)
		if !slices.Equal(all, reasons) {
			t.Fatalf("%v of %v", all, reasons)
		}
	})
}

func TestReasonsAreAlikeIfTheSameBudgetsConcernThem(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, {Nodes: "1", Reasons: []candidate.Reason{"Drifted", "Empty"}}}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]candidate.Reason{{"Expired", "Underutilized"}, {"Drifted/AMIDrift", "Empty", "Drifted"}}
	if diff := cmp.Diff(want, set.Alike([]candidate.Reason{"Expired", "Drifted/AMIDrift", "Empty", "Underutilized", "Drifted"})); diff != "" {
		t.Error(diff)
	}
}

func TestAReasonWithAnInvalidSequentialBudgetIsAlikeToNoOther(t *testing.T) {
	invalid := budget.Budget{Nodes: "x", Reasons: []candidate.Reason{"Empty"}, TopologyKey: "zone", Sequential: true}
	set, _ := budget.Compile([]budget.Budget{{Nodes: "5"}, invalid})
	if got := set.Alike([]candidate.Reason{"Empty", "Underutilized"}); len(got) != 2 {
		t.Error(got)
	}
}
