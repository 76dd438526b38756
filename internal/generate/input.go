package generate

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Input generates small clusters: pools with budgets of every kind, nodes in every state. One node in twenty has the
// name of another, or a pool that nobody knows.
func Input() *rapid.Generator[disruptkit.Input] {
	return rapid.Custom(func(t *rapid.T) disruptkit.Input {
		in := disruptkit.Input{Now: Time().Draw(t, "now")}
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			in.Pools = append(in.Pools, Pool(fmt.Sprintf("pool-%d", i)).Draw(t, "pool"))
		}
		for i := range rapid.IntRange(0, 25).Draw(t, "nodes") {
			n := Node(in.Now).Draw(t, "node")
			n.Name = fmt.Sprintf("node-%02d", i)
			switch rapid.IntRange(0, 19).Draw(t, "odd") {
			case 0:
				n.Name = "node-00"
			case 1:
				n.Pool = rapid.SampledFrom([]string{"", "pool-9"}).Draw(t, "odd pool")
			default:
				n.Pool = fmt.Sprintf("pool-%d", rapid.IntRange(0, 2).Draw(t, "pool number"))
			}
			in.Nodes = append(in.Nodes, n)
		}
		return in
	})
}

// Pool generates a pool, with broken budgets at times.
func Pool(name string) *rapid.Generator[disruptkit.Pool] {
	return rapid.Custom(func(t *rapid.T) disruptkit.Pool {
		budgets := Budgets().Draw(t, "budgets")
		if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			budgets = append(budgets, BrokenBudget().Draw(t, "broken budget"))
		}
		set, _ := budget.Compile(budgets)
		return disruptkit.Pool{Name: name, Budgets: set}
	})
}

// Node generates nodes without name and pool. Most have joined and are Ready.
func Node(now time.Time) *rapid.Generator[candidate.Node] {
	seldom := rapid.Map(rapid.IntRange(0, 9), func(n int) bool { return n == 0 })
	return rapid.Custom(func(t *rapid.T) candidate.Node {
		n := candidate.Node{
			Initialized:         !seldom.Draw(t, "not initialized"),
			Ready:               !seldom.Draw(t, "not ready"),
			DoNotDisrupt:        seldom.Draw(t, "do not disrupt"),
			Deleting:            seldom.Draw(t, "deleting"),
			InstanceTerminating: seldom.Draw(t, "terminating"),
		}
		if seldom.Draw(t, "nominated") {
			n.NominatedUntil = now.Add(time.Duration(rapid.IntRange(-1, 5).Draw(t, "minutes")) * time.Minute)
		}
		if seldom.Draw(t, "caller's blocker") {
			n.Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no-room", Message: "its pods fit nowhere else"}}
		}
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			n.Conditions = append(n.Conditions, candidate.Condition{
				Reason: Reason().Draw(t, "reason"),
				Since:  now.Add(-time.Duration(rapid.IntRange(0, 10).Draw(t, "hours")) * time.Hour),
			})
		}
		return n
	})
}
