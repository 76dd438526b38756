package dialect_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// The same budgets, for both: a schedule that never hits is always active in Karpenter, and an error here.
func Example() {
	budgets := []budget.Budget{{Nodes: "3", Schedule: "0 0 30 2 *", Duration: "8h"}}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, d := range []dialect.Dialect{dialect.Karpenter, dialect.Disruptkit} {
		set, _ := budget.Spec{Budgets: budgets, Dialect: d}.Compile()
		allowance, _ := budget.AllowedByReason(set, now, 100, candidate.Drifted)
		fmt.Printf("%s: %d at once\n", d, allowance.Nodes)
	}
	// Output:
	// Karpenter v1.15: 3 at once
	// disruptkit: 0 at once
}
