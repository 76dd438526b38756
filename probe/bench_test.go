package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

func BenchmarkProbeVerdict(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := probe.Probe{Host: "health.monitoring.svc", Port: 8080, Path: "/healthz"}
	o := probe.Observe(p, probe.Observation{}, probe.Response{At: now, Status: 200})
	b.ReportAllocs()
	for b.Loop() {
		if v := probe.ProbeVerdict(p, o, now); !v.Allowed {
			b.Fatal(v)
		}
	}
}

// A body that denies drift to a hundred pools, one by one.
func BenchmarkObserve(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var entries []string
	for i := range 100 {
		entries = append(entries, fmt.Sprintf(`{"name": "drift", "nodePools": {"labels": ["pool-%d"]}}`, i))
	}
	for _, bench := range []struct {
		name string
		mode probe.Mode
		body string
	}{
		{"status", probe.StatusMode, ""},
		{"body", probe.BodyMode, `{"deniedActions": ["drift"]}`},
		{"cluster", probe.ClusterMode, `{"deniedActions": [` + strings.Join(entries, ",") + `]}`},
	} {
		b.Run("mode="+bench.name, func(b *testing.B) {
			p := probe.Probe{Host: "health.monitoring.svc", Port: 8080, Mode: bench.mode}
			r := probe.Response{At: now, Status: 200, Body: []byte(bench.body)}
			b.ReportAllocs()
			for b.Loop() {
				if o := probe.Observe(p, probe.Observation{}, r); !o.Healthy {
					b.Fatal(o.Cause)
				}
			}
		})
	}
}

// What a thousand pools are told by an answer that denies drift to a hundred of them.
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
