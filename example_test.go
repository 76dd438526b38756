package disruptkit_test

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Five nodes of a pool, two of which have drifted, on a Friday at noon: by day one may be disrupted at once.
func ExampleDecide() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "50%"},
		{Nodes: "1", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		in.Nodes = append(in.Nodes, candidate.Node{Name: name, Pool: "default", Phase: candidate.Running})
	}
	in.Nodes[1].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-1 * time.Hour)}}
	in.Nodes[3].Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-2 * time.Hour)}}

	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node)
		for _, b := range c.Blockers {
			fmt.Println("  ", b)
		}
	}
	fmt.Println("sleep for", d.Wait(now, 24*time.Hour))
	// Output:
	// drain d
	// keep b
	//    budget/exhausted: 1 of 5 nodes may be disrupted at once, 1 allowed now: budgets[1] is 1 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-20T16:00:00Z)
	// sleep for 4h0m0s
}

// A budget of 0 blocks all drift but on Sunday nights, at the most for 14 days: then a node may also be disrupted on a Friday, one at a time.
func ExampleDecide_deadline() {
	budgets, err := budget.Spec{Drift: budget.Control{
		Deadline: "336h",
		Budgets:  []budget.Budget{{Nodes: "0", Schedule: "0 2 * * sun", Duration: "2h", Outside: true}, {Nodes: "1"}},
	}}.Compile()
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i, name := range []string{"a", "b", "c"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.AddDate(0, 0, i-15)}},
		})
	}

	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node, "overdue since", c.Deadline.Format(time.DateOnly))
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node, "overdue:", c.Overdue, "blocked by:", c.Blockers[0].Code)
	}
	// Output:
	// drain a overdue since 2026-11-19
	// keep b overdue: true blocked by: exhausted
	// keep c overdue: false blocked by: allows-none
}

// Deciding one reason after the other: what is allowed for the first counts against the next.
func ExampleInput_Apply() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default"}}} // the default: 10 %
	for i := range 10 {
		n := candidate.Node{Name: fmt.Sprint("node-", i), Pool: "default", Phase: candidate.Running}
		n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now}}
		if i > 7 {
			n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Empty, Since: now})
		}
		in.Nodes = append(in.Nodes, n)
	}
	for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted} {
		d := disruptkit.Decide(in, reason)
		fmt.Printf("%s: %d of %d may be disrupted\n", reason, len(d.Allowed), len(d.Allowed)+len(d.Blocked))
		in = in.Apply(d)
	}
	// Output:
	// Empty: 1 of 2 may be disrupted
	// Drifted: 0 of 10 may be disrupted
}

// One zone at a time. a1, b1 and a2 have drifted in this order. After a1 is replaced, b1 is the oldest; but the roll
// remembers whose turn it is.
func ExampleDecide_oneZoneAtATime() {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
	})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i, name := range []string{"a1", "b1", "a2"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: "default", Phase: candidate.Running,
			Labels:     map[string]string{"topology.kubernetes.io/zone": name[:1]},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(time.Duration(i-9) * time.Hour)}},
		})
	}
	for range 3 {
		d := disruptkit.Decide(in, candidate.Drifted)
		in.Memory = d.Memory // to be stored before anything is started
		for _, c := range d.Blocked {
			fmt.Println("keep", c.Node, c.Blockers)
		}
		for _, c := range d.Allowed {
			fmt.Println("replace", c.Node)
			for i := range in.Nodes {
				if in.Nodes[i].Name == c.Node {
					in.Nodes[i].Name, in.Nodes[i].Conditions = c.Node+"-new", nil
				}
			}
		}
	}
	// Output:
	// keep b1 [topology/waits-for-domain: b waits for a (0 in flight, 2 to go)]
	// keep a2 [topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 allowed now: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)]
	// replace a1
	// keep b1 [topology/waits-for-domain: b waits for a (0 in flight, 1 to go)]
	// replace a2
	// replace b1
}

// The nodes of a unit are disrupted together or not at all.
func ExampleDecide_units() {
	drifted := []candidate.Condition{{Reason: candidate.Drifted}}
	budgets, _ := budget.Compile([]budget.Budget{{Nodes: "2"}})
	d := disruptkit.Decide(disruptkit.Input{
		Now:   time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Pools: []disruptkit.Pool{{Name: "gpu", Budgets: budgets}},
		Nodes: []candidate.Node{
			{Name: "gpu-1", Pool: "gpu", Unit: "job-7", Phase: candidate.Running, Conditions: drifted},
			{Name: "gpu-2", Pool: "gpu", Unit: "job-7", Phase: candidate.Running},
			{Name: "gpu-3", Pool: "gpu", Unit: "job-8", Phase: candidate.Running, Conditions: drifted},
			{Name: "gpu-4", Pool: "gpu", Unit: "job-8", Phase: candidate.Running, DoNotDisrupt: true},
		},
	}, "")
	for _, c := range d.Allowed {
		fmt.Println(c.Node, "is disrupted")
	}
	for _, b := range d.Blocked[0].Blockers {
		fmt.Println(d.Blocked[0].Node, "is blocked:", b.Message)
	}
	// Output:
	// gpu-1 is disrupted
	// gpu-2 is disrupted
	// gpu-3 is blocked: its unit has 2 nodes, and 2 of 4 nodes may be disrupted at once, 2 allowed now: budgets[0] is 2
	// gpu-3 is blocked: node gpu-4 of its unit: the node is annotated karpenter.sh/do-not-disrupt: "true"
}
