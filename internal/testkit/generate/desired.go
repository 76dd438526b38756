package generate

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// Desired generates inputs of pools that should have as many nodes as they have, a few more, or fewer. Some nodes that
// join are due for repair.
func Desired(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Dated)
	for i := range in.Pools {
		in.Pools[i].Desired = s(len(in.Nodes) + 4)
		if s(2) == 0 { // as many as it has, nearly
			in.Pools[i].Desired = max(0, nodesOf(in, in.Pools[i].Name)+s(3)-1)
		}
	}
	if len(in.Nodes) > 0 && s.Bool() {
		n := &in.Nodes[s(len(in.Nodes))]
		n.Phase, n.Leaving = candidate.Registered, pick(s, candidate.Staying, candidate.Staying, candidate.Draining)
		n.Conditions = append(n.Conditions[:0:0], candidate.Condition{Reason: candidate.Unhealthy})
	}
	return in
}

func nodesOf(in disruptkit.Input, pool string) (n int) {
	for i := range in.Nodes {
		if in.Nodes[i].Pool == pool {
			n++
		}
	}
	return n
}
