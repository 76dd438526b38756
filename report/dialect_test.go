package report_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/report"
)

// A report of what Karpenter decides has Karpenter's numbers, in whatever dialect its budgets were compiled.
func TestAReportIsInTheDialectOfItsInput(t *testing.T) {
	set, _ := budget.Compile([]budget.Budget{{Nodes: "3"}, {Nodes: "1", TopologyKey: "zone"}})
	in := disruptkit.Input{Now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}}
	for d, want := range map[dialect.Dialect]string{dialect.Disruptkit: "3", dialect.Karpenter: "1"} {
		in.Dialect = d
		r := report.Summarize(report.Report{}, in, disruptkit.Decide(in, candidate.Drifted))
		least := ""
		for _, b := range r.Pools[0].ActiveBudgets {
			if text := string(rune('0' + b.Remaining)); least == "" || text < least {
				least = text
			}
		}
		if least != want {
			t.Errorf("%s: the least that remains is %s, want %s: %+v", d, least, want, r.Pools[0].ActiveBudgets)
		}
	}
}
