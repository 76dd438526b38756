package plan_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// The expectation of a node is in the whole plan, for the seeds of all its runs.
func TestAnExpectationIsThatOfTheWholePlan(t *testing.T) {
	if checks := flag.Lookup("rapid.checks").Value.String(); checks == testkit.Cases { // each case is hundreds of plans
		_ = flag.Set("rapid.checks", "3")
		defer func() { _ = flag.Set("rapid.checks", checks) }()
	}
	rapid.Check(t, func(t *rapid.T) {
		in := sampleInput(t)
		o := plan.Options{Model: testkit.Arbitrary(chancy).Draw(t, "model"), Horizon: hours * time.Hour}
		nodes := plan.Run(in, o).Nodes
		if len(nodes) == 0 {
			t.Skip("nothing is planned")
		}
		asked := rapid.SampledFrom(nodes).Draw(t, "node")
		is := func(n plan.Node) bool { return n.Name == asked.Name && n.Pool == asked.Pool }
		if all := slices.DeleteFunc(slices.Clone(nodes), func(n plan.Node) bool { return !is(n) }); len(all) > 1 {
			t.Skip("several nodes have the name")
		}
		e, found := plan.Expect(in, o, asked.Pool, asked.Name)
		if !found || e.Stopped {
			t.Fatalf("%s of %s: found %t, stopped %t", asked.Name, asked.Pool, found, e.Stopped)
		}
		var starts []time.Time
		told := false
		for range e.Runs {
			all := plan.Run(in, o).Nodes
			n := all[slices.IndexFunc(all, is)]
			starts = append(starts, n.Start)
			told = told || fmt.Sprint(n.Start, n.Outcome, n.Reason, n.Waits, n.Blockers) ==
				fmt.Sprint(e.Start, e.Outcome, e.Reason, e.Waits, e.Blockers)
			o.Model.Seed++
		}
		if want := plan.SpreadOf(starts); e.Starts != want || !told {
			t.Errorf("%s of %s: %+v, want %+v; %+v is in no run", asked.Name, asked.Pool, e.Starts, want, e.Node)
		}
	})
}

func TestAnExpectationIsBounded(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 200), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
	last := in.Nodes[len(in.Nodes)-1].Name
	e, found := plan.Expect(in, plan.Options{}, "default", last)
	if whole := plan.Run(in, plan.Options{}).Nodes; !found || e.Stopped || !e.Start.Equal(whole[len(whole)-1].Start) {
		t.Errorf("%t, %+v", found, e)
	}
	defer plan.LimitExpectation(10_000)()
	if e, found := plan.Expect(in, plan.Options{}, "default", last); !found || !e.Stopped || !e.Start.IsZero() {
		t.Errorf("%t, %+v", found, e)
	}
	if e, found := plan.Expect(in, plan.Options{}, "default", in.Nodes[0].Name); !found || e.Stopped || !e.Start.Equal(fixture.Noon) {
		t.Errorf("%t, %+v", found, e)
	}
	if _, found := plan.Expect(in, plan.Options{}, "default", "none"); found {
		t.Error("a node that is not there is found")
	}
}
