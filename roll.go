package disruptkit

import (
	"maps"
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// rolls returns the rolls for the next decision. While no budget orders a pool for the reason asked for, its roll stays
// where it is; so do those of pools that are not in the input.
func (ps pools) rolls(last map[string]topology.Roll) map[string]topology.Roll {
	rolls := map[string]topology.Roll{}
	maps.Copy(rolls, last)
	for _, p := range ps {
		rolls[p.Name] = p.roll
		if p.order != nil {
			rolls[p.Name] = p.order.turn.Next(p.order.started)
		}
	}
	maps.DeleteFunc(rolls, func(_ string, r topology.Roll) bool { return r.Key == "" })
	if len(rolls) == 0 {
		return nil
	}
	return rolls
}

// nextZoneChange returns when time alone may first change whose turn it is, the numbers behind that, or which domains are
// limited.
func (ps pools) nextZoneChange() time.Time {
	var next time.Time
	for _, p := range ps {
		next = until.First(next, p.zonesEnd)
		for _, z := range p.zonings {
			next = until.First(next, until.First(z.turn.NextChange, z.turn.NextFree))
		}
	}
	return next
}
