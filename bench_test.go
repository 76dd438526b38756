package disruptkit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func BenchmarkDecide(b *testing.B) {
	benchmarkDecide(b, budget.Budget{Nodes: "5", Schedule: "0 9 * * *", Duration: "8h", TimeZone: "Europe/Berlin"})
}

func BenchmarkDecideSequential(b *testing.B) {
	benchmarkDecide(b, budget.Budget{Nodes: "10%", TopologyKey: "topology.kubernetes.io/zone", Sequential: true})
}

// benchmarkDecide decides on ten pools with a tenth of the nodes each, half of them drifted, in three zones.
func benchmarkDecide(b *testing.B, last budget.Budget) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, nodes := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			in := disruptkit.Input{Now: now}
			for p := range 10 {
				set, err := budget.Compile([]budget.Budget{
					{Nodes: "10%"},
					{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: []candidate.Reason{candidate.Drifted}},
					last,
				})
				if err != nil {
					b.Fatal(err)
				}
				in.Pools = append(in.Pools, disruptkit.Pool{Name: fmt.Sprintf("pool-%d", p), Budgets: set})
			}
			for i := range nodes {
				n := candidate.Node{
					Name: fmt.Sprintf("node-%06d", i), Pool: fmt.Sprintf("pool-%d", i%10),
					Labels:      map[string]string{"topology.kubernetes.io/zone": string(rune('a' + i/10%3))},
					Initialized: true, Ready: true, Deleting: i%50 == 0, DisruptedFor: candidate.Empty,
				}
				if i%2 == 0 {
					n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Duration(i*7919%nodes) * time.Minute)}}
				}
				n.Pods = make([]candidate.Pod, 10)
				in.Nodes = append(in.Nodes, n)
			}
			b.ReportAllocs()
			for b.Loop() {
				disruptkit.Decide(in, candidate.Drifted)
			}
		})
	}
}
