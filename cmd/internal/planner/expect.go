package planner

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// An Outlook plans when nodes of a cluster start, for other commands than plan. As in plan, Consolidatable nodes are not planned to be
// consolidated. Durations are given by flags, or measured, or defaults.
type Outlook struct {
	Guesses string // the durations that are neither given nor measured

	cluster *manifest.Cluster
	in      disruptkit.Input
	options plan.Options
}

// NewOutlook returns the outlook of a cluster.
func NewOutlook(cluster *manifest.Cluster, as engine.Engine, in disruptkit.Input, d Durations, given func(flag string) bool) (Outlook, error) {
	o := &options{}
	if _, err := d.set(&o.model); err != nil {
		return Outlook{}, err
	}
	in, _ = o.leaveOut(in)
	seen := measure(cluster, in)
	l := Outlook{defaults(in, seen.known(given)), cluster, in, unmeasured(cluster, as, o.model)}
	l.options.Model = seen.model(l.options.Model, given, in.Now)
	return l, nil
}

// Of returns when a node starts; nil: it is not to start, as far as can be planned.
func (l Outlook) Of(n candidate.Node) *plan.Expectation {
	e, found := plan.Expect(l.in, l.options, n.Pool, n.Name)
	if !found {
		return nil
	}
	e.Node = namedBy(plan.Plan{Nodes: []plan.Node{e.Node}}, func(n *plan.Node, b *candidate.Blocker) []string {
		return Using(l.cluster, l.in, Users(l.in, n.Pool, b, n.Reason))
	}).Nodes[0]
	e = inZone(e, l.in.Now.Location())
	return &e
}

// leaves describes when a node in flight is gone, or what holds up its drain. It is planned and given.
func leaves(n plan.Node, given *candidate.Node, from time.Time) string {
	p := plan.Plan{From: from}
	switch over := Outlived(given, from); {
	case over != "":
		return over
	case n.Gone.IsZero():
		return "not gone until this changes: " + why(n)
	case !n.Killed.IsZero():
		return fmt.Sprintf("gone %s, when its grace period ends, and what is left on it is killed. Until then its drain waits: %s", dayOf(p, n.Gone), drainHeld(n))
	}
	return "expected to be gone by " + dayOf(p, n.Gone)
}

// Expected describes when a given node is expected to be disrupted, or why it never is.
func Expected(e plan.Expectation, given *candidate.Node, from time.Time) string {
	if e.Stopped {
		return "when it is expected would take long to plan: kubectl disruption plan -o json has it"
	}
	p, s := plan.Plan{From: from}, e.Starts
	text := "expected " + dayOf(p, e.Start)
	switch {
	case e.InFlight:
		return leaves(e.Node, given, from)
	case e.Start.IsZero() && e.Outcome == plan.Never:
		return "not expected until this changes: " + why(e.Node)
	case e.Start.IsZero():
		return "not expected within 90 days: " + why(e.Node)
	case e.Node.OnlyExpires():
		text += ", because it expires"
	case s.Late.IsZero():
		text += ", and in 1 of 10 runs not at all"
	case differ(s):
		text += fmt.Sprintf(" (8 of 10 runs: %s to %s)", clockOf(p, e.Start, s.Early), clockOf(p, s.Early, s.Late))
	}
	if e.Drains() {
		text += "; " + why(e.Node)
	}
	return text
}
