//go:build !race

package engine_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// What a decision writes is what it costs, on one core above all: the collector's time is the decision's own. So this bounds the memory of
// one more candidate, which no busy machine can blur.
func TestADecisionAllocatesLittleForEachCandidate(t *testing.T) {
	const most = 640 // bytes
	sequential := budget.Budget{Nodes: "10%", TopologyKey: "topology.kubernetes.io/zone", Sequential: true}
	for name, last := range map[string]budget.Budget{"a window": businessHours, "zones in turn": sequential} {
		few, fewBytes, fewTimes := allocated(t, 10_000, last) // enough to fill all caches
		many, manyBytes, manyTimes := allocated(t, 20_000, last)
		if bytes := (manyBytes - fewBytes) / (many - few); bytes > most {
			t.Errorf("%s: %d bytes for each candidate, more than %d", name, bytes, most)
		}
		if times := manyTimes - fewTimes; times > (many-few)/10 {
			t.Errorf("%s: %d allocations for %d candidates, more than one for ten", name, times, many-few)
		}
	}
}

// allocated returns how many candidates a decision has, and how many bytes it allocates, in how many pieces.
func allocated(t *testing.T, nodes int, last budget.Budget) (candidates, bytes, times int64) {
	in := benchmarkInput(t, nodes, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), false, last)
	parseLabels(in.Nodes)
	runtime.GC()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a sync.Pool keeps apart what each core has
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	disruptkit.Decide(in, candidate.Drifted) // the first decision makes memory that the next ones use again
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := disruptkit.Decide(in, candidate.Drifted)
	runtime.ReadMemStats(&after)
	return int64(len(d.Allowed) + len(d.Blocked)), int64(after.TotalAlloc - before.TotalAlloc), int64(after.Mallocs - before.Mallocs)
}
