package engine_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

func BenchmarkDecide(b *testing.B) { benchmarkDecide(b, true, false, businessHours) }

// BenchmarkDecideUnparsed decides on pods each of which has a map of labels of its own.
func BenchmarkDecideUnparsed(b *testing.B) { benchmarkDecide(b, false, false, businessHours) }

var businessHours = budget.Budget{Nodes: "5", Schedule: "0 9 * * *", Duration: "8h", TimeZone: "Europe/Berlin"}

func BenchmarkDecideSequential(b *testing.B) {
	benchmarkDecide(b, true, false, budget.Budget{Nodes: "10%", TopologyKey: "topology.kubernetes.io/zone", Sequential: true})
}

func BenchmarkDecideMostSpecific(b *testing.B) {
	benchmarkDecide(b, true, true, budget.Budget{Nodes: "5", Schedule: "0 9 * * *", Duration: "8h", Reasons: []candidate.Reason{candidate.Empty}})
}

// BenchmarkDecidePaced decides where paces count the starts of half the nodes, or as many slots soak, and block hundreds of others.
// "none" is the same without them: with them, a decision takes at most three times as long.
func BenchmarkDecidePaced(b *testing.B) {
	day := budget.Budget{Nodes: "50%", Per: "24h"}
	for _, c := range []struct {
		name  string
		paces []budget.Budget
	}{
		{"none", nil},
		{"2 an hour", []budget.Budget{{Nodes: "2", Per: "1h"}}},
		{"50% a day", []budget.Budget{day}},
		{"2% a day", []budget.Budget{{Nodes: "2%", Per: "24h"}}},
		{"several", []budget.Budget{
			day, {Nodes: "3%", Per: "1h", Reasons: []candidate.Reason{candidate.Drifted}},
			{Nodes: "10%", Per: "8h", Schedule: "0 9 * * *", Duration: "8h", TimeZone: "Europe/Berlin"},
			{Nodes: "1", Per: "30m", Schedule: "0 0 * * sat", Duration: "48h"},
		}},
		{"50% soak a day", []budget.Budget{{Nodes: "50%", Soak: "24h"}}},
		{"2% soak an hour", []budget.Budget{{Nodes: "2%", Soak: "1h"}}},
	} {
		for _, nodes := range []int{1_000, 10_000} {
			for _, pools := range []int{10, 1} {
				b.Run(fmt.Sprintf("%s/nodes=%d/pools=%d", c.name, nodes, pools), func(b *testing.B) {
					in := pacedInput(b, nodes, pools, c.paces)
					runtime.GC()
					b.ReportAllocs()
					for b.Loop() {
						disruptkit.Decide(in, candidate.Drifted)
					}
				})
			}
		}
	}
}

// BenchmarkDecideGroups decides on 1,000 pools in 50 groups: disjoint ones, or of 40 pools each, where each pool is in two. It takes at
// most 4 times what BenchmarkFloor takes.
func BenchmarkDecideGroups(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		pools int // of each group
	}{{"none", 0}, {"disjoint", 20}, {"overlapping", 40}} {
		b.Run(c.name+"/nodes=100000", func(b *testing.B) {
			in := groupedInput(b, 100_000, now, c.pools)
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				disruptkit.Decide(in, candidate.Drifted)
			}
		})
	}
}

// groupedInput returns 1,000 pools, in 50 groups of some pools each, or in none.
func groupedInput(b *testing.B, nodes int, now time.Time, each int) disruptkit.Input {
	const pools, groups = 1_000, 50
	in := benchmarkInput(b, nodes, now, false, businessHours)
	parseLabels(in.Nodes)
	policy := in.Pools[0]
	in.Pools = nil
	for i := range pools {
		policy.Name = fmt.Sprintf("pool-%d", i)
		in.Pools = append(in.Pools, policy)
	}
	for i := range in.Nodes {
		in.Nodes[i].Pool = in.Pools[i/2%pools].Name
	}
	for i := range groups {
		set, err := budget.Compile([]budget.Budget{
			{Nodes: "10%"}, {Nodes: "5", Schedule: "0 9 * * *", Duration: "8h", TimeZone: "Europe/Berlin"},
		})
		if err != nil {
			b.Fatal(err)
		}
		g := disruptkit.Group{Name: fmt.Sprintf("group-%d", i), Budgets: set}
		for j := range each {
			g.Pools = append(g.Pools, in.Pools[(i*pools/groups+j)%pools].Name)
		}
		if each > 0 {
			in.Groups = append(in.Groups, g)
		}
	}
	return in
}

// pacedInput returns ten pools, or one that has all nodes. As many nodes as half of each pool started within the last day.
func pacedInput(b *testing.B, nodes, pools int, paces []budget.Budget) disruptkit.Input {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	in := benchmarkInput(b, nodes, now, false, budget.Budget{Nodes: "20%"})
	parseLabels(in.Nodes)
	in.Pools = in.Pools[:pools]
	in.Memory = map[string]disruptkit.Memory{}
	for i := range in.Pools {
		p := &in.Pools[i]
		set, err := budget.Compile(append([]budget.Budget{{Nodes: "10%"}}, paces...))
		if err != nil {
			b.Fatal(err)
		}
		p.Budgets = set
		m := disruptkit.Memory{Soak: disruptkit.Soaking{For: "24h", Since: now.Add(-48 * time.Hour)}}
		for j := range nodes / pools / 2 {
			at := now.Add(-24*time.Hour + time.Duration(j+1)*24*time.Hour/time.Duration(nodes/pools))
			gone := fmt.Sprintf("gone-%06d", j)
			m.Starts = append(m.Starts, disruptkit.Start{Node: gone, Reason: candidate.Drifted, At: at, Seen: true})
			m.Soak.Slots = append(m.Soak.Slots, disruptkit.Slot{Node: gone, Reason: candidate.Drifted, Since: at, Seen: true})
		}
		in.Memory[p.Name] = m
	}
	for i := range in.Nodes {
		in.Nodes[i].Pool = in.Pools[i%10%pools].Name
	}
	return in
}

