package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Tied generates nodes that only their pods block, a few PDBs over many of the pods, and budgets.
func Tied(s Source) disruptkit.Input {
	in := disruptkit.Input{Now: Now(s)}
	var pdbs []candidate.PDB
	for i, app := range []string{"web", "db", "job"} {
		pdbs = append(pdbs, candidate.PDB{
			Namespace: "shop", Name: app, DisruptionsAllowed: s.Between(0, 3),
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app": app}}, AlwaysAllow: i == 2,
		})
	}
	in.Rules, _ = candidate.CompileRules(pdbs, nil)
	for i := range 2 {
		set, _ := budget.Compile(oneOf(s, Budgets, zoneBudgets))
		in.Pools = append(in.Pools, disruptkit.Pool{Name: fmt.Sprint("pool-", i), Budgets: set})
	}
	in.Nodes = several(s, 2, 12, func(s Source) candidate.Node { return tiedNode(s, in.Now) })
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Name, n.Conditions[0].Since = fmt.Sprintf("node-%02d", i), in.Now.Add(time.Duration(-i)*time.Minute)
	}
	return in
}

func tiedNode(s Source, now time.Time) candidate.Node {
	const stays = candidate.Staying
	n := candidate.Node{
		Pool:   pick(s, "pool-0", "pool-1"),
		Labels: map[string]string{"zone": pick(s, "a", "b"), "rack": pick(s, "1", "2")},
		Phase:  candidate.Running, ReadySince: now.Add(-time.Hour),
		Leaving:    pick(s, stays, stays, stays, stays, stays, candidate.Draining),
		Conditions: []candidate.Condition{{Reason: pick[candidate.Reason](s, "Drifted", "Drifted/AMIDrift", "Empty")}},
		Pods:       Pods(now)(s),
	}
	for i := range n.Pods {
		n.Pods[i].Namespace = "shop"
	}
	return n
}
