package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// BenchmarkPlanOneAtATime rolls one pool of nodes without pods, one node after another.
func BenchmarkPlanOneAtATime(b *testing.B) {
	for _, nodes := range []int{500, 1_000, 10_000} {
		benchmarkScale(b, nodes, plan.Model{}, budget.Budget{Nodes: "1"})
	}
}

// BenchmarkPlanOwnDurations does the same with a tenth of the nodes at once, each of which takes its own time.
func BenchmarkPlanOwnDurations(b *testing.B) {
	for _, nodes := range []int{1_000, 10_000} {
		benchmarkScale(b, nodes, varied, budget.Budget{Nodes: "10%"})
	}
}

// BenchmarkPlanManyBudgets does so with 50 budgets, each of which has a schedule of its own.
func BenchmarkPlanManyBudgets(b *testing.B) {
	var budgets []budget.Budget
	for i := range 50 {
		budgets = append(budgets, budget.Budget{
			Nodes: fmt.Sprint(1 + i%7), Schedule: fmt.Sprintf("%d %d * * *", i, i%24), Duration: fmt.Sprintf("%dm", 30+17*i),
		})
	}
	benchmarkScale(b, 1_000, varied, budgets...)
}

// BenchmarkPlanToggling does so with a window of a minute in every two, for a week.
func BenchmarkPlanToggling(b *testing.B) {
	benchmarkScale(b, 1_000, plan.Model{Launch: plan.Constant(5 * time.Minute), Drain: plan.Constant(5 * time.Minute)},
		budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"})
}

func benchmarkScale(b *testing.B, nodes int, m plan.Model, budgets ...budget.Budget) {
	b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
		in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, nodes)}
		in.Pools = []disruptkit.Pool{fixture.Pool(b, budgets...)}
		b.ReportAllocs()
		var p plan.Plan
		for b.Loop() {
			p = plan.Run(in, plan.Options{Model: m})
		}
		if c := p.Count(p.Finish); c.Done != nodes {
			b.Errorf("%d of %d nodes are done: %+v", c.Done, nodes, c)
		}
		b.ReportMetric(float64(p.Decisions), "decisions/op")
	})
}
