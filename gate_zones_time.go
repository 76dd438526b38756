package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// blockers returns what blocks the next request of a domain. Requests share the answer.
func (g *zoneGate) blockers(z *zoning, domain int) []candidate.Blocker {
	taken := z.taken[domain]
	if taken < z.room[domain] {
		return nil
	}
	last := &z.refusal[domain]
	if last.blockers == nil || last.taken != taken || last.disrupted != g.disrupted {
		b := z.Refusal(z.Turn, domain, taken)
		b.Until = g.lifts(z, domain, b)
		*last = zoneRefusal{[]candidate.Blocker{b}, taken, g.disrupted}
	}
	return last.blockers
}

// lifts returns when a blocker of a domain lifts if only time passes. Turns depend on too much else: a turn has a time
// only while its domain rolls under a budget whose window ends, or if it gives way before anything else can change a
// turn, and to this domain. Otherwise the time is unknown.
func (g *zoneGate) lifts(z *zoning, domain int, b candidate.Blocker) (unknown time.Time) {
	if b.ForGood {
		return unknown
	}
	var end time.Time // of the budget
	if !z.lent {
		_, end = z.scope.Window.Until(g.now)
	}
	if z.replaced(g.now, end) {
		return unknown
	}
	if !z.TakesTurns() {
		return end
	}
	if p := &g.pools[z.in.Index]; p.overdue || reached(p.validity.Deadline, end) {
		end = unknown // it may be lent to overdue nodes then
	}
	gives := z.order.Turn.GivesWay
	switch {
	case z.order.rolls():
		return end
	case g.disrupted > 0 || gives.IsZero():
		return unknown
	case reached(g.turnsChange(z.order), gives) || reached(end, gives):
		return unknown
	}
	if next := z.at(gives); next.Allows(z.Turn.Domains[domain].Name, 0) {
		return gives
	}
	return unknown
}

// replaced reports whether another budget that is sequential, or has the same key, becomes active, or no longer is,
// before a time. From then on, another one may limit the domain or order the pool.
func (z *zoning) replaced(now, by time.Time) bool {
	for _, s := range z.in.Budgets.Scopes("") {
		if s.Index == z.scope.Index || s.Key != z.scope.Key && !s.Sequential {
			continue
		}
		if _, change := s.Window.Until(now); reached(change, by) && !change.Equal(by) {
			return true
		}
	}
	return false
}

// rolls reports whether nodes of the active domain are in flight, or are disrupted now. Then only events end its turn.
func (z *zoning) rolls() bool {
	if z.started > 0 {
		return true
	}
	for i := range z.Turn.Domains {
		if d := &z.Turn.Domains[i]; z.Turn.Chosen && d.Rolling > 0 {
			return true
		}
	}
	return false
}

// turnsChange returns from when on time alone may change the turn of a zoning, other than by its own patience and soak.
func (g *zoneGate) turnsChange(z *zoning) (at time.Time) {
	for _, p := range z.in.Pools() {
		for _, scope := range p.Within {
			if scope == nil {
				continue
			}
			other := &g.pools[scope.Index]
			at = schedule.First(at, schedule.First(other.validity.End, other.validity.Deadline))
			for _, one := range other.zonings {
				at = schedule.First(at, one.Turn.NextFree)
				if one != z {
					at = schedule.First(at, one.Turn.GivesWay)
				}
			}
		}
		for _, k := range p.Kinds {
			at = schedule.First(at, k.Lasts)
		}
	}
	return at
}

// Until returns when the budgets that may limit the request, or a turn, may next change.
func (g *zoneGate) Until(r *request) (end time.Time) {
	for _, scope := range r.Scopes() {
		end = schedule.First(end, g.pools[scope.Index].nextChange())
	}
	return end
}

// NextChange returns when time alone may first change a turn, or the budgets that limit domains.
func (g *zoneGate) NextChange() (next time.Time) {
	for i := range g.pools {
		next = schedule.First(next, g.pools[i].nextChange())
	}
	return next
}

func (p *zonedPool) nextChange() (next time.Time) {
	next = p.validity.End
	for _, z := range p.zonings {
		next = schedule.First(next, schedule.First(z.Turn.NextChange, z.Turn.NextFree))
	}
	return next
}
