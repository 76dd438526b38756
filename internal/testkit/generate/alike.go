package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// Alike makes fleets of many nodes that differ little: a few pools, budgets with windows and percentages,
// PodDisruptionBudgets that pods share, of all pools or of one, and nodes blocked by themselves. In zones, most of them
// are alike.
func Alike(s Source) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon}
	zoned := s(3) == 2 // most nodes of a zone are alike then
	for i := range []int{1, 2, 2, 4}[s(4)] {
		budgets := []budget.Budget{{Nodes: []string{"1", "2", "5", "10%", "30%", "100%"}[s(6)]}}
		if s(2) == 1 {
			nodes := []string{"0", "1"}[s(2)]
			budgets = append(budgets, budget.Budget{Nodes: nodes, Schedule: "*/30 * * * *", Duration: "7m"})
		}
		if s(3) == 2 {
			budgets = append(budgets, budget.Budget{Nodes: "1", Reasons: []candidate.Reason{candidate.Empty}})
		}
		if zoned {
			nodes := []string{"1", "2", "20%", "40%"}[s(4)]
			budgets = append(budgets, budget.Budget{
				Nodes: nodes, TopologyKey: "zone", Sequential: s(2) == 1,
				Reasons: []candidate.Reason{candidate.Drifted},
			})
		}
		order := []string{"", "", "newest", "cheapest", "rank"}[s(5)]
		set, err := budget.Spec{Budgets: budgets, Order: order}.Compile()
		if err != nil {
			panic(err)
		}
		pool := disruptkit.Pool{Name: fmt.Sprint("pool-", i), Budgets: set}
		if zoned && s(6) == 5 {
			pool.Topology.Soak = time.Minute
		}
		in.Pools = append(in.Pools, pool)
	}
	pdbs := []candidate.PDB{fixture.PDB("web"), fixture.PDB("db")}
	pdbs[0].DisruptionsAllowed, pdbs[1].DisruptionsAllowed = s(3), 1+s(2)
	rules, err := candidate.CompileRules(pdbs, nil)
	if err != nil {
		panic(err)
	}
	in.Rules = rules
	var parser kube.Parser
	random, odd := rand.New(rand.NewPCG(uint64(s(1000)), 1)), 5+s(20)
	apart := s(2) == 1 // no PodDisruptionBudget is for the pods of the other pools
	apps := [][]string{nil, {"web"}, {"web", "db"}, {"job"}}[:1+s(4)]
	reasons := []candidate.Reason{
		candidate.Drifted, candidate.Drifted, candidate.Drifted, candidate.Empty, "Drifted/AMI",
		candidate.Underutilized,
	}
	if zoned {
		apps = apps[:min(len(apps), 2)]
		reasons = append(slices.Repeat(reasons[:1], 10), reasons...)
	}
	for i := range 3 + random.IntN(40) {
		n := candidate.Node{
			Name: fmt.Sprintf("node-%02d", random.IntN(100)*100+i), Pool: in.Pools[random.IntN(len(in.Pools))].Name,
			Phase: candidate.Running, DoNotDisrupt: random.IntN(odd) == 0,
			Cost: float64(random.IntN(3)), Rank: random.IntN(3),
			Labels:         map[string]string{"zone": string(rune('a' + random.IntN(3)))},
			HasGracePeriod: random.IntN(odd) == 0,
		}
		namespace := "shop"
		if apart && n.Pool != in.Pools[0].Name {
			namespace = n.Pool
		}
		for p, app := range apps[random.IntN(len(apps))] {
			since := in.Now.Add(-time.Duration(1+random.IntN(3)) * time.Hour)
			n.Pods = append(n.Pods, candidate.Pod{
				Name: fmt.Sprint(app, "-", i, p), Namespace: namespace,
				Labels: map[string]string{"app": app}, Started: since,
			})
			parser.Share(&n.Pods[p])
		}
		for range []int{1, 1, 1, 0, 2}[random.IntN(5)] {
			n.Conditions = append(n.Conditions, candidate.Condition{
				Reason: reasons[random.IntN(len(reasons))],
				Since:  in.Now.Add(-time.Duration(random.IntN(5)) * time.Hour),
			})
		}
		switch random.IntN(odd) {
		case 0:
			n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Drifted
		case 1:
			n.NominatedUntil = in.Now.Add(10 * time.Minute)
		case 2:
			n.Rebooting = true
		case 3:
			n.Phase = []candidate.Phase{0, candidate.Launched, candidate.Registered, candidate.NotReady}[random.IntN(4)]
		}
		in.Nodes = append(in.Nodes, n)
	}
	if s(2) == 1 {
		in.Dialect = dialect.Karpenter
	}
	return in
}
