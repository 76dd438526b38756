package disruptkit_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// candidate.Node.PodsUnknown: "Any of them may hold the node back, so it stays, whatever the reason and its grace period."
func TestANodeWhosePodsAreNotKnownStaysAndUsesNothingUp(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	one, err := budget.Compile([]budget.Budget{{Nodes: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []candidate.Reason{candidate.Drifted, "Drifted/AMIDrift", candidate.Empty, candidate.Underutilized, candidate.Expired} {
		in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: one}}}
		for age, name := range []string{"young", "old"} {
			in.Nodes = append(in.Nodes, candidate.Node{
				Name: name, Pool: "default", Initialized: true, Ready: true, HasGracePeriod: true,
				Conditions: []candidate.Condition{{Reason: reason, Since: now.Add(-time.Duration(age+1) * time.Hour)}},
			})
		}
		in.Nodes[1].PodsUnknown = true
		d := disruptkit.Decide(in, "")
		if len(d.Allowed) != 1 || d.Allowed[0].Node != "young" {
			t.Errorf("%s: allowed: %+v", reason, d.Allowed)
		}
		if len(d.Blocked) != 1 || len(d.Blocked[0].Blockers) != 1 || d.Blocked[0].Blockers[0].Code != candidate.CodePodsUnknown ||
			d.Blocked[0].Blockers[0].Gate != candidate.GatePod {
			t.Errorf("%s: blocked: %+v", reason, d.Blocked)
		}
	}
}
