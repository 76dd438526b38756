package planner

import (
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// A lane is the nodes of a pool in one zone.
type lane struct {
	pool, zone string
	nodes      []plan.Node
	counts     plan.Count
	span
}

// lanes returns the lanes of a plan, by pool and zone.
func lanes(p plan.Plan) []lane {
	var all []lane
	at := map[[2]string]int{}
	for _, g := range p.Groups {
		key := [2]string{g.Pool, g.Zone}
		if _, ok := at[key]; !ok {
			at[key] = len(all)
			all = append(all, lane{pool: g.Pool, zone: g.Zone})
		}
	}
	for _, n := range p.Nodes {
		l := &all[at[[2]string{n.Pool, n.Zone}]]
		l.nodes = append(l.nodes, n)
		if byItself(n) {
			l.from, l.to = schedule.First(l.from, started(p, n)), schedule.Last(l.to, n.End())
		}
	}
	for i := range all {
		all[i].counts = plan.Plan{Nodes: all[i].nodes}.Count(far)
	}
	return all
}

// zoneTitle names a zone.
func zoneTitle(zone string) string {
	if zone == "" {
		return "no zone"
	}
	return zone
}
