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
)

// expired returns the nodes that a plan disrupts because they expire, by time.
func expired(of plan.Plan) []plan.Node {
	all := only(slices.Concat(of.Nodes, of.Expiring), plan.Node.OnlyExpires)
	slices.SortStableFunc(all, func(a, b plan.Node) int { return a.Start.Compare(b.Start) })
	return all
}

// expiring prints all nodes that a plan disrupts because they expire in a span.
func (p *page) expiring(r report) {
	of := r.plans[0]
	var all []expiring.Node
	for _, n := range expired(of.plan) {
		if r.expiring.Contains(n.Expires) {
			all = append(all, expiring.Node{Name: n.Name, Pool: n.Pool, At: n.Expires})
		}
	}
	if len(all) == 0 {
		p.line("No node expires from %s to %s.", dayOf(of.plan, r.expiring.Start), dayOf(of.plan, r.expiring.End))
		for _, text := range unasked(r.as, of.cluster) {
			p.line("%s.", text)
		}
		return
	}
	all = expiring.Sorted(of.in, all)
	day := func(t time.Time) string { return agoOf(of.plan, t) }
	p.line("%s.", expiring.Text(all, day))
	p.line("")
	g := tell.NewGrid("EXPIRES", "NODE", "POOL", "THEN 0")
	for _, n := range all {
		g.Add(day(n.At), wording.Quote(n.Name), wording.Quote(n.Pool), n.Closed)
	}
	p.WriteString(g.String())
}

// expirations describes which nodes expire within a plan; "": none does.
func (p planned) expirations() string {
	var all []expiring.Node
	for _, n := range expired(p.plan) {
		all = append(all, expiring.Node{Name: n.Name, Pool: n.Pool, At: n.Expires})
	}
	return expiring.Text(expiring.Sorted(p.in, all), func(t time.Time) string { return agoOf(p.plan, t) })
}

// expired describes which nodes expire, when, and when they are gone.
func (p *page) expired(of plan.Plan) {
	p.nodes("Expire, whatever budgets and windows say", expired(of), func(n plan.Node) string {
		gone := "gone at " + dayOf(of, n.Gone)
		if n.Gone.IsZero() {
			gone = "never gone: " + drainHeld(n)
		}
		return "at " + agoOf(of, n.Expires) + ", " + gone
	})
}

// expiredIn returns the nodes that expire in a lane, but are not to go otherwise.
func expiredIn(p plan.Plan, l lane) []plan.Node {
	return only(p.Expiring, func(n plan.Node) bool { return n.Pool == l.pool && n.Zone == l.zone && n.Outcome == plan.Done })
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
