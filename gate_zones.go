package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// zoneGate is the gate of zones.
type zoneGate struct {
	fleet  *fleet
	lasts  func(*request) []candidate.Blocker // what all gates that are lasting say
	now    time.Time
	pools  []zonedPool // by scope
	within [][]*zoning // by pool: its zonings, and those of its groups
	byKind [][]*zoning // by Kind: the zonings that limit it
	count  int         // of zonings

	disrupted int // how many requests the session disrupts
}

// A zonedPool is a pool, or a group, and its active budgets with a topology key.
type zonedPool struct {
	*scope
	roll     topology.Roll
	zonings  []*zoning // in the order of the budgets
	order    *zoning   // the zoning that makes domains take turns, or nil
	validity validity
	overdue  bool // some request may be overdue
	counts   bool // some of these budgets concern the requests, now or later
	warnings []candidate.Warning

	scopes  []budget.Limit // all its budgets with a topology key, active or not
	options topology.Options
	ordered bool // a turn may depend on all of them
}

// A validity is how long the active budgets with a topology key of a pool, and the turns that they give, stay the same.
type validity struct {
	// End is when the first of them opens or closes, or a node becomes overdue, which changes the next turn. Zero is
	// never.
	End time.Time
	// Deadline is when the next request of the pool is overdue; zero: never. End is no later.
	Deadline time.Time
}

// Allows reports whether all zonings have room for the request in its domains.
func (g *zoneGate) Allows(r *request) bool {
	if r.Kind == nil {
		return true
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.Domain(r); i >= 0 && z.taken[i] >= z.room[i] {
			return false
		}
	}
	return true
}

// Blockers returns what blocks the request in the domains of its node.
func (g *zoneGate) Blockers(r *request) (blockers []candidate.Blocker) {
	if g.Allows(r) {
		return nil
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.Domain(r); i >= 0 {
			if said := g.blockers(z, i); !repeats(blockers, said) {
				blockers = joined(blockers, said)
			}
		}
	}
	return blockers
}

// repeats reports whether a zoning says again that a request waits for a turn that it shares with an earlier one.
func repeats(before, said []candidate.Blocker) bool {
	return len(before) > 0 && len(said) > 0 && said[0].Code == candidate.CodeWaitsForDomain &&
		slices.ContainsFunc(before, func(b candidate.Blocker) bool {
			return b.Code == said[0].Code && b.Source.Key == said[0].Source.Key &&
				b.Source.Group == said[0].Source.Group
		})
}

// Count counts a node against the limits of its domains, whatever the reason for which it is disrupted.
func (g *zoneGate) Count(r *request, n int) {
	g.disrupted += n
	for _, z := range g.all(r.Pool) {
		z.count(r, n)
	}
}

// all returns the zonings that a pool's nodes are in: its own, in the order of its budgets, then those of its groups.
func (g *zoneGate) all(p *scope) []*zoning { return g.within[p.Index] }

// gather finds those zonings of each pool.
func (g *zoneGate) gather() {
	g.within = make([][]*zoning, len(g.fleet.Pools))
	for i, p := range g.fleet.Pools {
		for _, scope := range p.Within {
			switch {
			case scope == nil:
			case g.within[i] == nil:
				g.within[i] = g.pools[scope.Index].zonings
			default:
				g.within[i] = append(slices.Clip(g.within[i]), g.pools[scope.Index].zonings...)
			}
		}
	}
}

// at returns, for each pool, the zoning at a place in the order of its budgets, or of those of its group in a layer, or
// nil.
func (g *zoneGate) at(layer, place int) []*zoning {
	all := make([]*zoning, len(g.fleet.Pools))
	for i, p := range g.fleet.Pools {
		if scope := p.Within[layer]; scope != nil && place < len(g.pools[scope.Index].zonings) {
			all[i] = g.pools[scope.Index].zonings[place]
		}
	}
	return all
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

// Roll returns where the roll of a pool stands after this decision. If no active budget orders the pool for the reason
// asked for, the roll stays in its domain.
func (g *zoneGate) Roll(p *scope) topology.Roll {
	z := &g.pools[p.Index]
	if z.order == nil {
		return z.roll
	}
	if z.order.started > 0 {
		return z.order.Turn.Started
	}
	return z.order.Turn.Kept
}

// Warnings returns what is wrong with a pool's budgets for domains.
func (g *zoneGate) Warnings(p *scope) []candidate.Warning { return g.pools[p.Index].warnings }

// Watches reports whether the domains of a pool are limited for a reason.
func (g *zoneGate) Watches(p *scope, reason candidate.Reason) bool {
	for _, z := range g.all(p) {
		if z.Applies(reason) {
			return true
		}
	}
	return false
}
