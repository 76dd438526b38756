package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Zoning is an active budget with a topology key.
type Zoning struct {
	Turn  topology.Selection // whose turn it is, and how many may go where
	Index int                // among the zonings of all pools

	scope   budget.Scope
	written budget.Scope // scope may order more reasons
	options topology.Options
	order   *Zoning // what makes the pool's domains take turns, if this one, too, is written to: this one, or an earlier one
	place   int     // among the zonings of its pool

	census    *topology.Census
	domains   []int32 // of each node, the number of its domain in the census; below 0 the budget does not concern it
	positions []int   // of each number, where in Turn.Domains it is

	room    []int // of each domain, how many may go
	taken   []int // of each domain, how many go
	started int   // how many go to which the budget applies
	strays  []int // the domains, other than the active one, of those that go for what may be the budget's reason
	refusal []refusal
}

// A refusal is what was last said of a domain, and what that depends on.
type refusal struct {
	blockers      []candidate.Blocker
	taken, strays int
}

// Orders reports whether the zoning is what makes the pool's domains take turns.
func (z *Zoning) Orders() bool { return z.order == z }

// Applies reports whether the zoning counts nodes that go for a reason.
func (z *Zoning) Applies(reason candidate.Reason) bool { return z.options.Applies(z.scope, reason) }

// limits reports whether the zoning limits requests for a reason. A second sequential budget on the key of the one that orders
// the pool is ignored for what that names itself; else it caps each of its domains.
func (z *Zoning) limits(reason candidate.Reason) bool {
	ignored := z.order != nil && z.order != z && z.scope.Key == z.order.scope.Key && z.options.Applies(z.order.written, reason)
	return !ignored && z.Applies(reason)
}

// join orders what a later sequential budget on the same key names, too: its reasons are not let loose.
func (z *Zoning) join(later budget.Scope) {
	switch {
	case later.Key != z.scope.Key:
	case len(later.Reasons) == 0 || len(z.scope.Reasons) == 0:
		z.scope.Reasons = nil
	default:
		z.scope.Reasons = slices.Concat(z.scope.Reasons, later.Reasons)
	}
}

// Domain returns where in Turn.Domains the domain of a request is; below 0 the budget does not concern it.
func (z *Zoning) Domain(r *Request) int {
	if number := z.domains[r.at]; number >= 0 {
		return z.positions[number]
	}
	return -1
}

// Room returns how many nodes of a domain may go, and Taken how many do.
func (z *Zoning) Room(domain int) int  { return z.room[domain] }
func (z *Zoning) Taken(domain int) int { return z.taken[domain] }

// Blockers returns what holds back the next request of a domain. Requests share the answer.
func (z *Zoning) Blockers(domain int) []candidate.Blocker {
	if z.taken[domain] < z.room[domain] && len(z.strays) == 0 {
		return nil
	}
	said := &z.refusal[domain]
	if said.blockers == nil || said.taken != z.taken[domain] || said.strays != len(z.strays) {
		b, blocked := z.Turn.Blocker(z.Turn.Domains[domain].Name, z.taken[domain])
		if !blocked {
			b = z.waitsForStray(domain)
		}
		*said = refusal{[]candidate.Blocker{b}, z.taken[domain], len(z.strays)}
	}
	return said.blockers
}

// waitsForStray holds back a request of the active domain once a node of another goes whose reason the budget may be about:
// when that is in flight, its domain is rolling, and no other may start.
func (z *Zoning) waitsForStray(domain int) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain,
		Message: fmt.Sprintf("%s waits for %s, where a node may go now that may be part of the roll",
			z.Turn.Domains[domain].Title(), z.Turn.Domains[z.strays[0]].Title()),
	}
}

// straysTo reports whether a node that goes in a domain may set a second one rolling.
func (z *Zoning) straysTo(domain int, reason candidate.Reason) bool {
	return z.Orders() && z.Turn.Domains[domain].Name != z.Turn.Active && z.options.MayApply(z.scope, reason)
}

// goes counts a node that goes.
func (z *Zoning) goes(r *Request) {
	domain := z.Domain(r)
	if domain < 0 {
		return
	}
	z.taken[domain]++
	if z.limits(r.Reason()) {
		z.started++
	}
	if z.straysTo(domain, r.Reason()) {
		z.strays = append(z.strays, domain)
	}
}

// returns takes goes back.
func (z *Zoning) returns(r *Request) {
	domain := z.Domain(r)
	if domain < 0 {
		return
	}
	z.taken[domain]--
	if z.limits(r.Reason()) {
		z.started--
	}
	if z.straysTo(domain, r.Reason()) {
		z.strays = z.strays[:len(z.strays)-1]
	}
}

// choose decides whose turn it is, once all nodes are counted.
func (z *Zoning) choose(roll topology.Roll, now time.Time) {
	domains, positions := z.census.Domains()
	z.positions = positions
	z.Turn = z.turn(domains, roll, now)
	z.taken, z.room, z.refusal = make([]int, len(domains)), make([]int, len(domains)), make([]refusal, len(domains))
	for i := range domains {
		if z.Turn.Allows(domains[i].Name, 0) {
			z.room[i] = domains[i].Remaining
		}
	}
}

// At returns whose turn it is at a later time, if nothing happens until then.
func (z *Zoning) At(now time.Time) topology.Selection {
	return z.turn(z.Turn.Domains, z.Turn.Kept, now)
}

func (z *Zoning) turn(domains []topology.Domain, roll topology.Roll, now time.Time) topology.Selection {
	scope := z.scope
	scope.Sequential = z.Orders() // a later one concerns the same reasons, and orders none
	return topology.SelectActiveZone(scope, domains, roll, z.options, now)
}
