// Command reason disrupts nodes for a reason that only this autoscaler knows, with a budget for it.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Defrag moves pods together, so that large ones find room. Its child is for nodes with graphics cards.
const (
	Defrag    candidate.Reason = "Defrag"
	DefragGPU candidate.Reason = "Defrag/GPU"
)

func main() {
	budgets, err := budget.Spec{
		Methods: []candidate.Reason{Defrag}, // or a budget that names it is taken for a typing error, and allows no node
		Budgets: []budget.Budget{
			{Nodes: "2", Reasons: []candidate.Reason{Defrag}}, // within the others
			{Nodes: "1", Reasons: []candidate.Reason{DefragGPU}},
			{Nodes: "10%", Reasons: []candidate.Reason{candidate.Drifted}},
		},
	}.Compile()
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i, reason := range []candidate.Reason{DefragGPU, DefragGPU, Defrag, Defrag} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: fmt.Sprint("node-", i), Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: reason, Since: now.Add(time.Duration(i-9) * time.Hour)}},
		})
	}
	d := disruptkit.Decide(in, Defrag)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node, c.Reason)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep ", c.Node, c.Reason, c.Blockers)
	}
}
