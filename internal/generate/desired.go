package generate

import (
	"time"

	"github.com/disruptkit/disruptkit"
)

// Desired generates inputs of pools that should have as many nodes as they have, a few more, or fewer. Some numbers and
// durations are negative.
func Desired(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Dated)
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Desired = s.Between(-1, len(in.Nodes)+3)
		if s.seldom() {
			p.Topology.Patience, p.Topology.Soak = pick[time.Duration](s, -1, -2, 0), pick[time.Duration](s, -2, 0)
		}
	}
	return in
}