// benchmarkDecide decides on ten pools with a tenth of the nodes each, half of them drifted, in three zones. Each
// node has ten pods, one with a disruption schedule, and each of a thousand apps has a PDB.
func benchmarkDecide(b *testing.B, parsed, mostSpecific bool, last budget.Budget) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, nodes := range []int{1_000, 10_000, 100_000} {
		if nodes > 10_000 && testing.Short() {
			break
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := benchmarkInput(b, nodes, now, mostSpecific, last)
			if parsed {
				parseLabels(in.Nodes)
			}
			runtime.GC() // of what made the cluster
			b.ReportAllocs()
			for b.Loop() {
				disruptkit.Decide(in, candidate.Drifted)
			}
		})
	}
}

// benchmarkInput returns ten pools with a tenth of the nodes each.
func benchmarkInput(b testing.TB, nodes int, now time.Time, mostSpecific bool, last budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: now}
	for p := range 10 {
		set, err := budget.Spec{MostSpecific: mostSpecific, Budgets: []budget.Budget{
			{Nodes: "10%"},
			{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: []candidate.Reason{candidate.Drifted}},
			last,
		}}.Compile()
		if err != nil {
			b.Fatal(err)
		}
		in.Pools = append(in.Pools, disruptkit.Pool{Name: fmt.Sprintf("pool-%d", p), Budgets: set})
	}
	in.Rules = benchmarkPDBs(b)
	var parser kube.Parser
	for i := range nodes {
		n := candidate.Node{
			Name: fmt.Sprintf("node-%06d", i), Pool: fmt.Sprintf("pool-%d", i%10),
			Labels: map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i/10%3))},
			Phase:  candidate.Running, DisruptedFor: candidate.Empty,
		}
		if i%50 == 0 {
			n.Leaving = candidate.Draining
		}
		if i%2 == 0 {
			n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Duration(i*7919%nodes) * time.Minute)}}
		}
		for p := range 10 {
			n.Pods = append(n.Pods, benchmarkPod(&parser, 10*i+p))
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}

const benchmarkApps = 1_000

func benchmarkPDBs(b testing.TB) candidate.Rules {
	var pdbs []candidate.PDB
	for app := range benchmarkApps {
		pdbs = append(pdbs, candidate.PDB{
			Namespace: fmt.Sprintf("team-%d", app%50), Name: fmt.Sprintf("app-%d", app), DisruptionsAllowed: app % 10,
			Selector: &candidate.Selector{MatchLabels: map[string]string{"app.kubernetes.io/name": fmt.Sprintf("app-%d", app)}},
		})
	}
	rules, err := candidate.CompileRules(pdbs, nil)
	if err != nil {
		b.Fatal(err)
	}
	return rules
}

// parseLabels lets pods share their namespaces and labels, as callers do that keep pods from one decision to the next.
func parseLabels(nodes []candidate.Node) {
	var parser kube.Parser
	for i := range nodes {
		for j := range nodes[i].Pods {
			parser.Share(&nodes[i].Pods[j])
		}
	}
}

// benchmarkPod returns a pod with labels of its own, as an API client has them.
func benchmarkPod(parser *kube.Parser, i int) candidate.Pod {
	app := i * 7919 % benchmarkApps
	p := candidate.Pod{
		Namespace: fmt.Sprintf("team-%d", app%50), Name: fmt.Sprintf("app-%d-%d", app, i),
		Labels: map[string]string{
			"app.kubernetes.io/name": fmt.Sprintf("app-%d", app), "app.kubernetes.io/part-of": "shop", "pod-template-hash": "6d4cf56db6",
		},
	}
	switch i % 20 {
	case 3:
		p.Terms, _ = parser.Terms("", "", map[string]string{kube.DisruptionScheduleAnnotation: "0 8 * * *", kube.DisruptionScheduleDurationAnnotation: "6h"})
	case 13:
		p.Terms, _ = parser.Terms("", "", map[string]string{
			kube.DisruptionScheduleAnnotation: "0 22 * * *; 0 0 * * sat", kube.DisruptionScheduleDurationAnnotation: "8h; 24h",
			kube.DisruptionBlockScheduleAnnotation: "0 0 24 12 *", kube.DisruptionScheduleTimeZoneAnnotation: "Europe/Berlin",
		})
	}
	return p
}

// BenchmarkFloor does what no decision can avoid: it reads every pod of every candidate once, and looks up one of its labels.
// BenchmarkDecide is measured against it, in the same run.
func BenchmarkFloor(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, nodes := range []int{1_000, 10_000, 100_000} {
		if nodes > 10_000 && testing.Short() {
			break
		}
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := benchmarkInput(b, nodes, now, false, budget.Budget{Nodes: "5"})
			b.ReportAllocs()
			found := 0
			for b.Loop() {
				found = floor(in)
			}
			if found != nodes/2*10 {
				b.Fatal(found)
			}
		})
	}
}

func floor(in disruptkit.Input) (found int) {
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if len(n.Conditions) == 0 || !candidate.Drifted.Covers(n.Conditions[0].Reason) {
			continue
		}
		for j := range n.Pods {
			p := &n.Pods[j]
			if !p.Inactive && p.Labels["app.kubernetes.io/name"] != "" {
				found++
			}
		}
	}
	return found
}
