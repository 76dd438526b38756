package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// A pass starts one drifted node of the whole cluster, and the next one follows at once: 400 nodes that may be disrupted at once
// take 400 passes to start. That is the default in Karpenter's dialect. (Karpenter: Drift.ComputeCommands returns at the first command.)
func TestAPassStartsOneDriftedNode(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon}
	for _, name := range []string{"a", "b"} {
		pool := fixture.Pool(t, budget.Budget{Nodes: "10%"})
		pool.Name = name
		in.Pools = append(in.Pools, pool)
		for _, n := range fixture.Fleet(0, 2_000) {
			n.Name, n.Pool = name+n.Name, name
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted}}
			in.Nodes = append(in.Nodes, n)
		}
	}
	for _, test := range []struct {
		rule    string
		dialect dialect.Dialect
		model   plan.Model
		pass    time.Duration // 0: they start at once
		says    string        // of the plan's assumptions
	}{
		{"by default", dialect.Karpenter, plan.Model{}, plan.PassOf(4_000), "it starts one drifted node of the cluster, and takes 7s"},
		{"in a pass of a second", dialect.Karpenter, plan.Model{Pass: time.Second}, time.Second, "takes 1s"},
		{"without passes", dialect.Karpenter, plan.Model{Pass: -1}, 0, "for Drifted"},
		{"by default, if batched", dialect.Karpenter, plan.Model{Batched: true}, 0, "it starts all drifted nodes that are allowed, and takes 7s"},
		{"by default, elsewhere", dialect.Disruptkit, plan.Model{}, 0, "for Drifted"},
	} {
		in.Dialect, test.model.Launch = test.dialect, plan.Constant(2*time.Hour)
		p := plan.Run(in, plan.Options{Model: test.model, Horizon: time.Hour})
		for i, n := range p.Nodes[:400] {
			if want := in.Now.Add(time.Duration(i) * test.pass); !n.Start.Equal(want) {
				t.Fatalf("%s: node %d starts at %s, want %s", test.rule, i, n.Start, want)
			}
		}
		if n := p.Nodes[400]; n.Outcome != plan.Open {
			t.Errorf("%s: node 400 starts at %s: %+v", test.rule, n.Start, n)
		}
		if !strings.Contains(p.Assumptions[0], test.says) {
			t.Errorf("%s: assumes %q, want %q", test.rule, p.Assumptions[0], test.says)
		}
	}
}

// Karpenter polls 10 seconds after a pass that starts nothing: here after the third, at 12:00:04.
func TestKarpenterPollsFromThePassOnThatStartsNothing(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}
	p := plan.Run(in, plan.Options{Model: plan.Model{
		Pass: 2 * time.Second, Launch: plan.Constant(time.Minute), Drain: plan.Constant(time.Minute),
	}})
	want := "a-1 12:00:00, a-2 12:00:02, a-3 12:02:04, "
	got := ""
	for _, n := range p.Nodes {
		got += n.Name + " " + n.Start.Format(time.TimeOnly) + ", "
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
