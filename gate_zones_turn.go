package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/memory"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// Open counts the nodes of each domain, and decides which has the turn. The gate opens last, because a turn depends on
// what blocks nodes at all other gates whatever else is disrupted: on nodes and their pods, and on budgets that never
// allow a node.
//
// Groups choose first, and pools last. If a domain has the turn in a group, no turn within the group waits for nodes of
// another domain. So overlapping groups never wait for each other: each follows those before it.
func (g *zoneGate) Open() {
	for i := range g.pools {
		p := &g.pools[i]
		for _, member := range g.Scopes[i].Members {
			for _, k := range member.Kinds {
				p.lasting = schedule.First(p.lasting, k.LastingUntil)
			}
		}
	}
	g.byKind = make([][]*zoning, len(g.Kinds))
	for _, k := range g.Kinds {
		if k.Pool.Grouped() {
			continue
		}
		for _, z := range g.within[k.Pool.Index] {
			if z.limitsReason(k.Reason) {
				g.byKind[k.Index] = append(g.byKind[k.Index], z)
			}
		}
	}
	for layer := range g.Layers {
		g.locate(layer)
		g.choose(layer, false) // a turn depends on the limits of all others
	}
	for i := range g.Layers {
		layer := (i + 1) % g.Layers
		g.wait(layer)
		g.choose(layer, true)
	}
	for i := range g.pools {
		g.warnUnlabelled(&g.pools[i])
	}
}

// choose sets the turns of the scopes of a layer, or, without turns, only how many nodes each domain allows.
func (g *zoneGate) choose(layer int, turns bool) {
	for i := range g.pools {
		p := &g.pools[i]
		for _, d := range p.divisions {
			if p.Layer == layer {
				d.choose(turns && d.turns, p.roll, g.Now)
			}
		}
	}
}

// locate finds the domains of all nodes for the scopes of a layer, and counts the nodes in them.
func (g *zoneGate) locate(layer int) {
	for place := 0; ; place++ {
		divisions := g.at(layer, place)
		if divisions == nil {
			return
		}
		key := "" // most pools have the same
		domains, waits := make([]int32, len(g.Nodes)), make([]bool, len(g.Nodes))
		for _, d := range divisions {
			if d != nil { // all share the lists, since each node is in one of them
				key = d.limit.Key
				d.domains, d.waits = domains, waits
				d.census = topology.NewCensus(d.limit, d.in.options, g.Now)
			}
		}
		name := func(n *candidate.Node) int { return memory.Touch(n.Labels[key]) }
		for i, n := range memory.ReadAhead(g.Nodes, name) {
			if at := g.Owners[i]; at >= 0 && divisions[at] != nil {
				domain, waiting := divisions[at].census.Count(g.unlessNamesake(n))
				domains[i], waits[i] = int32(domain), waiting
			}
		}
	}
}

// at returns, for each pool, the division at a position in the list of the pool, or of its group in a layer, or nil. If
// no pool has one, it returns nothing.
func (g *zoneGate) at(layer, place int) (divisions []*division) {
	for i, p := range g.Pools {
		if scope := p.ByLayer[layer]; scope != nil && place < len(g.pools[scope.Index].divisions) {
			if divisions == nil {
				divisions = make([]*division, len(g.Pools))
			}
			divisions[i] = g.pools[scope.Index].divisions[place]
		}
	}
	return divisions
}

// unlessNamesake returns the node, or, if others have its name and it is not in flight, a copy that is not counted.
func (g *zoneGate) unlessNamesake(n *candidate.Node) *candidate.Node {
	if g.Namesakes == nil || n.Disrupting(candidate.Unhealthy) || !g.Namesakes[n.Name] {
		return n
	}
	uncounted := *n
	uncounted.Pool = ""
	return &uncounted
}

