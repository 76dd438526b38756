package topology_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// Counting included: half of the nodes have drifted, a tenth of them are blocked, one in fifty is in flight.
func BenchmarkSelectActiveZone(b *testing.B) {
	for _, size := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			scope := sequential(b, "10%")
			nodes := make([]candidate.Node, size)
			for i := range nodes {
				nodes[i] = drifted(fmt.Sprintf("%c-%06d", 'a'+i%3, i), today.Add(-time.Duration(i*7919%size)*time.Minute))
				if i%2 == 0 {
					nodes[i].Conditions = nil
				}
				if i%50 == 0 {
					nodes[i].Leaving, nodes[i].DisruptedFor = candidate.Draining, candidate.Drifted
				}
			}
			seen := func(yield func(*candidate.Node, []candidate.Blocker) bool) {
				for i := range nodes {
					if !yield(&nodes[i], blockers[i%10/9]) {
						return
					}
				}
			}
			roll := topology.Roll{Key: scope.Key, Domain: "b"}
			b.ReportAllocs()
			for b.Loop() {
				topology.SelectActiveZone(scope, domainsOf(seen, scope, topology.Options{}, today), roll, topology.Options{}, today)
			}
		})
	}
}
