package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// Zones is the gate of where nodes may go: budgets with a topology key limit each zone, rack or other domain on its own, and a
// sequential one lets a single domain roll at a time. The first active sequential budget orders a pool. (AZ-sequential RFC: "Only
// the first active sequential budget for a given NodePool is used.")
type Zones struct {
	pools    []*Pool
	byKind   [][]*Zoning // by Kind: those that limit it
	now      time.Time
	zonings  int                   // of all pools
	warnings [][]candidate.Warning // by pool
	limits   []Limits              // by pool
}

// A Zoning is an active budget with a topology key.
type Zoning struct {
	Turn  topology.Selection // whose turn it is, and how many may go where
	Scope budget.Scope
	Index int // among the zonings of all pools

	pool    *Pool
	written budget.Scope // Scope may order more reasons
	place   int          // in Pool.zonings

	census    *topology.Census
	domains   []int32 // of each node, the number of its domain in the census; below 0 the budget does not concern it
	positions []int   // of each number, where in Turn.Domains it is
	room      []int   // of each domain, how many may go
	taken     []int   // of each domain, how many go
	started   int     // how many go to which the budget applies
	strays    []int   // the domains, other than the active one, of those that go for what may be the budget's reason
	refusal   []refusal
}

// A refusal is what was last said of a domain, and what that depends on.
type refusal struct {
	blockers      []candidate.Blocker
	taken, strays int
}

// Limits are what time does to the budgets of a pool that have a topology key.
type Limits struct {
	End     time.Time // up to which the same of them are active; zero: for good
	Unzoned time.Time // End, if none is active then
}

// openZones finds the budgets with a topology key that are active and on which requests for the reason depend.
func openZones(pools []*Pool, in Input) *Zones {
	g := &Zones{pools: pools, now: in.Now, warnings: make([][]candidate.Warning, len(pools)), limits: make([]Limits, len(pools))}
	for _, p := range pools {
		if !p.Ambiguous && !in.Now.IsZero() { // at no time, nobody knows which are active, and other budgets let nothing go
			g.open(p, in.Reason)
		}
	}
	return g
}

func (g *Zones) open(p *Pool, reason candidate.Reason) {
	scopes := p.Budgets.Scopes("")
	g.checkReasons(p, scopes)
	concerned := func(s budget.Scope) bool { return p.Topology.MayApply(s, reason) }
	ordered := slices.ContainsFunc(scopes, func(s budget.Scope) bool { return s.Sequential && concerned(s) })
	limits := &g.limits[p.Index]
	for _, scope := range scopes {
		active, end := scope.State(g.now)
		if !p.Topology.Concerns(scope) {
			g.warnSequential(p, scope, candidate.CodeNoEffect,
				"sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted")
			continue
		}
		if !concerned(scope) && !ordered { // a turn depends on what all of them say
			continue
		}
		limits.End = until.First(limits.End, end)
		if !active {
			continue
		}
		z := &Zoning{pool: p, Scope: scope, written: scope, Index: g.zonings, place: len(p.zonings)}
		g.zonings++
		switch {
		case scope.Sequential && p.order != nil:
			p.order.join(scope)
			g.warnSeveral(p, scope)
		case scope.Sequential:
			p.order = z
		}
		p.zonings = append(p.zonings, z)
	}
	if ordered && p.order == nil {
		p.Roll.IdleSince = time.Time{} // nobody looked whether it is idle
	}
	if !slices.ContainsFunc(scopes, func(s budget.Scope) bool { active, _ := s.State(limits.End); return active }) {
		limits.Unzoned = limits.End
	}
}

// checkReasons makes sequential budgets order all reasons where it is not known which were meant.
func (g *Zones) checkReasons(p *Pool, scopes []budget.Scope) {
	for _, r := range p.Topology.Reasons {
		if len(scopes) > 0 && r != "" && !scopes[0].Knows(r) {
			g.warnings[p.Index] = append(g.warnings[p.Index], candidate.Warning{
				Code: candidate.CodeUnknownReason, Field: "topology.reasons", Value: string(r),
				Message: fmt.Sprintf("reason %.100q is not known, and sequential budgets order all reasons: write Drifted, or what candidate.ParseReason returns", r),
			})
			p.Topology.Reasons = []candidate.Reason{""}
			return
		}
	}
}

func (g *Zones) warnSeveral(p *Pool, scope budget.Scope) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.Scope.Key {
		effect = "does so for this one's reasons, too: write one budget for all of them"
	}
	g.warnSequential(p, scope, candidate.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s", p.Budgets.Place(p.order.Scope.Index), effect))
}

func (g *Zones) warnSequential(p *Pool, scope budget.Scope, code, message string) {
	g.warnings[p.Index] = append(g.warnings[p.Index], candidate.Warning{
		Code: code, Field: p.Budgets.Place(scope.Index) + ".sequential", Value: "true",
		Message: fmt.Sprintf("%s: %s", scope, message),
	})
}

// Warnings returns what is wrong with a pool's budgets for domains.
func (g *Zones) Warnings(p *Pool) []candidate.Warning { return g.warnings[p.Index] }

// Limits returns what time does to a pool's budgets for domains.
func (g *Zones) Limits(p *Pool) Limits { return g.limits[p.Index] }

