package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// Contended generates few nodes in a zone that gives way soon and in others, one of them next: which one depends on
// what is left of their places, racks and PodDisruptionBudget, and many nodes may be disrupted for other reasons, now
// or before that, and take some.
func Contended(s Source) disruptkit.Input {
	pick := func(all ...string) string { return all[s(len(all))] }
	drift := fixture.Sequential(pick("1", "1", "2"))
	if s(4) == 0 {
		drift.Reasons = []candidate.Reason{candidate.Drifted}
	}
	budgets := []budget.Budget{drift}
	if s(3) == 0 {
		budgets = append(budgets, budget.Budget{Nodes: pick("1", "2"), TopologyKey: "rack"})
	}
	if s(4) == 0 {
		budgets = append(budgets, budget.Budget{Nodes: pick("1", "2", "3")})
	}
	if s(5) == 0 {
		expire := fixture.Sequential(pick("1", "2"))
		budgets[0].Reasons = []candidate.Reason{candidate.Drifted}
		expire.Reasons = []candidate.Reason{candidate.Expired}
		budgets = append(budgets, expire)
	}
	set, _ := budget.Compile(budgets)
	pdb := fixture.PDB("web")
	pdb.Namespace, pdb.DisruptionsAllowed = "shop", s.Between(1, 2)
	in := disruptkit.Input{
		Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}},
		Memory: fixture.Rolling("a", pick("11:50", "11:45", "11:46", "11:59")),
	}
	in.Rules, _ = candidate.CompileRules([]candidate.PDB{pdb}, nil)
	if s(3) == 0 {
		in.Pools = append(in.Pools, disruptkit.Pool{Name: "other"})
		if s.Bool() {
			zoned, _ := budget.Compile([]budget.Budget{{Nodes: pick("1", "2"), TopologyKey: fixture.Zone}})
			in.Groups = []disruptkit.Group{{Name: "g", Pools: []string{"default", "other"}, Budgets: zoned}}
		}
	}
	holds := fixture.Wanted("a0", fixture.Noon.Add(-time.Duration(s(9))*time.Minute), candidate.Drifted)
	holds.Labels, holds.Blockers = map[string]string{fixture.Zone: "a", "rack": pick("r", "s")}, fixture.Spent
	in.Nodes = append(in.Nodes, holds)
	for i := range s.Between(2, 5) {
		in.Nodes = append(in.Nodes, contending(s, fmt.Sprint(pick("a", "b", "c", "d"), i+1), len(in.Pools) > 1))
	}
	return in
}

// contending generates a node, in the zone that its name begins with.
func contending(s Source, name string, elsewhere bool) candidate.Node {
	n := fixture.Wanted(name, fixture.Noon.Add(-time.Duration(s(9))*time.Minute), candidate.Drifted)
	n.Labels = map[string]string{"topology.kubernetes.io/zone": name[:1], "rack": "r"}
	if s.Bool() {
		n.Labels["rack"] = "s"
	}
	only := &n.Conditions[0]
	switch s(8) {
	case 0, 1:
		only.Reason = candidate.Empty
	case 2:
		only.Reason = candidate.Empty
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Underutilized, Since: fixture.Noon})
	case 3:
		n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Empty, Since: fixture.Noon})
	case 4:
		only.Reason = candidate.Unhealthy
		if s.Bool() {
			n.Phase = candidate.NotReady
		}
		if s.Bool() {
			only.Since = fixture.Noon.Add(time.Duration(s(9)) * time.Minute)
		}
	case 5:
		only.Reason = candidate.Expired
	}
	if s(3) == 0 {
		n.NominatedUntil = fixture.Noon.Add(time.Duration(s.Between(1, 8)) * time.Minute)
	}
	if s(3) == 0 {
		n.Pods = []candidate.Pod{{Namespace: "shop", Name: "web-0", Labels: map[string]string{"app": "web"}}}
	}
	if elsewhere && s.Bool() {
		n.Pool = "other"
	}
	if s(12) == 0 {
		n.Phase = candidate.Registered
	}
	return n
}
