package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// Paced generates inputs with paces in each pool, and with starts in the memory: of nodes that are gone, in flight, or
// never started, and some forged ones.
func Paced(s Source) disruptkit.Input {
	in := input(s, 1, func(s Source) []budget.Budget {
		return append(several(s, 1, 3, Pace), several(s, 0, 2, Budget)...)
	})
	if in.Memory == nil {
		in.Memory = map[string]disruptkit.Memory{}
	}
	for i := range in.Pools {
		m := in.Memory[in.Pools[i].Name]
		m.Starts = several(s, 0, 6, func(s Source) disruptkit.Start {
			return disruptkit.Start{
				Node:   pick(s, "gone-1", "gone-2", "gone-3", fmt.Sprintf("node-%02d", s(6))),
				Reason: pick(s, "", Reason(s), Reason(s)),
				At:     in.Now.Add(-time.Duration(s.Between(-5, 200)) * time.Minute),
				Seen:   s.Bool(),
			}
		})
		in.Memory[in.Pools[i].Name] = m
	}
	return in
}
