package report_test

import (
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/report"
)

// A report of what Karpenter decides has Karpenter's numbers, in whatever dialect its budgets were compiled.
func TestAReportIsInTheDialectOfItsInput(t *testing.T) {
	set, _ := budget.Compile([]budget.Budget{{Nodes: "3"}, {Nodes: "1", TopologyKey: "zone"}})
	in := disruptkit.Input{Now: friday, Nodes: frame("a=Drifted b=Drifted"), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	for d, want := range map[dialect.Dialect][]string{
		dialect.Disruptkit: nil,
		dialect.Karpenter:  {`BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[1] is 1`},
	} {
		in.Dialect = d
		wantLines(t, string(d.String()), eventLines(summarized(report.Report{}, in, candidate.Drifted)), want...)
	}
}
