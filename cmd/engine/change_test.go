package engine_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/internal/testkit/law"
)

// Until NextChange, the guard and the steward decide the same on the same input, whichever rules of Karpenter's own they add.
func TestNothingChangesBeforeTheNextChange(t *testing.T) {
	for _, name := range []string{"any", "unzoned", "dated", "waiting", "united"} {
		inputs := generate.Inputs[name]
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, asked := testkit.Arbitrary(inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				in.Dialect = dialect.Disruptkit
				karpenters := map[string]budget.Set{}
				for _, p := range in.Pools {
					nodes := rapid.SampledFrom([]string{"1", "3", "20%", "100%"}).Draw(t, "nodes")
					karpenters[p.Name], _ = budget.Spec{Dialect: dialect.Karpenter, Budgets: []budget.Budget{
						{Nodes: nodes}, {Nodes: "0", Schedule: "10 * * * *", Duration: "5m"},
					}}.Compile()
				}
				decide := engine.Guarded
				if rapid.Bool().Draw(t, "steward") {
					decide = engine.Stewarded
				}
				fault := law.ChangesEarly(in, func(in disruptkit.Input) disruptkit.Decision { return decide(in, karpenters, asked) })
				if fault != "" {
					t.Fatal(fault)
				}
			})
		})
	}
}
