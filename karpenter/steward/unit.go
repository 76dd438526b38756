package steward

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// Karpenter knows no units: it takes one node that has drifted in a pass. So all nodes of a unit are released at once, and those that have not
// drifted are made to drift before that. Repair is for the broken node alone, since its unit is broken with it. Consolidation is only for units
// all of whose nodes are empty, since Karpenter may take some nodes of a unit and not others.

// perNode is how much longer a release of a unit lasts for each of its nodes but one.
const perNode = 10 * time.Second

// cannotDrift keeps a unit of which a node could not follow the others.
var cannotDrift = candidate.Blocker{
	Gate: candidate.GateNode, Code: "cannot-drift",
	Message: "it has not drifted, and cannot be made to drift with its unit before Karpenter has written " + annotation.Hash +
		", of one version, on its NodePool and its NodeClaim",
}

// unite sets the units of the nodes.
func unite(shot *Snapshot, seen objects, facts []annotation.Facts) {
	keys := map[string]string{}
	for pool, p := range seen.policies {
		if p.UnitLabel != "" {
			keys[pool] = p.UnitLabel
		}
	}
	annotation.Unite(shot.Input.Nodes, keys, facts) // kubectl disruption reports what is wrong with the labels
}

// A team is the nodes of a unit that are not in flight.
type team struct {
	nodes []string
	rest  Rest // the last of theirs to end
	empty bool // all are
	drift bool // they have a reason for which they drift
}

// formTeams gives the nodes of each unit the reasons of the others, as decisions do.
func (p *planner) formTeams() {
	size := map[string]int{}
	for i := range p.Input.Nodes {
		size[p.Input.Nodes[i].Unit]++
	}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		if n.Unit == "" || n.InFlight() || size[n.Unit] == 1 {
			continue
		}
		if p.teams[n.Unit] == nil {
			p.teams[n.Unit] = &team{empty: true}
		}
		t := p.teams[n.Unit]
		t.nodes, p.unit[n.Name] = append(t.nodes, n.Name), n.Unit
		if r := p.Rests[n.Name]; r.until().After(t.rest.until()) {
			t.rest = r
		}
		t.empty = t.empty && has(n, candidate.Empty)
	}
	if len(p.teams) == 0 {
		return
	}
	follows := map[string][]candidate.Condition{}
	for c := range disruptkit.Open(p.Input, "").Candidates() {
		if c.Because != "" && !candidate.Unhealthy.Covers(c.Reason) {
			follows[c.Node] = append(follows[c.Node], candidate.Condition{Reason: c.Reason, Since: c.Since, Deadline: c.Deadline})
		}
	}
	p.Input.Nodes = slices.Clone(p.Input.Nodes)
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		more := follows[n.Name]
		p.follows[n.Name] = len(more) > 0 && !has(n, candidate.Drifted)
		n.Conditions = append(slices.Clip(n.Conditions), more...)
		if t := p.teams[p.unit[n.Name]]; t != nil {
			t.drift = t.drift || slices.ContainsFunc(drifting, func(r candidate.Reason) bool { return has(n, r) })
		}
		if p.follows[n.Name] && p.Ages[n.Name].Fixed {
			n.Blockers = append(slices.Clip(n.Blockers), cannotDrift)
		}
	}
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		if t := p.teams[p.unit[n.Name]]; t != nil && !t.empty && !t.drift {
			n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool { return !candidate.Unhealthy.Covers(c.Reason) })
		}
	}
}

// drifting are the methods for which the steward makes nodes drift, or that are drift.
var drifting = []candidate.Reason{candidate.Requested, candidate.Drifted, candidate.Expired}

// rest returns the rest of a node, or that of its unit.
func (p *planner) rest(node string) Rest {
	if t := p.teams[p.unit[node]]; t != nil {
		return t.rest
	}
	return p.Rests[node]
}

// parts reports whether a release of another node of the unit of a node is being taken back: all are released anew after that.
func (p *planner) parts(node string) bool {
	t := p.teams[p.unit[node]]
	return t != nil && slices.ContainsFunc(t.nodes, func(other string) bool {
		_, live := p.live[other]
		_, kept := p.kept[other]
		return live && !kept
	})
}

// settle keeps the nodes that were made to drift for a reason that they no longer have, and neither has their unit.
func (p *planner) settle() {
	p.Input.Nodes = slices.Clone(p.Input.Nodes)
	for i := range p.Input.Nodes {
		if n := &p.Input.Nodes[i]; p.over(n) {
			n.Blockers = append(slices.Clip(n.Blockers), settling)
		}
	}
}

// over reports whether a node was made to drift for a reason that it no longer has.
func (p *planner) over(n *candidate.Node) bool {
	a := p.Ages[n.Name]
	return a.over(p.now) && !n.InFlight() && !has(n, a.Drifts)
}

// alone returns the input without units, for repair.
func alone(in disruptkit.Input) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		in.Nodes[i].Unit = ""
	}
	return in
}

// possible returns the writes of a plan without releases of NodePools that may not release, and of nodes that do not drift yet, and those of
// other nodes of their units.
func (p Plan) possible(may map[string]bool) []Write {
	waits := func(w Write) bool {
		return (w.Kind == Release || w.Kind == ReleaseForRepair) && (!may[w.Pool] || p.Drift[w.Node] != "")
	}
	units := map[string]bool{}
	for _, w := range p.Writes {
		units[w.Unit] = units[w.Unit] || w.Unit != "" && w.Kind == Release && waits(w)
	}
	return slices.DeleteFunc(slices.Clone(p.Writes), func(w Write) bool { return waits(w) || w.Kind == Release && units[w.Unit] })
}
