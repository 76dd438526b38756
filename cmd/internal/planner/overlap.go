package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/plan"
)

// An overlap is a time in which nodes of several zones of a pool are in flight.
type overlap struct {
	span
	zones []string
}

// overlaps returns when several zones of a pool have nodes in flight at once.
func overlaps(p plan.Plan, lanes []lane) []overlap {
	type edge struct {
		at   time.Time
		zone string
		by   int
	}
	var edges []edge
	for _, l := range lanes {
		for _, n := range l.nodes {
			if from, to := started(p, n), n.End(); to.After(from) {
				edges = append(edges, edge{from, l.zone, 1}, edge{to, l.zone, -1})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.by, b.by), cmp.Compare(a.zone, b.zone))
	})
	var all []overlap
	flying := map[string]int{}
	for i, e := range edges {
		if flying[e.zone] += e.by; flying[e.zone] == 0 {
			delete(flying, e.zone)
		}
		if len(flying) < 2 || !edges[i+1].at.After(e.at) { // what flies ends later
			continue
		}
		o := overlap{span{e.at, edges[i+1].at}, slices.Sorted(maps.Keys(flying))}
		if last := len(all) - 1; last >= 0 && all[last].to.Equal(o.from) && slices.Equal(all[last].zones, o.zones) {
			all[last].to = o.to
		} else {
			all = append(all, o)
		}
	}
	return all
}

// atOnce describes how long several zones of a pool have nodes in flight at once; "" if it has one zone.
func atOnce(p plan.Plan, pool string, lanes []lane) string {
	zones, total := 0, time.Duration(0)
	for _, l := range lanes {
		if l.counts.Done > 0 {
			zones++
		}
	}
	all := overlaps(p, lanes)
	for _, o := range all {
		total += o.length()
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
