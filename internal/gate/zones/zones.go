// Package zones is the gate of where nodes may go. Budgets with a topology key limit each zone, rack or other domain on
// its own. A sequential one also lets only one domain roll at a time.
package zones

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/topology"
)

// Gate is the gate of zones.
type Gate struct {
	fleet  *gate.Fleet
	lasts  func(*gate.Request) []candidate.Blocker // what all gates that are gate.Lasting say
	now    time.Time
	pools  []zonedPool // by scope
	within [][]*Zoning // by pool: its zonings, and those of its groups
	byKind [][]*Zoning // by Kind: the zonings that limit it
	count  int         // of zonings

	disrupted int // how many requests the session disrupts
}

// A zonedPool is a pool, or a group, and its active budgets with a topology key.
type zonedPool struct {
	*gate.Pool
	roll     topology.Roll
	zonings  []*Zoning // in the order of the budgets
	order    *Zoning   // the zoning that makes domains take turns, or nil
	validity validity
	overdue  bool // some request may be overdue
	counts   bool // some of these budgets concern the requests, now or later
	warnings []candidate.Warning

	scopes  []budget.Scope // all its budgets with a topology key, active or not
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
func (g *Gate) Allows(r *gate.Request) bool {
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
func (g *Gate) Blockers(r *gate.Request) (blockers []candidate.Blocker) {
	if g.Allows(r) {
		return nil
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.Domain(r); i >= 0 {
			if said := g.blockers(z, i); !repeats(blockers, said) {
				blockers = gate.Joined(blockers, said)
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
func (g *Gate) Count(r *gate.Request, n int) {
	g.disrupted += n
	for _, z := range g.all(r.Pool) {
		z.count(r, n)
	}
}

// all returns the zonings that a pool's nodes are in: its own, in the order of its budgets, then those of its groups.
func (g *Gate) all(p *gate.Pool) []*Zoning { return g.within[p.Index] }

// gather finds those zonings of each pool.
func (g *Gate) gather() {
	g.within = make([][]*Zoning, len(g.fleet.Pools))
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
func (g *Gate) at(layer, place int) []*Zoning {
	all := make([]*Zoning, len(g.fleet.Pools))
	for i, p := range g.fleet.Pools {
		if scope := p.Within[layer]; scope != nil && place < len(g.pools[scope.Index].zonings) {
			all[i] = g.pools[scope.Index].zonings[place]
		}
	}
	return all
}

// Own returns the zonings of a pool or a group that limit a kind of requests.
func (g *Gate) Own(k *gate.Kind) (own []*Zoning) {
	for _, z := range g.pools[k.Pool.Index].zonings {
		if z.limitsReason(k.Reason) {
			own = append(own, z)
		}
	}
	return own
}

// Roll returns where the roll of a pool stands after this decision. If no active budget orders the pool for the reason
// asked for, the roll stays in its domain.
func (g *Gate) Roll(p *gate.Pool) topology.Roll {
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
func (g *Gate) Warnings(p *gate.Pool) []candidate.Warning { return g.pools[p.Index].warnings }

// Watches reports whether the domains of a pool are limited for a reason.
func (g *Gate) Watches(p *gate.Pool, reason candidate.Reason) bool {
	for _, z := range g.all(p) {
		if z.Applies(reason) {
			return true
		}
	}
	return false
}