// wait passes to the divisions of a layer what blocks the nodes for which a roll may wait.
func (g *zoneGate) wait(layer int) {
	if g.at(layer, 0) == nil {
		return
	}
	rest := g.Requests
	for len(rest) > 0 {
		n, node := 1, rest[0].Position
		for n < len(rest) && rest[n].Position == node {
			n++
		}
		if p := rest[0].Pool; p != nil && p.ByLayer[layer] != nil {
			for _, d := range g.pools[p.ByLayer[layer].Index].divisions {
				if d.waits[node] {
					d.census.Wait(int(d.domains[node]), rest[0].Node, g.least(d, rest[:n]))
				}
			}
		}
		rest = rest[n:]
	}
}

// least returns the blockers of a node for the reason whose blockers weigh least. Among equal reasons, the oldest
// counts, and among these the first by name.
func (g *zoneGate) least(d *division, requests []request) (least []candidate.Blocker) {
	var of *request
	var weight int
	var lifts time.Time
	for i := range requests {
		r := &requests[i]
		if !d.Applies(r.Reason()) {
			continue
		}
		blockers := g.lasting(d, r)
		w, at := weigh(blockers)
		if of == nil || cmp.Or(w-weight, at.Compare(lifts), r.Since.Compare(of.Since),
			cmp.Compare(r.Condition.Reason, of.Condition.Reason)) <= 0 {
			of, least, weight, lifts = r, blockers, w, at
		}
	}
	return least
}

// lasting returns what blocks a request whatever else is disrupted: the node itself, its pods, a pause of its domain,
// and budgets of its pool that allow nothing. A domain in which all nodes are blocked by these is idle, and gives way
// after the patience.
func (g *zoneGate) lasting(d *division, r *request) []candidate.Blocker {
	blockers := r.Lasting()
	if !d.turns {
		return blockers
	}
	blockers = joined(blockers, g.others(r))
	for m := range r.members() {
		if m.Kind != nil {
			blockers = joined(blockers, g.lastingOthers(d, m))
		}
	}
	return blockers
}

// lastingOthers returns what other budgets for domains say of a request whatever else is disrupted.
func (g *zoneGate) lastingOthers(d *division, r *request) (blockers []candidate.Blocker) {
	for _, other := range g.byKind[r.Kind.Index] {
		i := other.domain(r)
		switch {
		case i < 0:
			continue
		case other.tooSmall(i, r):
			blockers = joined(blockers, g.unitRefusal(other, i, other.size(r)))
			continue
		case other.division == d && len(d.shares) < 2 || other.room[i] > 0:
			continue // its own limit is that of the whole domain
		}
		b, turn, domain := other.Refusal(i, 0), &other.Turn, &other.Turn.Domains[i]
		switch {
		case other.in == d.in:
		case turn.Chosen && turn.Active != domain.Name:
			b.Code = candidate.CodePaused // as a pause of the domain: no turn waits for it
		case b.Code == candidate.CodeWaitsForDomain && domain.Remaining > 0:
			continue // the domain has the turn, and is allowed once others are gone
		}
		blockers = joined(blockers, []candidate.Blocker{b})
	}
	return blockers
}

// turnsForAny returns what blocks a request, and the rest of its unit, if it counts for an unknown reason: it may be
// part of a roll, so another domain must neither have the turn nor such a node.
func (row *row) turnsForAny(r *request) (blockers []candidate.Blocker) {
	for m := range r.members() {
		if m.Kind == nil {
			continue
		}
		for _, z := range row.Zones.within[m.Pool.Index] {
			if i := z.domain(m); z.turns && i >= 0 {
				blockers = joined(blockers, row.turnForAny(z, i))
			}
		}
	}
	return blockers
}

// turnForAny returns what blocks one more node for an unknown reason in a domain.
func (row *row) turnForAny(z *zoning, domain int) []candidate.Blocker {
	if z.room[domain] == 0 {
		if said := row.Zones.refusal(z, domain); said[0].Code == candidate.CodeWaitsForDomain {
			return said
		}
	}
	for _, o := range row.Disrupted {
		if !o.ForAny || o.Pool.ByLayer[z.in.Layer] != z.in.scope {
			continue
		}
		if other := z.domain(o); other >= 0 && other != domain {
			return []candidate.Blocker{z.waitsForUnknown(domain, other, o.Name)}
		}
	}
	return nil
}

