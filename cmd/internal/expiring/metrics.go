package expiring

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/cmd/manifest"
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

// Metrics returns how many nodes of each pool expire soon, and in how many seconds the next one does.
// There are none where no node is known to expire.
func Metrics(c *manifest.Cluster, in disruptkit.Input) []report.Metric {
	if !c.Expiring() {
		return nil
	}
	nodes := report.Metric{Name: MetricNodes, Help: "Nodes that expire within a time, whatever budgets say."}
	next := report.Metric{Name: MetricNext, Help: "Seconds until the next node expires, whatever budgets say. 0: one has expired, and is not in flight yet."}
	for _, p := range in.Pools {
		var left []time.Duration
		for _, n := range in.Nodes {
			if at := c.Expires(n); n.Pool == p.Name && !n.InFlight() && !at.IsZero() {
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
