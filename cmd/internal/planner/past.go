package planner

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/plan"
)

// past adds to the text of a time how long it is over: "Sat 07:50 (1h10m ago)".
func past(text string, at, now time.Time) string {
	if at.Before(now) {
		text = fmt.Sprintf("%s (%s ago)", text, display.Rough(now.Sub(at)))
	}
	return text
}

// agoOf is dayOf, with how long the time is over.
func agoOf(p plan.Plan, t time.Time) string { return past(dayOf(p, t), t, p.From) }

// Outlived reports that the grace period of a node in flight is over, although the node is still there; "": it is not.
// What keeps it then is not known.
func Outlived(n *candidate.Node, now time.Time) string {
	if !n.InFlight() || n.Deadline.IsZero() || n.Deadline.After(now) {
		return ""
	}
	end := n.Deadline.In(now.Location())
	return "its grace period ended " + past(tell.Day(end, now), end, now) + ", and it is still there"
}

// outlived prints the nodes that are still there after their grace periods. When they are gone is a guess.
func (p *page) outlived(of planned) {
	texts := map[string]string{}
	for i := range of.in.Nodes {
		n := &of.in.Nodes[i]
		texts[n.Name] = Outlived(n, of.in.Now)
	}
	there := only(of.plan.Nodes, func(n plan.Node) bool { return n.InFlight && texts[n.Name] != "" })
	p.nodes("Still there, so when they are gone is a guess", there, func(n plan.Node) string { return texts[n.Name] })
}
