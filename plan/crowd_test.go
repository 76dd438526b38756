package plan_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
)

// crowded generates fleets of many nodes that differ little.
func crowded(t *rapid.T) disruptkit.Input {
	return generate.Alike(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
}

func selects(app string) *candidate.Selector {
	return &candidate.Selector{MatchLabels: map[string]string{"app": app}}
}

// Deciding on a few nodes in place of many changes no plan, nor anything in it.
func TestAPlanOfACrowdIsThatOfAllItsNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, m := crowded(t), testkit.Arbitrary(model).Draw(t, "model")
		if rapid.Bool().Draw(t, "usual reasons") {
			m.Reasons = nil
		}
		if rapid.Bool().Draw(t, "evictions take time") {
			m.Eviction = plan.Constant(time.Duration(rapid.IntRange(1, 20).Draw(t, "eviction")) * 13 * time.Second)
		}
		if rapid.Bool().Draw(t, "with passes") {
			passes(t, in, &m)
		}
		if rapid.IntRange(0, 2).Draw(t, "static") == 2 {
			most := rapid.IntRange(0, len(in.Nodes)+5).Draw(t, "limit")
			m.Static = func(pool string) (bool, int) { return pool == "pool-0", most }
			m.TerminateFirst = rapid.Bool().Draw(t, "terminate first")
		}
		if rapid.IntRange(0, 2).Draw(t, "room") == 2 {
			m.Full = rapid.Bool().Draw(t, "only for older pods")
			full := byte('0' + rapid.IntRange(0, 9).Draw(t, "full"))
			m.Room = func(n candidate.Node) string {
				if n.Name[len(n.Name)-1] == full {
					return ""
				}
				return n.Pool + n.Labels["zone"]
			}
		}
		for i := range in.Pools {
			if rapid.IntRange(0, 3).Draw(t, "as many are wanted") == 3 {
				in.Pools[i].Desired = rapid.IntRange(0, len(in.Nodes)+1).Draw(t, "desired")
			}
		}
		expiring(t, in, &m)
		o := plan.Options{Model: m, Horizon: time.Duration(rapid.IntRange(1, 5).Draw(t, "horizon")) * time.Hour}
		restore := plan.AskFew(0)
		want := plan.Run(in, o)
		restore()
		defer plan.AskFew(rapid.IntRange(1, 4).Draw(t, "asked"))()
		got := plan.Run(in, o)
		same := gocmp.Options{
			cmpopts.IgnoreFields(plan.Plan{}, "Decisions"), cmpopts.IgnoreUnexported(plan.Plan{}),
			gocmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }), // shares are rounded,
			cmpopts.SortSlices(func(a, b plan.Wait) bool { // and so sorted differently
				return cmp.Or(cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cause, b.Cause)) < 0
			}),
		}
		if diff := gocmp.Diff(want, got, same); diff != "" {
			t.Errorf("(-all nodes +a few)\n%s", diff)
		}
	})
}

// passes may add passes of Karpenter to a model, and static pools.
func passes(t *rapid.T, in disruptkit.Input, m *plan.Model) {
	if rapid.IntRange(0, 3).Draw(t, "passes") == 0 {
		return
	}
	m.Pass = time.Duration(rapid.IntRange(1, 20).Draw(t, "pass")) * time.Second
	m.Batched = rapid.IntRange(0, 3).Draw(t, "batched") == 0
	if rapid.IntRange(0, 2).Draw(t, "static") == 0 {
		most := rapid.IntRange(0, len(in.Nodes)+5).Draw(t, "limit")
		m.Static = func(pool string) (bool, int) { return pool == "pool-0", most }
	}
}

// A pass of Karpenter starts one drifted node. So a plan need not know which of the others are allowed as well.
func TestAPlanOfPassesAsksFewNodes(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 200), Dialect: dialect.Karpenter}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100"})}
	p := plan.Run(in, plan.Options{})
	defer plan.LimitWork(20 * p.Decisions)()
	if p := plan.Run(in, plan.Options{}); p.Stopped {
		t.Errorf("it took more than 20 nodes for each of %d decisions", p.Decisions)
	}
}

// Decisions are on a few of many nodes, although the first are allowed: the next of them has the answer of the last.
func TestOfManyNodesFewAreAsked(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 200)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}
	p := plan.Run(in, plan.Options{})
	defer plan.LimitWork(20 * p.Decisions)()
	if p := plan.Run(in, plan.Options{}); p.Stopped {
		t.Errorf("it took more than 20 nodes for each of %d decisions", p.Decisions)
	}
}