// waitsForUnknown returns the blocker of a domain while a node of another one is disrupted for an unknown reason.
func (z *zoning) waitsForUnknown(domain, other int, node string) candidate.Blocker {
	own, first := z.Turn.Domains[domain], z.Turn.Domains[other]
	return z.in.Said(candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain,
		Message: fmt.Sprintf("%s waits for %s, where %s is disrupted for an unknown reason: %s", own, first,
			wording.Quote(node), z.Turn.Rule),
		Source: &candidate.Source{Budgets: []int{z.written.Index}, Key: z.written.Key, WaitsFor: first.Name},
	})
}

// weigh returns how heavy blockers are, and when time lifts them. The lightest are none; then those that time lifts,
// the sooner the lighter; then those that something else has to lift; then a pause, for which no roll waits; the
// heaviest are for good.
func weigh(blockers []candidate.Blocker) (weight int, at time.Time) {
	at, lifts := candidate.LiftsAt(blockers)
	switch {
	case len(blockers) == 0:
		return 0, at
	case slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood }):
		return 4, at
	case slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }):
		return 3, at
	case lifts:
		return 1, at
	}
	return 2, at
}

// lifts returns when a blocker of a domain lifts if only time passes. It is known only while the active domain rolls
// under a budget whose window ends, or if that domain gives way to this one before anything else can change a turn.
func (g *zoneGate) lifts(z *zoning, domain int, b candidate.Blocker) (unknown time.Time) {
	if b.ForGood {
		return unknown
	}
	var end time.Time // of the budget
	if !z.lent {
		_, end = z.written.Window.Until(g.Now)
	}
	if !end.IsZero() && z.replaced(g.Now, end) {
		return unknown
	}
	if z.written.Sequential && (z.in.overdue || reached(z.in.deadline, end)) {
		end = unknown // it may be lent to overdue nodes then
	}
	if !z.turns {
		return end
	}
	gives := z.chosen.GivesWay
	switch {
	case z.rolls(domain):
		return end
	case len(g.united) > 0: // what blocks a node of another pool may change the turn
		return unknown
	case g.disrupted > 0 || gives.IsZero() || reached(g.turnsChange(z.division), gives) || reached(end, gives):
		return unknown
	}
	then := z.selection(z.chosen.Domains, true, z.chosen.Kept, gives) // if nothing happens until then
	next := z.turnOf(then, gives)
	if next.Allows(z.Turn.Domains[domain].Name, z.used(domain)) { // none, or the others of its unit
		return gives
	}
	return unknown
}

// replaced reports whether another budget that is sequential, or has the same key, becomes active or inactive before a
// time, or ever if that is zero. From then on, it may limit the domain or order the pool.
func (z *zoning) replaced(now, by time.Time) bool {
	for _, s := range z.in.limits {
		if s.Index == z.written.Index || s.Key != z.written.Key && !s.Sequential {
			continue
		}
		if _, change := s.Window.Until(now); !change.IsZero() && (by.IsZero() || change.Before(by)) {
			return true
		}
	}
	return false
}

// rolls reports whether nodes of any domain are in flight, or are disrupted now. Then only events move the turn, unless
// another domain rolls and the active one is idle.
func (d *division) rolls(domain int) bool {
	rolling := func(d topology.Domain) bool { return d.Rolling > 0 }
	own := d.chosen.Domains[domain]
	return d.started > 0 || d.chosen.Chosen && slices.ContainsFunc(d.chosen.Domains, rolling) &&
		(own.Rolling == 0 || own.Name == d.chosen.Active)
}

// turnsChange returns when time alone may change the turn of a division, other than by its patience and soak.
func (g *zoneGate) turnsChange(d *division) (at time.Time) {
	for _, p := range d.in.Members {
		for _, scope := range p.ByLayer {
			if scope == nil {
				continue
			}
			other := &g.pools[scope.Index]
			at = schedule.First(at, schedule.First(other.end, other.deadline))
			for _, z := range other.zonings {
				at = schedule.First(at, z.Turn.NextFree)
				if z != d.shares[0] {
					at = schedule.First(at, z.Turn.GivesWay)
				}
			}
		}
	}
	return schedule.First(at, d.in.lasting)
}
