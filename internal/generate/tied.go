package generate

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Tied generates nodes that nothing holds back but their pods, few PDBs over many of them, and budgets.
func Tied() *rapid.Generator[disruptkit.Input] { return rapid.Custom(tied) }

func tied(t *rapid.T) disruptkit.Input {
	in := disruptkit.Input{Now: Time().Draw(t, "now")}
	var pdbs []candidate.PDB
	for i, app := range []string{"web", "db", "job"} {
		pdbs = append(pdbs, candidate.PDB{
			Namespace: "shop", Name: app, DisruptionsAllowed: rapid.IntRange(0, 3).Draw(t, "allowed"),
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app": app}}, AlwaysAllow: i == 2,
		})
	}
	in.Rules, _ = candidate.Compile(pdbs, nil)
	for i := range 2 {
		budgets := rapid.OneOf(Budgets(), rapid.SliceOfN(rapid.OneOf(Budget(), ZoneBudget()), 1, 3)).Draw(t, "budgets")
		set, _ := budget.Compile(budgets)
		in.Pools = append(in.Pools, disruptkit.Pool{Name: fmt.Sprint("pool-", i), Budgets: set})
	}
	for i := range rapid.IntRange(2, 12).Draw(t, "nodes") {
		n := candidate.Node{
			Name: fmt.Sprintf("node-%02d", i), Pool: rapid.SampledFrom([]string{"pool-0", "pool-1"}).Draw(t, "pool"),
			Labels:      map[string]string{"zone": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "zone"), "rack": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "rack")},
			Initialized: true, Ready: true, ReadySince: in.Now.Add(-time.Hour), Deleting: rapid.IntRange(0, 9).Draw(t, "in flight") == 0,
			Pods: Pods(in.Now).Draw(t, "pods"),
		}
		for j := range n.Pods {
			n.Pods[j].Namespace = "shop"
		}
		n.Conditions = []candidate.Condition{{
			Reason: rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty"}).Draw(t, "reason"),
			Since:  in.Now.Add(time.Duration(-i) * time.Minute),
		}}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}
