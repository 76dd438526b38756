package metrics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/report"
)

// A nodeGroup is a row of the page: nodes of a pool of which the same is to be said.
type nodeGroup struct {
	Pool, Nodes, State, Why, Since string
	Class                          string // goes, free or stays
}

// groups returns the nodes in flight, those that may be disrupted, and those that stay, in this order.
func groups(nodes []report.NodeStatus, unsure map[string]bool, at clock) []nodeGroup {
	var all []nodeGroup
	for _, n := range nodes {
		g := groupOf(n, unsure[n.Node], at)
		i := slices.IndexFunc(all, func(o nodeGroup) bool {
			return o.Pool == g.Pool && o.State == g.State && o.Why == g.Why && o.Since == g.Since
		})
		if i < 0 {
			all = append(all, g)
		} else {
			all[i].Nodes += ", " + g.Nodes
		}
	}
	slices.SortStableFunc(all, func(a, b nodeGroup) int {
		return cmp.Or(cmp.Compare(order[a.Class], order[b.Class]), cmp.Compare(a.Pool, b.Pool))
	})
	return all
}

var order = map[string]int{"goes": 0, "free": 1, "stays": 2}

// groupOf reports of a node whether it is disrupted, and why not. Of one for which that is unsure, it says who decides.
func groupOf(n report.NodeStatus, unsure bool, at clock) nodeGroup {
	g := nodeGroup{Pool: n.Pool, Nodes: wording.Quote(n.Node)}
	if n.InFlight {
		g.State, g.Class, g.Why = "in flight", "goes", cmp.Or(wording.Quote(n.Details), "nobody knows what for")
		return g
	}
	for _, c := range n.Conditions {
		if c.Type != report.ConditionAllowed {
			continue
		}
		g.State, g.Class = "stays: "+c.Reason, "stays"
		if c.Status {
			g.State, g.Class = "may be disrupted", "free"
		}
		if c.Status && unsure {
			g.State = "budgets would allow it"
			c.Message = manifest.Consolidatable
		}
		g.Why, g.Since = strings.TrimPrefix(c.Message, "Disruption not allowed: "), at.day(c.LastTransitionTime)
	}
	return g
}
