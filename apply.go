package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Apply returns the input as it will be once all that d allows is in flight, with d's Memory. Deciding the next reason on
// it spends no budget twice, and no PDB. Its Now is the same; in is not changed.
//
// A node is known by its name and its pool. Karpenter's dialect tells nodes apart that share both; where one of those is allowed, all
// of them are in flight.
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
			n.Deleting, n.DisruptedFor = true, reason
		}
	}
	return in
}
