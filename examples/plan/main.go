// Command plan says when a roll will be done, and compares budgets.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

func main() {
	in := disruptkit.Input{Now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), Pools: []disruptkit.Pool{pool("1")}}
	for i := range 20 {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: fmt.Sprintf("node-%02d", i), Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Duration(i) * time.Minute)}},
		})
	}
	options := plan.Options{Model: plan.Model{
		Launch: plan.Constant(5 * time.Minute), Drain: plan.Constant(25 * time.Minute),
		Recovery: plan.Constant(10 * time.Minute), // of the pods, on their new node
	}}
	today := plan.Run(in, options)
	for _, n := range today.Nodes[:3] {
		fmt.Println(n.Name, n.Outcome, n.Gone.Format("Mon 15:04")+", and", n.Replacement, "uses its slot")
	}
	count := today.Count(in.Now.Add(14 * time.Hour))
	fmt.Printf("on Monday at 23:00, %d are done, %d in flight and %d to go\n", count.Done, count.InFlight, count.ToGo)

	larger := in
	larger.Pools = []disruptkit.Pool{pool("20%")}
	fmt.Println(plan.Compare(today, plan.Run(larger, options)))

	slow := options
	slow.Model.Drain = plan.OneOf(5*time.Minute, 25*time.Minute, time.Hour) // each is as likely
	many := plan.Sample(in, slow, 100)
	early := 0
	for _, d := range many.Draws {
		if d.Finish.Before(in.Now.Add(48 * time.Hour)) {
			early++
		}
	}
	fmt.Printf("if drains differ: done between %s and %s in 8 of 10 runs, and by Wednesday 09:00 in %d of 100\n",
		many.Finish.Early.Format("Mon 15:04"), many.Finish.Late.Format("Mon 15:04"), early)

	monday := schedule.MustParse("0 22 * * mon", 3*time.Hour, "")
	options.Model.Outages = []schedule.Window{monday} // what if a probe denies everything then?
	fmt.Println(plan.Compare(today, plan.Run(in, options)))
}

// pool is one that allows so many nodes at once, on weeknights.
func pool(nodes string) disruptkit.Pool {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: nodes},
		{Nodes: "0", Schedule: "0 22 * * mon-fri", Duration: "4h", Outside: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	return disruptkit.Pool{Name: "default", Budgets: budgets}
}
