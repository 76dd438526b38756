package engine_test

import (
	"cmp"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
)

// With the guard and the steward, decisions on a few of many nodes that are alike make the same plan as decisions on all of them.
func TestThePlanOfAFewAlikeNodesIsThatOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		in := generate.Alike(choose)
		in.Dialect = dialect.Disruptkit
		karpenters := map[string]budget.Set{}
		for _, p := range in.Pools {
			set, err := budget.Spec{Dialect: dialect.Karpenter, Budgets: []budget.Budget{
				{Nodes: []string{"1", "3", "20%", "100%"}[choose(4)]}, {Nodes: "0", Schedule: "10 * * * *", Duration: "5m"},
			}}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			karpenters[p.Name] = set
		}
		for name, decide := range map[string]func(disruptkit.Input, map[string]budget.Set, candidate.Reason) disruptkit.Decision{
			"guard": engine.Guarded, "steward": engine.Stewarded,
		} {
			o := plan.Options{Horizon: 3 * time.Hour, Decide: func(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
				return decide(in, karpenters, reason)
			}}
			o.Model.Pass = time.Duration(choose(20)) * time.Second
			of := func(alike bool) plan.Plan {
				o.Alike = alike
				return plan.Run(in, o)
			}
			same := gocmp.Options{cmpopts.IgnoreFields(plan.Plan{}, "Decisions"), cmpopts.IgnoreUnexported(plan.Plan{}),
				// Shares are rounded, and the longest is first.
				gocmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }),
				cmpopts.SortSlices(func(a, b plan.Wait) bool {
					return cmp.Or(cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cause, b.Cause)) < 0
				})}
			if diff := gocmp.Diff(of(false), of(true), same); diff != "" {
				t.Errorf("%s: (-all nodes +a few)\n%s", name, diff)
			}
		}
	})
}
