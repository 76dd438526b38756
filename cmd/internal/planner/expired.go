package planner

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// expired returns the nodes that a plan disrupts because they expire, by time.
func expired(of plan.Plan) []plan.Node {
	all := only(slices.Concat(of.Nodes, of.Expiring), plan.Node.OnlyExpires)
	slices.SortStableFunc(all, func(a, b plan.Node) int { return a.Start.Compare(b.Start) })
	return all
}

// expiring returns the nodes that expire in a span within a plan; zero: in all of it.
func (p planned) expiring(in schedule.Span) (all []expiring.Node) {
	for _, n := range expired(p.plan) {
		if in.Contains(n.Expires) {
			all = append(all, expiring.Node{Name: n.Name, Pool: n.Pool, At: n.Expires})
		}
	}
	return expiring.Sorted(p.in, all)
}

// expirations describes which nodes expire; "": none does.
func (p planned) expirations(all []expiring.Node) string {
	return expiring.Text(all, func(t time.Time) string { return agoOf(p.plan, t) })
}

// expiring prints all nodes that a plan disrupts because they expire in a span.
func (p *page) expiring(r report) {
	of := r.plans[0]
	all := of.expiring(r.expiring)
	if len(all) == 0 {
		p.line("No node expires from %s to %s.", dayOf(of.plan, r.expiring.Start), dayOf(of.plan, r.expiring.End))
		for _, text := range unasked(r.Policy.As, of.cluster) {
			p.line("%s.", text)
		}
		return
	}
	p.line("%s.", of.expirations(all))
	p.expired(of, all, len(all))
}

// expired prints which nodes expire when, which budgets are 0 then, and when they are gone.
func (p *page) expired(of planned, all []expiring.Node, most int) {
	if len(all) == 0 {
		return
	}
	gone := map[[2]string]string{}
	for _, n := range expired(of.plan) {
		text := dayOf(of.plan, n.Gone)
		if n.Gone.IsZero() {
			text = "never: " + drainHeld(n)
		}
		gone[[2]string{n.Pool, n.Name}] = text
	}
	p.line("")
	g := tell.NewGrid("EXPIRES", "NODE", "POOL", "THEN 0", "GONE")
	for _, n := range all[:min(len(all), most)] {
		g.Add(agoOf(of.plan, n.At), wording.Quote(n.Name), wording.Quote(n.Pool), n.Closed, gone[[2]string{n.Pool, n.Name}])
	}
	p.WriteString(g.String())
	if more := len(all) - most; more > 0 {
		p.line("and %s", wording.Count(more, "more node"))
	}
}

// unasked describes that a plan does not include expiry: for an autoscaler that embeds disruptkit, or if some objects are missing.
func unasked(as engine.Engine, cluster *manifest.Cluster) []string {
	switch {
	case cluster.Expiring() || !cluster.AnyExpires():
		return nil
	case as != engine.Disruptkit:
		return []string{"expireAfter is not planned, since something was not given"}
	}
	return []string{"expireAfter is not planned: an autoscaler that embeds disruptkit asks budgets before it expires a node"}
}
