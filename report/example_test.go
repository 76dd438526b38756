package report_test

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// Three decisions in a row: before a window opens, once it is open, and after what was allowed has begun to go. Each report has
// the previous one before it. The last one's status is what the NodePool shows.
func ExampleSummarize() {
	drift := []candidate.Reason{"Drifted/NodeImageDrift"}
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "10%", Reasons: drift},
		{Nodes: "0", Reasons: drift, Schedule: "0 9 * * mon-fri", Duration: "8h"},
	})
	if err != nil {
		log.Fatal(err)
	}
	in := disruptkit.Input{Now: time.Date(2026, 11, 20, 16, 50, 0, 0, time.UTC)}
	in.Pools = []disruptkit.Pool{{Name: "default", Budgets: budgets}}
	for i := range 30 {
		in.Nodes = append(in.Nodes, candidate.Node{Name: fmt.Sprintf("node-%02d", i), Pool: "default", Phase: candidate.Running})
	}
	for i := range 2 {
		in.Nodes[i].Conditions = []candidate.Condition{{Reason: drift[0], Since: in.Now}}
	}

	var r report.Report
	for range 3 {
		d := disruptkit.Decide(in, drift[0])
		r = report.Summarize(r, in, d)
		for _, e := range r.Events {
			fmt.Println(r.At.Format("15:04"), e.Name, e.Pool+":", e.Message)
		}
		node := r.Nodes[0]
		for _, c := range node.Conditions {
			fmt.Println(r.At.Format("15:04"), node.Node, c.Type, c.Status, c.Reason)
		}
		in = in.Apply(d) // whoever drains nodes begins
		in.Now = in.Now.Add(10 * time.Minute)
	}
	status, err := json.MarshalIndent(r.Pools[0], "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(status))
	// Output:
	// 16:50 node-00 DisruptionBudgetRestricted true BudgetExceeded
	// 16:50 node-00 DisruptionAllowed false BudgetExceeded
	// 17:00 EnteringDisruptionWindow default: 3 of 30 nodes may be disrupted at once for Drifted/NodeImageDrift, until 2026-11-23T09:00:00Z
	// 17:00 node-00 DisruptionBudgetRestricted false WithinBudget
	// 17:00 node-00 DisruptionAllowed true WithinBudget
	// 17:10 node-00 DisruptionBudgetRestricted false WithinBudget
	// 17:10 node-00 DisruptionAllowed false Deleting
	// {
	//   "disruption": {
	//     "activeBudgets": [
	//       {
	//         "method": "Drifted",
	//         "reason": "NodeImageDrift",
	//         "nodes": "2",
	//         "remainingBudget": "1"
	//       }
	//     ],
	//     "totalDisruptedNodes": "2",
	//     "lastDisruptionTime": "2026-11-20T17:10:00Z"
	//   },
	//   "resources": {
	//     "nodes": 30
	//   }
	// }
}
