package planner

import (
	"time"

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
		if n.Outcome != plan.Done || n.OnlyExpires() {
			continue
		}
		if from := started(p, n); l.from.IsZero() || from.Before(l.from) {
			l.from = from
		}
		l.to = schedule.Last(l.to, n.End())
	}
	for i := range all {
		all[i].counts = plan.Plan{Nodes: all[i].nodes}.Count(far)
	}
	return all
}

// lanesOf returns those lanes that are of a pool.
func lanesOf(all []lane, pool string) []lane {
	return only(all, func(l lane) bool { return l.pool == pool })
}

// inFlight returns how many nodes of the lane are in flight from one time to another, on average.
func (l lane) inFlight(p plan.Plan, from, to time.Time) float64 {
	sum := time.Duration(0)
	for _, n := range l.nodes {
		if n.Outcome == plan.Done {
			sum += max(0, schedule.First(n.End(), to).Sub(schedule.Last(started(p, n), from)))
		}
	}
	return float64(sum) / float64(max(to.Sub(from), 1))
}

// closed reports whether budgets allow no node of the pool for any reason for most of the time from one time to another.
func closed(p plan.Plan, pool string, from, to time.Time) bool {
	for _, c := range p.Closed {
		if c.Pool == pool && schedule.First(c.To, to).Sub(schedule.Last(c.From, from)) > to.Sub(from)/2 {
			return true
		}
	}
	return false
}

// zoneTitle names a zone.
func zoneTitle(zone string) string {
	if zone == "" {
		return "no zone"
	}
	return zone
}
