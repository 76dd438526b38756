package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Apply returns the input as it will be once all nodes that d allows are in flight, with d's Memory. Decide the next
// reason on it, and no budget and no PodDisruptionBudget is spent twice. Now stays the same; Apply does not modify in.
//
// Apply identifies nodes by name and pool. In Karpenter's dialect several nodes may share both: if one of them is
// allowed, all of them count as in flight.
func (in Input) Apply(d Decision) Input {
	in.Memory = d.Memory
	if len(d.Allowed) == 0 {
		return in
	}
	type node struct{ name, pool string }
	reasons := make(map[node]candidate.Reason, len(d.Allowed))
	for _, c := range d.Allowed {
		reasons[node{c.Node, c.Pool}] = c.Reason
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if reason, ok := reasons[node{n.Name, n.Pool}]; ok {
			n.Leaving, n.DisruptedFor = max(n.Leaving, candidate.Draining), reason
		}
	}
	return in
}
