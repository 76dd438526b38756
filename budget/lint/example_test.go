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
	// warning gap
	// Drifted is open from Sat 2026-11-28 17:00 UTC to Sun 2026-11-29 09:00 UTC, a time of day at which nearly all other days of the week are closed: budgets[0] is 0 (Drifted; 0 17 * * mon-fri for 16h, UTC)
	// if that is not intended, add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 17 * * sat,sun", "duration": "16h"}, which leaves 56h of 88h a week open
}
