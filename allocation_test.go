//go:build !race

package disruptkit_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// What a decision writes is what it costs, on one core above all: the collector's time is the decision's own. So this bounds the memory of
// one more candidate, which no busy machine can blur. It leaves out the scratch memory that one decision leaves to the next.
// It says nothing with the race detector, under which a sync.Pool forgets at random what it was given.
func TestADecisionAllocatesLittleForEachCandidate(t *testing.T) {
	const most = 520 // bytes
	sequential := budget.Budget{Nodes: "10%", TopologyKey: "topology.kubernetes.io/zone", Sequential: true}
	for name, last := range map[string]budget.Budget{"a window": businessHours, "zones in turn": sequential} {
		few, fewBytes, fewTimes := allocated(t, 10_000, last)
		many, manyBytes, manyTimes := allocated(t, 40_000, last)
		if bytes := (manyBytes - fewBytes) / (many - few); bytes > most {
			t.Errorf("%s: %d bytes for each candidate, more than %d", name, bytes, most)
		}
		if times := manyTimes - fewTimes; times > (many-few)/10 {
			t.Errorf("%s: %d allocations for %d candidates, more than one for ten", name, times, many-few)
		}
	}
}

// allocated returns how many candidates a decision has, and how many bytes it allocates, in how many pieces.
func allocated(t *testing.T, nodes int, last budget.Budget) (candidates, bytes, times uint64) {
	in := benchmarkInput(t, nodes, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), false, last)
	parseLabels(in.Nodes)
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would take the scratch memory away
	bytes, times = math.MaxUint64, math.MaxUint64
	for range 6 { // another processor may have the scratch memory
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := disruptkit.Decide(in, candidate.Drifted)
		runtime.ReadMemStats(&after)
		candidates = uint64(len(d.Allowed) + len(d.Blocked))
		bytes, times = min(bytes, after.TotalAlloc-before.TotalAlloc), min(times, after.Mallocs-before.Mallocs)
	}
	return candidates, bytes, times
}
