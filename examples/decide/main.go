// Command decide embeds disruptkit: it hands over the time, the nodes and the budgets of a pool, and drains what may be
// disrupted.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func main() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"}, // 8:00 to 16:00 UTC
		{Nodes: "40%"},
	})
	if err != nil {
		log.Println(err) // the budgets are still safe to use: what is broken allows no node
	}
	pools := []disruptkit.Pool{{Name: "default", Budgets: budgets}}

	now := time.Date(2026, 11, 23, 15, 30, 0, 0, time.UTC) // a Monday; a program that runs for real takes time.Now()
	var memory map[string]disruptkit.Memory                // stored from one time to the next
	for range 2 {
		// Ask for one reason after the other. Apply counts what one allows before the next is asked.
		in, sleep := disruptkit.Input{Now: now, Pools: pools, Nodes: nodes(now), Memory: memory}, time.Hour
		for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted} {
			d := disruptkit.Decide(in, reason)
			tell(d)
			in, sleep = in.Apply(d), d.Wait(now, sleep)
		}
		memory = in.Memory              // store it, before anything is drained
		fmt.Println("sleep for", sleep) // at most; a watch may wake it sooner
		now = now.Add(time.Hour)        // after business hours
	}
}

// nodes is what an autoscaler knows of its nodes.
func nodes(now time.Time) (nodes []candidate.Node) {
	for i, reason := range []candidate.Reason{candidate.Drifted, candidate.Drifted, candidate.Empty, ""} {
		n := candidate.Node{Name: fmt.Sprint("node-", i), Pool: "default", Phase: candidate.Running}
		if reason != "" {
			n.Conditions = []candidate.Condition{{Reason: reason, Since: now.Add(-time.Duration(i+1) * time.Hour)}}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func tell(d disruptkit.Decision) {
	fmt.Println(d.Now.Format("15:04"), d.Reason)
	for _, c := range d.Allowed {
		fmt.Println("  drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("  keep ", c.Node, c.Blockers)
	}
	for _, w := range d.Warnings {
		fmt.Println("  warning", w)
	}
}
