package lint_test

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
)

// Lint finds the weekend, and says how to close it.
func Example() {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: []candidate.Reason{candidate.Drifted}},
		{Nodes: "10%"},
	})
	if err != nil {
		log.Fatal(err)
	}
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, f := range lint.Run(set, monday, lint.Facts{Nodes: 100}) {
		fmt.Printf("%s %s\n%s\n%s\n", f.Severity, f.Code, f.Message, f.Advice)
	}
	// Output:
	// warning uneven-openings
	// Drifted is open from Sat 2026-11-28 09:00 UTC to Mon 2026-11-30 17:00 UTC, for 56h, while openings usually last 8h: budgets[0] is 0 (Drifted; 0 17 * * mon-fri for 16h, UTC)
	// if that is not intended, add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 9 * * sat", "duration": "48h"}, which leaves 40h of 88h a week open
}
