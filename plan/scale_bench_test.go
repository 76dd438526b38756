package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
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

// BenchmarkPlanPasses rolls one pool of stock Karpenter, a tenth of the nodes at once, each of which starts in a pass of its own: docs/performance.md.
func BenchmarkPlanPasses(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 4_000} {
		if nodes > 1_000 && testing.Short() {
			break // a minute
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, nodes)}
			in.Pools = []disruptkit.Pool{fixture.Pool(b, budget.Budget{Nodes: "10%"})}
			b.ReportAllocs()
			var p plan.Plan
			for b.Loop() {
				p = plan.Run(in, plan.Options{Model: plan.Model{Pass: plan.PassOf(nodes)}})
			}
			starts := map[time.Time]bool{}
			for _, n := range p.Nodes {
				starts[n.Start] = true
			}
			if len(starts) != nodes || p.Count(p.Finish).Done != nodes {
				b.Errorf("%d of %d nodes are done, started by %d passes", p.Count(p.Finish).Done, nodes, len(starts))
			}
			b.ReportMetric(float64(p.Decisions), "decisions/op")
			b.ReportMetric(p.Finish.Sub(p.From).Minutes(), "planned-min")
		})
	}
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
