package metrics

import (
	"slices"

	"github.com/disruptkit/disruptkit/cmd/internal/choose"
	"github.com/disruptkit/disruptkit/report"
)

// narrow returns what a picture shows of a pool, or of a node. Everything was decided on the whole cluster. The metrics are those of the
// node's pool.
func narrow(p picture, c choose.Choice) picture {
	if c.All() {
		return p
	}
	p.report.Pools = only(p.report.Pools, func(s report.PoolStatus) bool { return c.HasPool(s.Pool) })
	p.report.Nodes = only(p.report.Nodes, func(n report.NodeStatus) bool { return c.HasNode(n.Pool, n.Node) })
	p.report.Metrics = slices.Clone(p.report.Metrics)
	for i := range p.report.Metrics {
		m := &p.report.Metrics[i]
		m.Samples = only(m.Samples, func(s report.Sample) bool {
			return !slices.ContainsFunc(s.Labels, func(l report.Label) bool { return l.Name == "nodepool" && !c.HasPool(l.Value) })
		})
	}
	p.events = only(p.events, func(e event) bool { return c.HasPool(e.Pool) })
	return p
}

// only returns those elements of a list that are wanted. The list stays as it is.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(t T) bool { return !wanted(t) })
}
