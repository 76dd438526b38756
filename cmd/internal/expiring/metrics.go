package expiring

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// Names of metrics.
const (
	MetricNodes = "disruptkit_nodepool_nodes_expiring"
	MetricNext  = "disruptkit_nodepool_next_expiry_seconds"
)

// within is how far ahead MetricNodes looks.
var within = []struct {
	name string
	of   time.Duration
}{{"1h", time.Hour}, {"24h", 24 * time.Hour}, {"7d", Week}}

// Metrics returns how many nodes of each pool expire soon, and in how many seconds the next one does. Expires says when
// a node does, as for package plan. nil: none does, and there are no metrics.
func Metrics(in disruptkit.Input, expires func(candidate.Node) time.Time) []report.Metric {
	if expires == nil {
		return nil
	}
	nodes := report.Metric{Name: MetricNodes, Help: "Nodes that expire within a time, whatever budgets say."}
	next := report.Metric{Name: MetricNext, Help: "Seconds until the next node expires, whatever budgets say. 0: one has expired, and is not in flight yet."}
	for _, p := range in.Pools {
		var left []time.Duration
		for _, n := range in.Nodes {
			if at := expires(n); n.Pool == p.Name && !n.InFlight() && !at.IsZero() {
				left = append(left, max(at.Sub(in.Now), 0))
			}
		}
		pool := report.Label{Name: "nodepool", Value: p.Name}
		for _, w := range within {
			count := 0
			for _, d := range left {
				if d <= w.of {
					count++
				}
			}
			nodes.Samples = append(nodes.Samples, report.Sample{
				Labels: []report.Label{pool, {Name: "within", Value: w.name}}, Value: float64(count)})
		}
		if len(left) > 0 {
			next.Samples = append(next.Samples, report.Sample{Labels: []report.Label{pool}, Value: slices.Min(left).Seconds()})
		}
	}
	if len(next.Samples) == 0 {
		return []report.Metric{nodes}
	}
	return []report.Metric{nodes, next}
}