// join orders what a later sequential budget on the same key names, too: its reasons are not let loose.
func (z *Zoning) join(later budget.Scope) {
	switch {
	case later.Key != z.Scope.Key:
	case len(later.Reasons) == 0 || len(z.Scope.Reasons) == 0:
		z.Scope.Reasons = nil
	default:
		z.Scope.Reasons = slices.Concat(z.Scope.Reasons, later.Reasons)
	}
}

// Orders reports whether the zoning is what makes the pool's domains take turns.
func (z *Zoning) Orders() bool { return z.pool.order == z }

// limits reports whether a zoning limits requests for a reason. A second sequential budget on the key of the one that orders
// the pool is ignored for what that names itself; else it caps each of its domains.
func (z *Zoning) limits(reason candidate.Reason) bool {
	order := z.pool.order
	if z.Scope.Sequential && !z.Orders() && z.Scope.Key == order.Scope.Key && z.pool.Topology.Applies(order.written, reason) {
		return false
	}
	return z.applies(reason)
}

func (z *Zoning) applies(reason candidate.Reason) bool {
	return z.pool.Topology.Applies(z.Scope, reason)
}

// zoned reports whether domains are limited for a reason. A nil Pool has none.
func (p *Pool) zoned(reason candidate.Reason) bool {
	return p != nil && slices.ContainsFunc(p.zonings, func(z *Zoning) bool { return z.applies(reason) })
}

// Judge returns what holds the request back in its domains.
func (g *Zones) Judge(r *Request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	var blockers []candidate.Blocker
	for _, z := range g.byKind[r.Kind.Index] {
		if i := r.Domain(z); i >= 0 {
			blockers = joined(blockers, z.Blockers(i))
		}
	}
	return blockers
}

// Blockers returns what holds back the next request of a domain. Requests share the answer.
func (z *Zoning) Blockers(i int) []candidate.Blocker {
	if z.taken[i] < z.room[i] && len(z.strays) == 0 {
		return nil
	}
	said := &z.refusal[i]
	if said.blockers == nil || said.taken != z.taken[i] || said.strays != len(z.strays) {
		b, blocked := z.Turn.Blocker(z.Turn.Domains[i].Name, z.taken[i])
		if !blocked {
			b = z.waitsForStray(i)
		}
		*said = refusal{[]candidate.Blocker{b}, z.taken[i], len(z.strays)}
	}
	return said.blockers
}

// waitsForStray holds back a request of the active domain once a node of another goes whose reason the budget may be about:
// when that is in flight, its domain is rolling, and no other may start.
func (z *Zoning) waitsForStray(i int) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain,
		Message: fmt.Sprintf("%s waits for %s, where a node may go now that may be part of the roll",
			z.Turn.Domains[i].Title(), z.Turn.Domains[z.strays[0]].Title()),
	}
}

// Go counts a node that goes, for whatever reason, against the limits of its domains.
func (g *Zones) Go(r *Request) {
	for _, z := range r.Pool.zonings {
		i := r.Domain(z)
		if i < 0 {
			continue
		}
		z.taken[i]++
		if z.limits(r.Reason()) {
			z.started++
		}
		if z.straysTo(i, r.Reason()) {
			z.strays = append(z.strays, i)
		}
	}
}

// Return takes Go back.
func (g *Zones) Return(r *Request) {
	for _, z := range r.Pool.zonings {
		i := r.Domain(z)
		if i < 0 {
			continue
		}
		z.taken[i]--
		if z.limits(r.Reason()) {
			z.started--
		}
		if z.straysTo(i, r.Reason()) {
			z.strays = z.strays[:len(z.strays)-1]
		}
	}
}

// straysTo reports whether a node that goes in a domain may set a second one rolling.
func (z *Zoning) straysTo(i int, reason candidate.Reason) bool {
	return z.Orders() && z.Turn.Domains[i].Name != z.Turn.Active && z.pool.Topology.MayApply(z.Scope, reason)
}

// Orders reports whether the turns of domains depend on a kind of requests.
func (g *Zones) Orders(k *Kind) bool { return k.Pool.order != nil && k.Pool.order.applies(k.Reason) }

// Of returns the zonings that limit a kind of requests.
func (g *Zones) Of(k *Kind) []*Zoning { return g.byKind[k.Index] }

// Rolls returns where the rolls of the pools stand after this decision. While no budget orders a pool for the reason asked
// for, its roll stays where it is.
func (g *Zones) Roll(p *Pool) topology.Roll {
	if p.order == nil {
		return p.Roll
	}
	return p.order.Turn.Next(p.order.started > 0)
}

// All returns the zonings of a pool, in the order of its budgets.
func (g *Zones) All(p *Pool) []*Zoning { return p.zonings }

// Applies reports whether a zoning counts nodes that go for a reason.
func (z *Zoning) Applies(reason candidate.Reason) bool { return z.applies(reason) }

// Room returns how many nodes of a domain may go, and Taken how many do.
func (z *Zoning) Room(i int) int  { return z.room[i] }
func (z *Zoning) Taken(i int) int { return z.taken[i] }

// Domain returns the position of the request's domain in a zoning of its pool; below 0 the budget does not concern it.
func (r *Request) Domain(z *Zoning) int {
	if number := z.domains[r.at]; number >= 0 {
		return z.positions[number]
	}
	return -1
}