// What blocks the nodes that are left is what the last decision said of them, before it allows others: two nodes were missing then, and
// with the replacements none would be. The second decision knows what the first one has started.
func TestNodesThatAreLeftHaveTheBlockersOfTheLastDecision(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 20)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}
	in.Pools[0].Desired = 22
	for _, empty := range []int{0, 1, 8} {
		for i := range empty {
			in.Nodes[i].Conditions[0].Reason = candidate.Empty
		}
		o := plan.Options{Horizon: 5 * time.Second}
		restore := plan.AskFew(0)
		want := plan.Run(in, o).Nodes
		restore()
		if diff := gocmp.Diff(want, plan.Run(in, o).Nodes); diff != "" {
			t.Errorf("%d are empty: (-all nodes +a few)\n%s", empty, diff)
		}
	}
}

// A node of another pool takes the last disruption of a PodDisruptionBudget. The nodes of a class that are ahead of it in
// line hear so as those behind it do.
func TestNodesOfAClassHearTheSame(t *testing.T) {
	defer plan.AskFew(2)()
	var parser kube.Parser
	in := disruptkit.Input{Now: fixture.Noon}
	for _, name := range []string{"pool-0", "pool-1"} {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: name, Budgets: fixture.Pool(t, budget.Budget{Nodes: "1"}).Budgets})
	}
	rules, err := candidate.CompileRules([]candidate.PDB{{
		Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: selects("web"),
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Rules = rules
	for i := range 12 {
		n := candidate.Node{Name: fmt.Sprintf("n-%02d", i), Pool: "pool-0", Phase: candidate.Running}
		if i > 0 {
			n.Pods = []candidate.Pod{{Name: fmt.Sprint("web-", i), Namespace: "shop", Labels: map[string]string{"app": "web"}}}
			parser.Share(&n.Pods[0])
		}
		if i == 8 {
			n.Pool = "pool-1"
		}
		n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(time.Duration(i-20) * time.Hour)}}
		in.Nodes = append(in.Nodes, n)
	}
	for _, n := range plan.Run(in, plan.Options{Horizon: time.Minute}).Nodes {
		if n.Name == "n-00" || n.Name == "n-08" {
			continue
		}
		if got := string(n.Waits[0].Gate) + "/" + string(n.Waits[0].Code); got != "pod/exhausted" {
			t.Errorf("%s waits first for %s", n.Name, got)
		}
	}
}

// When the freeze ends, three nodes may be disrupted, and each pass starts one. The other two do not wait for the budget of 3, as
// those behind them do, but for passes.
func TestNodesThatAPassLeavesOutWaitForPasses(t *testing.T) {
	budgets := fixture.Pool(t, budget.Budget{Nodes: "3"}, fixture.During(budget.Budget{Nodes: "0"}, "*/30 * * * *", "7m"))
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 12), Pools: []disruptkit.Pool{budgets}}
	for i := range in.Nodes {
		in.Nodes[i].Name = fmt.Sprintf("n-%02d", i)
	}
	o := plan.Options{Model: plan.Model{Pass: 7 * time.Second}}
	restore := plan.AskFew(0)
	want := plan.Run(in, o).Nodes
	restore()
	defer plan.AskFew(3)()
	if diff := gocmp.Diff(want, plan.Run(in, o).Nodes); diff != "" {
		t.Errorf("(-all nodes +a few)\n%s", diff)
	}
}

// What limits a roll is what its nodes wait for: budgets, or the passes of Karpenter where budgets allow several nodes at once.
func TestNodesWaitForBudgetsOrForPasses(t *testing.T) {
	for budgets, want := range map[string]candidate.Code{
		"1": candidate.CodeExhausted, "2": candidate.CodeExhausted, "10%": plan.CodePass, "40": plan.CodePass, "100%": plan.CodePass,
	} {
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 200), Dialect: dialect.Karpenter}
		in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: budgets})}
		p := plan.Run(in, plan.Options{Model: plan.Model{Pass: 30 * time.Second}}) // a node takes 5 minutes
		if got := p.Pools[0].Clock[0]; got.Code != want {
			t.Errorf("with budgets of %s, nodes wait for %s for %s, want %s", budgets, got.Code, got.For, want)
		}
		ofPass := func(w plan.Wait) bool { return w.Code == plan.CodePass }
		if budgets == "1" && slices.ContainsFunc(p.Pools[0].Clock, ofPass) {
			t.Errorf("a budget of 1 never allows a second node, and nodes wait for passes: %v", p.Pools[0].Clock)
		}
	}
}
