package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// BenchmarkPlan rolls ten pools to the end, with ten pods on each node, a PodDisruptionBudget for each of up to a thousand apps, and a
// freeze on workdays. Each pool has apps of its own.
func BenchmarkPlan(b *testing.B) {
	benchmarkPlan(b, func(node, pod, nodes int) int { return node%10*100 + (node*7+pod*13)%min(100, max(nodes/20, 1)) }, plan.Model{})
}

// BenchmarkPlanVaried does the same with launches and drains that take as long as chance will have it, so that something happens at all
// times.
func BenchmarkPlanVaried(b *testing.B) {
	benchmarkPlan(b, func(node, pod, nodes int) int { return node%10*100 + (node*7+pod*13)%min(100, max(nodes/20, 1)) }, varied)
}

// BenchmarkPlanShared does the same where all pools run all apps, so that none can be planned without the others.
func BenchmarkPlanShared(b *testing.B) {
	benchmarkPlan(b, func(node, pod, nodes int) int { return (node*7 + pod*131) % min(1000, max(nodes/2, 1)) }, plan.Model{})
}

// BenchmarkPlanPaced rolls one pool: half its nodes may start within a day, and as many started within the last day.
func BenchmarkPlanPaced(b *testing.B) {
	for _, nodes := range []int{100, 800, 3_000} {
		if nodes > 100 && testing.Short() {
			break // up to a minute
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, nodes)}
			in.Pools = []disruptkit.Pool{fixture.Pool(b, budget.Budget{Nodes: "10%"}, budget.Budget{Nodes: "50%", Per: "24h"})}
			var m disruptkit.Memory
			for i := range nodes / 2 {
				at := in.Now.Add(time.Duration(i-nodes) * 24 * time.Hour / time.Duration(nodes+1))
				m.Starts = append(m.Starts, disruptkit.Start{Node: fmt.Sprintf("gone-%d", i), Reason: candidate.Drifted, At: at, Seen: true})
			}
			in.Memory = map[string]disruptkit.Memory{"default": m}
			b.ReportAllocs()
			var p plan.Plan
			for b.Loop() {
				p = plan.Run(in, plan.Options{})
			}
			if c := p.Count(p.Finish); c.Done != nodes {
				b.Fatalf("%d of %d nodes are done: %+v", c.Done, nodes, c)
			}
			b.ReportMetric(float64(p.Decisions), "decisions/op")
		})
	}
}

var varied = plan.Model{
	Launch: func(n candidate.Node, _ time.Time, _ float64) time.Duration { return spread(n.Name, 60, 180) },
	Drain:  func(n candidate.Node, _ time.Time, _ float64) time.Duration { return spread(n.Name, 60, 900) },
}

// spread returns as many seconds as a name has it, from low to high.
func spread(name string, low, high int) time.Duration {
	hash := uint32(2166136261)
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	return time.Duration(low+int(hash>>8)%(high-low)) * time.Second
}

func benchmarkPlan(b *testing.B, app func(node, pod, nodes int) int, m plan.Model) {
	for _, nodes := range []int{100, 1_000, 10_000} {
		if nodes > 1_000 && testing.Short() {
			break
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := benchmarkInput(b, nodes, app)
			b.ReportAllocs()
			var p plan.Plan
			for b.Loop() {
				p = plan.Run(in, plan.Options{Model: m})
			}
			if c := p.Count(p.Finish); c.Done != nodes {
				b.Fatalf("%d of %d nodes are done: %+v", c.Done, nodes, c)
			}
			b.ReportMetric(float64(p.Decisions), "decisions/op")
		})
	}
}

func benchmarkInput(b *testing.B, nodes int, app func(node, pod, nodes int) int) disruptkit.Input {
	in := disruptkit.Input{Now: fixture.Noon}
	for p := range 10 {
		pool := fixture.Pool(b, budget.Budget{Nodes: "10%"}, budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"})
		pool.Name = fmt.Sprintf("pool-%d", p)
		in.Pools = append(in.Pools, pool)
	}
	var parser kube.Parser
	apps := map[int]int{}
	for i := range nodes {
		n := candidate.Node{
			Name: fmt.Sprintf("node-%06d", i), Pool: fmt.Sprintf("pool-%d", i%10), Phase: candidate.Running,
			Labels:     map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i/10%3))},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: in.Now.Add(-time.Duration(i*7919%nodes) * time.Minute)}},
		}
		for p := range 10 {
			a := app(i, p, nodes)
			apps[a]++
			n.Pods = append(n.Pods, candidate.Pod{
				Name:      fmt.Sprintf("app-%d-%d", a, 10*i+p),
				Namespace: "shop", Labels: map[string]string{"app": fmt.Sprint(a)},
			})
			parser.Share(&n.Pods[p])
		}
		in.Nodes = append(in.Nodes, n)
	}
	var pdbs []candidate.PDB
	for a, pods := range apps {
		pdbs = append(pdbs, candidate.PDB{
			Namespace: "shop", Name: fmt.Sprintf("app-%d", a), DisruptionsAllowed: max(1, pods/10),
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app": fmt.Sprint(a)}},
		})
	}
	rules, err := candidate.CompileRules(pdbs, nil)
	if err != nil {
		b.Fatal(err)
	}
	in.Rules = rules
	return in
}
