// Command session is an autoscaler that chooses by cost: it asks first for the nodes that save most.
package main

import (
	"cmp"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// saves is what an hour without the node saves, in cents.
var saves = map[string]int{"small": 5, "medium": 20, "large": 80, "huge": 160, "busy": 240}

// fits reports whether the pods of a node fit on others. Here, those of one node do not on a Monday.
func fits(c candidate.Candidate, now time.Time) bool {
	return c.Node != "medium" || now.Weekday() != time.Monday
}

func main() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}, {Nodes: "3"},
	})
	if err != nil {
		log.Println(err) // an invalid budget allows no disruption
	}
	in := disruptkit.Input{Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for name := range saves {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running, DoNotDisrupt: name == "busy",
			Conditions: []candidate.Condition{{Reason: candidate.Underutilized}},
		})
	}
	in.Now = time.Date(2026, 11, 23, 16, 30, 0, 0, time.UTC) // a Monday; in production: time.Now()
	for len(in.Nodes) > 1 {
		s := disruptkit.Open(in, candidate.Underutilized) // 1. open
		all := slices.SortedFunc(s.Candidates(), func(a, b candidate.Candidate) int {
			return cmp.Compare(saves[b.Node], saves[a.Node])
		})
		for _, c := range all { // 2. ask, in an order of your own
			if blockers := s.Blockers(c); len(blockers) > 0 {
				fmt.Println("keep", c.Node, blockers)
			} else if s.Disrupt(c); fits(c, in.Now) { // 3. disrupt: several together are disrupted all or none
				fmt.Println("drain", c.Node)
			} else {
				s.Cancel(c) // others may be disrupted in its place
				fmt.Println("keep", c.Node, "since its pods fit nowhere")
			}
		}
		d := s.Close()                // 4. close
		in.Memory = d.Memory          // 5. store the memory; here, it is in a variable
		for _, c := range d.Allowed { // 6. then start; here, nodes leave at once
			in.Nodes = slices.DeleteFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })
		}
		in.Now = in.Now.Add(d.Wait(in.Now, 24*time.Hour)) // 7. then sleep until NextChange, or until something else happens
		fmt.Println("sleep until", in.Now.Format("Mon 15:04"))
	}
}
