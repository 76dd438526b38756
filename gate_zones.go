package disruptkit

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// zoneGate is the gate of zones: the budgets with a topology key.
type zoneGate struct {
	*fleet
	lasts  func(*request) []candidate.Blocker // row.lasting
	pools  []zonedPool                        // by scope
	dues   []due                              // by scope, once needed
	within [][]*zoning                        // by pool: its zonings, in budget order, then its groups'
	byKind [][]*zoning                        // by kind: the zonings that limit it

	disrupted int // how many requests the session disrupts
	counted   int // how often requests were counted or uncounted
}

// A zonedPool is a pool, or a group, and its budgets with a topology key.
type zonedPool struct {
	*scope
	roll      topology.Roll
	options   topology.Options
	scopes    []budget.Limit // all of these budgets, active or not
	ordered   bool           // a turn may depend on all of them
	counts    bool           // some of them concern the requests, now or later
	zonings   []*zoning      // of active budgets, and of those lent to overdue nodes
	divisions []*division    // the domains of the zonings
	order     *division      // the division whose domains take turns, or nil
	warnings  []candidate.Warning

	overdue  bool      // some request may be overdue
	deadline time.Time // when the next request is overdue, which changes the next turn; zero: never
	end      time.Time // when the first of these budgets opens or closes; zero: never
}

// Allows reports whether all zonings allow the request in its domains.
func (g *zoneGate) Allows(r *request) bool {
	if r.Kind == nil {
		return true
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.domain(r); i >= 0 && z.taken[i] >= z.room[i] {
			return false
		}
	}
	return true
}

// tooSmall reports whether a domain never allows as many nodes as the request's unit has there.
func (z *zoning) tooSmall(domain int, r *request) bool {
	size := z.size(r)
	return size > 1 && size > z.Turn.Domains[domain].Allowed
}

// size returns how many nodes of the request's unit its domain counts.
func (z *zoning) size(r *request) int {
	if r.unit == nil {
		return 1
	}
	return r.unit.size(func(m *request) bool {
		return m.Kind != nil && slices.Contains(z.in.Pools(), m.Pool) && z.domain(m) == z.domain(r)
	})
}

// Blockers returns what blocks the request in the domains of its node.
func (g *zoneGate) Blockers(r *request) (blockers []candidate.Blocker) {
	if r.Kind == nil {
		return nil
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.domain(r); i >= 0 && z.taken[i] >= z.room[i] {
			said := g.refusal(z, i)
			if size := z.size(r); size > 1 && z.room[i] > 0 {
				said = g.unitRefusal(z, i, size)
			}
			if !repeats(blockers, said[0]) {
				blockers = joined(blockers, said)
			}
		}
	}
	return blockers
}

// repeats reports whether an earlier blocker already has the turn that this one waits for.
func repeats(before []candidate.Blocker, b candidate.Blocker) bool {
	return b.Code == candidate.CodeWaitsForDomain && slices.ContainsFunc(before, func(o candidate.Blocker) bool {
		return o.Code == b.Code && o.Source.Key == b.Source.Key && o.Source.Group == b.Source.Group
	})
}

// refusal returns what blocks the next request of a domain. Requests share the answer.
func (g *zoneGate) refusal(z *zoning, domain int) []candidate.Blocker {
	last := &z.refusals[domain]
	if last.blockers == nil || last.counted != g.counted {
		b := z.Refusal(domain, z.taken[domain])
		b.Until = g.lifts(z, domain, b)
		*last = zoneRefusal{[]candidate.Blocker{b}, g.counted}
	}
	return last.blockers
}

// unitRefusal returns what blocks a unit with so many nodes in a domain that has its turn.
func (g *zoneGate) unitRefusal(z *zoning, domain, size int) []candidate.Blocker {
	b := z.Refusal(domain, z.taken[domain])
	b.Until = g.lifts(z, domain, b)
	d := z.Turn.Domains[domain]
	b.Message = z.in.Of() + fmt.Sprintf("its unit has %d nodes, and %d of %s in %s may be disrupted at once: %s", size,
		d.Allowed, wording.Count(d.Nodes, "node"), wording.Quote(d.Name), z.Turn.Rule)
	if d.Allowed < size {
		b.Code = codeUnitTooLarge
	}
	return []candidate.Blocker{b}
}

// Count counts a node against the limits of its domains, whatever the reason.
func (g *zoneGate) Count(r *request, n int) {
	g.counted++
	if !g.Together {
		g.disrupted += n
	}
	for _, z := range g.within[r.Pool.Index] {
		if i := z.domain(r); i >= 0 {
			z.taken[i] += n
			if z.Applies(r.CountsFor()) && !g.Together {
				z.started += n
			}
		}
	}
}

// Own returns the zonings of a pool or a group that limit a kind of requests.
func (g *zoneGate) Own(k *kind) (own []*zoning) {
	for _, z := range g.pools[k.Pool.Index].zonings {
		if z.limitsReason(k.Reason) {
			own = append(own, z)
		}
	}
	return own
}

// Roll returns the roll of a pool after this decision. If no active budget orders the pool for the decision's reason,
// the roll does not change.
func (g *zoneGate) Roll(p *scope) topology.Roll {
	switch z := &g.pools[p.Index]; {
	case z.order == nil:
		return z.roll
	case z.order.started > 0:
		return z.order.chosen.Started
	default:
		return z.order.chosen.Kept
	}
}

// Warnings returns the faults of a pool's budgets for domains.
func (g *zoneGate) Warnings(p *scope) []candidate.Warning { return g.pools[p.Index].warnings }

// Watches reports whether the domains of a pool are limited for a reason.
func (g *zoneGate) Watches(p *scope, reason candidate.Reason) bool {
	return slices.ContainsFunc(g.within[p.Index], func(z *zoning) bool { return z.Applies(reason) })
}

// Until returns when the budgets that may limit the request, or a turn, may next change.
func (g *zoneGate) Until(r *request) (end time.Time) {
	for _, scope := range r.Pool.Scopes {
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
	if p.counts {
		next = schedule.First(p.end, p.deadline)
	}
	for _, d := range p.divisions {
		next = schedule.First(next, schedule.First(d.chosen.NextChange, d.chosen.NextFree))
	}
	return next
}
