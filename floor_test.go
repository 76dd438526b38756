package disruptkit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// BenchmarkFloor does what no decision can avoid: it reads every pod of every candidate once, and looks up one of its labels.
// BenchmarkDecide is measured against it, in the same run.
func BenchmarkFloor(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, nodes := range []int{1_000, 10_000, 100_000} {
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
