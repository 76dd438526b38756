package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// A blockerView is what blocks nodes, under one code.
type blockerView struct {
	Code   string  // with its gate: budget/exhausted
	Nodes  int     // that it is the first to block
	Width  float64 // of its bar, in percent of the longest
	Pools  string
	Why    string // of the first of them
	Lifts  string // when time alone lifts the first of them, if it does
	Others string // how many more nodes have other words
}

// blockers counts the nodes that may be disrupted for nothing that they have a reason for, under the first thing that blocks each. Those of most
// nodes are first.
func (p picture) blockers(at clock) (all []blockerView) {
	type group struct {
		blockerView
		pools, whys []string
		lifts       time.Time
	}
	seen, shown := map[string]bool{}, map[string]string{} // the pool of each node of the picture
	for _, n := range p.report.Nodes {
		seen[n.Node], shown[n.Node] = n.InFlight, n.Pool
	}
	for _, d := range p.decisions {
		for _, c := range d.Allowed {
			seen[c.Node] = true
		}
	}
	var groups []*group
	for _, d := range p.decisions {
		for _, c := range d.Blocked {
			if seen[c.Node] || shown[c.Node] != c.Pool {
				continue
			}
			seen[c.Node] = true
			b := c.Blockers[0]
			code := string(b.Gate) + "/" + string(b.Code)
			at := slices.IndexFunc(groups, func(g *group) bool { return g.Code == code })
			if at < 0 {
				at = len(groups)
				groups = append(groups, &group{blockerView: blockerView{Code: code}})
			}
			g := groups[at]
			g.Nodes++
			if !slices.Contains(g.pools, c.Pool) {
				g.pools = append(g.pools, c.Pool)
			}
			g.whys = append(g.whys, b.Message)
			if !b.Until.IsZero() && (g.lifts.IsZero() || b.Until.Before(g.lifts)) {
				g.lifts = b.Until
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Or(b.Nodes-a.Nodes, strings.Compare(a.Code, b.Code)) })
	for _, g := range groups {
		slices.Sort(g.pools)
		g.Width, g.Pools, g.Why = 100*float64(g.Nodes)/float64(groups[0].Nodes), wording.List(g.pools, len(g.pools), wording.Quote), wording.Quote(g.whys[0])
		if !g.lifts.IsZero() {
			g.Lifts = "the first lifts " + at.day(g.lifts)
		}
		same := slices.DeleteFunc(slices.Clone(g.whys), func(why string) bool { return why != g.whys[0] })
		if more := len(g.whys) - len(same); more > 0 {
			g.Others = fmt.Sprintf("and the like of %s", wording.Count(more, "more node"))
		}
		all = append(all, g.blockerView)
	}
	return all
}
