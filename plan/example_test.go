package plan_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

// fleet returns drifted nodes in two zones on a Monday morning, one of which must stay. They may be disrupted at night.
func fleet() disruptkit.Input {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "10%"},
		{Nodes: "0", Schedule: "0 22 * * mon-fri", Duration: "2h", Outside: true}, // only then
	})
	if err != nil {
		panic(err)
	}
	in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	for i := range 60 {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: fmt.Sprintf("node-%02d", i), Pool: "default", Phase: candidate.Running,
			Labels:       map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i%2))},
			Conditions:   []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Duration(99-i) * time.Hour)}},
			DoNotDisrupt: i == 7,
		})
	}
	return in
}

func ExampleRun() {
	slow := plan.Model{Drain: plan.Constant(25 * time.Minute)}
	p := plan.Run(fleet(), plan.Options{Model: slow})
	fmt.Print(p)
	// Output:
	// 60 nodes to go from Mon 23 Nov 2026 09:00 UTC: 59 done by Tue 24 Nov 2026 23:48 UTC, 1 never
	// default: 59 done by Tue 24 Nov 2026 23:48 UTC, 1 never
	//   a, Drifted: 30 done by Tue 24 Nov 2026 23:48 UTC
	//   b, Drifted: 29 done by Tue 24 Nov 2026 23:48 UTC, 1 never
	//   1d11h of 1d14h: budgets allow no node (budget/allows-none): budgets[1]: 0 (outside 0 22 * * mon-fri for 2h, UTC)
	//   3h21m of 1d14h: budgets are used up (budget/exhausted): budgets[0]: 10%
	//   25m of 1d14h: nodes drain
	//   1m of 1d14h: replacements are launched
	// never: node node-07: the node is annotated karpenter.sh/do-not-disrupt: "true"
	// assumed:
	//   a decision is made every 10s, for Drifted
	//   replacements are launched first: a node drains once its replacement is Ready; a launch takes 2m, a drain 25m
	//   capacity is always there, and no replacement fails
	//   nodes that are Empty or Underutilized are not replaced; all others are, with the same labels and pods
	//   nodes that are in flight now are gone after a drain, and nodes that reboot or join now are Ready after a launch
	//   nothing else changes: no other node drifts, empties or fails, PodDisruptionBudgets recover only as their nodes do, and probes say what they say now
}

// What if the budget were larger?
func ExampleCompare() {
	slow := plan.Options{Model: plan.Model{Drain: plan.Constant(25 * time.Minute)}}
	today := fleet()
	other := fleet()
	other.Pools[0].Budgets, _ = plan.WithBudget(today.Pools[0].Budgets, 0, budget.Budget{Nodes: "20%"})
	fmt.Println(plan.Compare(plan.Run(today, slow), plan.Run(other, slow)))
	// Output:
	// done on Mon 23 Nov 2026 23:52 UTC instead of Tue 24 Nov 2026 23:48 UTC, 23h56m earlier
}

func ExampleTry() {
	slow := plan.Options{Model: plan.Model{Drain: plan.Constant(25 * time.Minute)}}
	in := fleet()
	for _, t := range slices.SortedStableFunc(plan.Try(in, slow, plan.Run(in, slow)), plan.Trial.Compare) {
		fmt.Printf("%s:\n  %s\n", t.Change, t.Comparison)
	}
	// Output:
	// no node of pool default is annotated do-not-disrupt:
	//   done on Tue 24 Nov 2026 23:48 UTC, as before; 1 more node done
	// budgets[1] of pool default, 0 (outside 0 22 * * mon-fri for 2h, UTC), is taken out:
	//   done on Mon 23 Nov 2026 13:03 UTC instead of Tue 24 Nov 2026 23:48 UTC, 1d10h earlier
	// budgets[0] of pool default, 10%, is taken out:
	//   done on Mon 23 Nov 2026 22:27 UTC instead of Tue 24 Nov 2026 23:48 UTC, 1d1h earlier
	// budgets[0] of pool default is 20% instead of 10%:
	//   done on Mon 23 Nov 2026 23:52 UTC instead of Tue 24 Nov 2026 23:48 UTC, 23h56m earlier
	// budgets[1] of pool default is 0 (outside 0 22 * * mon-fri for 3h, UTC) instead of 0 (outside 0 22 * * mon-fri for 2h, UTC):
	//   done on Tue 24 Nov 2026 22:54 UTC instead of Tue 24 Nov 2026 23:48 UTC, 54m earlier
}
