package httpget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A body that denies drift to a hundred pools, one by one.
func BenchmarkObserve(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var entries []string
	for i := range 100 {
		entries = append(entries, fmt.Sprintf(`{"name": "drift", "nodePools": {"labels": ["pool-%d"]}}`, i))
	}
	for _, bench := range []struct {
		name string
		mode httpget.Mode
		body string
	}{
		{"status", httpget.StatusMode, ""},
		{"body", httpget.BodyMode, `{"deniedActions": ["drift"]}`},
		{"cluster", httpget.ClusterMode, `{"deniedActions": [` + strings.Join(entries, ",") + `]}`},
	} {
		b.Run("mode="+bench.name, func(b *testing.B) {
			p := httpget.Spec{Host: "health.monitoring.svc", Port: 8080, Mode: bench.mode}
			r := httpget.Response{At: now, Status: 200, Body: []byte(bench.body)}
			b.ReportAllocs()
			for b.Loop() {
				if o := httpget.Observe(p, probe.Observation{}, r); !o.Healthy {
					b.Fatal(o.Cause)
				}
			}
		})
	}
}
