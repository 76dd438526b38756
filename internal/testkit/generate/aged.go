package generate

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
)

// Aged generates inputs with nodes of all ages, many of them too young for the minAge of their pool's controls, or of
// unknown age. Some of these controls are broken.
func Aged(s Source) disruptkit.Input {
	in := oneOf(s, Input, Waiting, WaitingInZones, Dated)
	for i := range in.Pools {
		p := &in.Pools[i]
		spec := p.Budgets.Spec()
		for _, c := range []*budget.Control{&spec.Defaults, &spec.Drift, &spec.Emptiness} {
			c.MinAge = pick(s, "", "", "1h", "2h", "old")
		}
		p.Budgets, _ = spec.Compile()
	}
	for i := range in.Nodes {
		if !s.seldom() {
			in.Nodes[i].Created = in.Now.Add(-time.Duration(s(12)) * 15 * time.Minute)
		}
	}
	return in
}
