package plan_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

func TestNodesOfAUnitStartAtOneTimeAlthoughOneOfThemHasTheReason(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "2"}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "general", Budgets: set}}}
	for i, name := range []string{"a-1", "a-2", "b-1", "b-2"} {
		n := candidate.Node{Name: name, Pool: "general", Unit: name[:1], Phase: candidate.Running, ReadySince: now.Add(-time.Hour)}
		if i%2 == 0 {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}}
		}
		in.Nodes = append(in.Nodes, n)
	}
	p := plan.Run(in, plan.Options{Model: plan.Model{Launch: plan.Constant(time.Minute), Drain: plan.Constant(time.Minute)}})
	starts := map[string]time.Time{}
	for _, n := range p.Nodes {
		starts[n.Name] = n.Start
	}
	switch {
	case len(starts) != 4, starts["a-1"].IsZero(), starts["b-1"].IsZero():
		t.Errorf("not all nodes start: %v", starts)
	case !starts["a-1"].Equal(starts["a-2"]), !starts["b-1"].Equal(starts["b-2"]), !starts["b-1"].After(starts["a-1"]):
		t.Errorf("%v", starts)
	}
}
