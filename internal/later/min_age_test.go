package later_test

import (
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
)

// What follows is foreseen: the node is old enough at 12:30, and the window opens an hour later.
func TestWhatHoldsBackANodeOnceItIsOldEnoughIsForeseen(t *testing.T) {
	in := waiting(t, []candidate.Reason{"Drifted"}, fixture.During(budget.Budget{Nodes: "0"}, "15 12 * * *", "75m"))
	spec := in.Pools[0].Budgets.Spec()
	spec.Drift.MinAge = "1h"
	in.Pools[0].Budgets, _ = spec.Compile()
	in.Nodes[0].Created = fixture.Clock("11:30")
	d := disruptkit.Decide(in, "Drifted")
	if at, lifts := candidate.LiftsAt(d.Blocked[0].Blockers); !lifts || !at.Equal(fixture.Clock("13:30")) {
		t.Errorf("it may go at %v: %v", at, d.Blocked[0].Blockers)
	}
	if !d.NextChange.Equal(fixture.Clock("12:15")) {
		t.Error(d.NextChange)
	}
}
