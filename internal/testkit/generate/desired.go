package generate

import "github.com/disruptkit/disruptkit"

// Desired generates inputs of pools that should have as many nodes as they have, a few more, or fewer.
func Desired(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Dated)
	for i := range in.Pools {
		in.Pools[i].Desired = s(len(in.Nodes) + 4)
	}
	return in
}
