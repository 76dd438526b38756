package metrics

import (
	"slices"

	"github.com/disruptkit/disruptkit/report"
)

// narrow returns what a picture shows of a pool; "": of all. Everything was decided on the whole cluster.
func narrow(p picture, pool string) picture {
	if pool == "" {
		return p
	}
	p.report.Pools = only(p.report.Pools, func(s report.PoolStatus) bool { return s.Pool == pool })
	p.report.Nodes = only(p.report.Nodes, func(n report.NodeStatus) bool { return n.Pool == pool })
	p.events = only(p.events, func(e event) bool { return e.Pool == pool })
	return p
}

// only returns those elements of a list that are wanted. The list stays as it is.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(t T) bool { return !wanted(t) })
}
