package planner

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
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

// zoneTitle names a zone.
func zoneTitle(zone string) string {
	if zone == "" {
		return "no zone"
	}
	return zone
}

// overlap returns for how long several lanes have nodes in flight at once.
func overlap(p plan.Plan, lanes []lane) (total time.Duration) {
	type edge struct {
		at time.Time
		by int
	}
	var edges []edge
	for _, l := range lanes {
		var flights []span
		for _, n := range l.nodes {
			if from, to := started(p, n), n.End(); to.After(from) {
				flights = append(flights, span{from, to})
			}
		}
		for _, s := range merged(flights) {
			edges = append(edges, edge{s.from, 1}, edge{s.to, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return a.at.Compare(b.at) })
	flying := 0
	for i, e := range edges {
		if flying += e.by; flying > 1 {
			total += edges[i+1].at.Sub(e.at)
		}
	}
	return total
}

// atOnce describes how long several zones of a pool have nodes in flight at once; "" if it has one zone.
func atOnce(p plan.Plan, pool string, lanes []lane) string {
	zones, total := 0, overlap(p, lanes)
	for _, l := range lanes {
		if l.counts.Done > 0 {
			zones++
		}
	}
	turns := slices.ContainsFunc(p.Turns, func(t plan.Turn) bool { return t.Pool == pool })
	switch {
	case zones < 2:
		return ""
	case total == 0 && turns:
		return "zones take turns: never two of them at once"
	case total == 0:
		return "never two zones at once"
	case turns:
		return fmt.Sprintf("zones take turns, but several have nodes in flight at once for %s: nodes that were in flight before, or for reasons without turns", display.Rough(total))
	}
	return "several zones have nodes in flight at once for " + display.Rough(total)
}
