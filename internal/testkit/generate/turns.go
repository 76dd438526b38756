package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Turning generates a pool whose zones take turns, often for some children of Drifted only, and whose nodes have
// drifted for such children, for others, or for nobody knows which. Little else blocks them.
func Turning(s Source) disruptkit.Input {
	in := disruptkit.Input{Now: Now(s)}
	list := several(s, 1, 3, func(s Source) budget.Budget {
		b := budget.Budget{Nodes: pick(s, "1", "2", "50%", "100%"), TopologyKey: "zone", Sequential: true}
		b.Reasons = pick(s, []candidate.Reason{"Drifted/AMIDrift"}, []candidate.Reason{"Drifted/SubnetDrift"},
			[]candidate.Reason{"Drifted"}, nil, []candidate.Reason{"Drifted/AMIDrift", "Drifted/SubnetDrift"})
		return b
	})
	if s.seldom() {
		list = append(list, budget.Budget{Nodes: pick(s, "1", "2", "3")})
	}
	set, _ := budget.Compile(list)
	in.Pools = []disruptkit.Pool{{Name: "pool-0", Budgets: set}}
	if m := memory(s, in.Now); s.Bool() {
		m.Backoff = disruptkit.Backoff{}
		in.Memory = map[string]disruptkit.Memory{"pool-0": m}
	}
	in.Nodes = several(s, 2, 8, func(s Source) candidate.Node {
		n := candidate.Node{
			Pool: "pool-0", Labels: map[string]string{"zone": pick(s, "a", "b", "c", "")},
			Phase:      candidate.Running,
			Conditions: []candidate.Condition{{Reason: drift(s), Since: in.Now.Add(-time.Duration(s(9)) * time.Hour)}},
		}
		switch s(8) {
		case 6:
			n.NominatedUntil = in.Now.Add(time.Duration(s.Between(1, 20)) * time.Minute)
		case 7:
			n.Leaving = candidate.Draining
			n.DisruptedFor = pick[candidate.Reason](s,
				"Drifted", "Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty", "")
		}
		return n
	})
	for i := range in.Nodes {
		in.Nodes[i].Name = fmt.Sprintf("node-%d", i)
	}
	return in
}

func drift(s Source) candidate.Reason {
	return pick[candidate.Reason](s, "Drifted", "Drifted/AMIDrift", "Drifted/SubnetDrift", "Drifted/NodePoolDrifted")
}
