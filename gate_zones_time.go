package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

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
	if z.replaced(g.Now, end) {
		return unknown
	}
	if !z.turns {
		return end
	}
	if z.in.overdue || reached(z.in.deadline, end) {
		end = unknown // it may be lent to overdue nodes then
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
	next := z.limit(z.selection(z.chosen.Domains, true, z.chosen.Kept, gives), gives) // if nothing happens until then
	if next.Allows(z.Turn.Domains[domain].Name, z.taken[domain]) {                    // none, or the others of its unit
		return gives
	}
	return unknown
}

// replaced reports whether another budget that is sequential, or has the same key, becomes active or inactive before a
// time. From then on, it may limit the domain or order the pool.
func (z *zoning) replaced(now, by time.Time) bool {
	for _, s := range z.in.scopes {
		if s.Index == z.written.Index || s.Key != z.written.Key && !s.Sequential {
			continue
		}
		if _, change := s.Window.Until(now); reached(change, by) && !change.Equal(by) {
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
	for _, p := range d.in.Pools() {
		for _, scope := range p.Within {
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
		for _, k := range p.Kinds {
			at = schedule.First(at, k.Lasts)
		}
	}
	return at
}
