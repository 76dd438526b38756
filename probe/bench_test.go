package probe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

func BenchmarkProbeVerdict(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o := well(now)
	b.ReportAllocs()
	for b.Loop() {
		if v := probe.ProbeVerdict(health, o, now); !v.Allowed {
			b.Fatal(v)
		}
	}
}

// A thousand pools: a hundred are denied drift.
func BenchmarkBlocker(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v := probe.Verdict{Allowed: true}
	for i := range 100 {
		v.Denied = append(v.Denied, probe.Denial{Reason: candidate.Drifted, Pools: []probe.PoolSelector{probe.PoolSelector(fmt.Sprint("pool-", i))}})
	}
	labels := map[string]string{"team": "search", "zone": "a", "arch": "arm64"}
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprint("pool-", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range names {
			v.Blocker(candidate.Drifted, name, labels, now)
		}
	}
}
