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
	written budget.Scope // as configured; scope may have more reasons (join)
	options topology.Options
	order   *Zoning // nil if not sequential; otherwise the zoning that makes the pool's domains take turns: itself or an earlier one
	place   int     // among the zonings of its pool

	census    *topology.Census
	domains   []int32 // for each node, the number of its domain in the census; below 0: the budget does not concern the node
	positions []int   // for each such number, the position of the domain in Turn.Domains

	room     []int // for each domain, how many nodes may go
	taken    []int // for each domain, how many requests go
	started  int   // how many requests go that the budget limits
	strays   []int // for each domain, how many requests stray there (StraysTo)
	straying int   // in all domains
	refusal  []refusal
}

// A refusal is the last answer for a domain, with the counts that it depends on.
type refusal struct {
	blockers         []candidate.Blocker
	taken, elsewhere int
}

// Orders reports whether this is the zoning that makes the pool's domains take turns.
func (z *Zoning) Orders() bool { return z.order == z }

// Applies reports whether the zoning counts nodes that go for a reason.
func (z *Zoning) Applies(reason candidate.Reason) bool { return z.options.Applies(z.scope, reason) }

// limits reports whether the zoning limits requests for a reason. Let a second sequential budget have the same key as the one that
// orders the pool. The second is ignored for reasons that the first names. For its other reasons it limits each domain.
func (z *Zoning) limits(reason candidate.Reason) bool {
	ignored := z.order != nil && z.order != z && z.scope.Key == z.order.scope.Key && z.options.Applies(z.order.written, reason)
	return !ignored && z.Applies(reason)
}

// join adds the reasons of a later sequential budget with the same key, so that domains take turns for them, too.
func (z *Zoning) join(later budget.Scope) {
	switch {
	case later.Key != z.scope.Key:
	case len(later.Reasons) == 0 || len(z.scope.Reasons) == 0:
		z.scope.Reasons = nil
	default:
		z.scope.Reasons = slices.Concat(z.scope.Reasons, later.Reasons)
	}
}

// Domain returns the position in Turn.Domains of the domain of a request. It is negative if the budget does not concern the node. A
// node that no budget counts takes its turn all the same, and a place of it: when it goes, its domain is rolling.
func (z *Zoning) Domain(r *Request) int {
	if r.uncounted && !z.Orders() {
		return -1
	}
	if number := z.domains[r.at]; number >= 0 {
		return z.positions[number]
	}
	return -1
}

// Room returns how many nodes of a domain may go. Taken returns how many of its requests go.
func (z *Zoning) Room(domain int) int  { return z.room[domain] }
func (z *Zoning) Taken(domain int) int { return z.taken[domain] }

// Blockers returns what holds back the next request of a domain. Requests share the answer.
func (z *Zoning) Blockers(domain int) []candidate.Blocker {
	elsewhere := z.straying - z.strays[domain]
	if z.taken[domain] < z.room[domain] && elsewhere == 0 {
		return nil
	}
	said := &z.refusal[domain]
	if said.blockers == nil || said.taken != z.taken[domain] || said.elsewhere != elsewhere {
		b, blocked := z.Turn.Blocker(z.Turn.Domains[domain].Name, z.taken[domain])
		if !blocked {
			b = z.waitsForStray(domain)
		}
		*said = refusal{[]candidate.Blocker{b}, z.taken[domain], elsewhere}
	}
	return said.blockers
}

// waitsForStray holds back a request of the active domain after a stray: a node of another domain that goes, perhaps for a reason
// that the budget orders. Once the stray is in flight, its domain is rolling, and no other domain may start.
func (z *Zoning) waitsForStray(domain int) candidate.Blocker {
	other := 0
	for other == domain || z.strays[other] == 0 {
		other++
	}
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain,
		Source: &candidate.Source{
			Budgets: []int{z.Turn.Budget}, Key: z.Turn.Key, Domain: z.Turn.Domains[domain].Name, WaitsFor: z.Turn.Domains[other].Name,
		},
		Message: fmt.Sprintf("%s waits for %s, where a node may go now that may be part of the roll",
			z.Turn.Domains[domain].Title(), z.Turn.Domains[other].Title()),
	}
}

// StraysTo reports whether a node that goes in a domain for a reason may set that domain rolling out of turn: the budget does not
// apply to the reason, but to a child of it, and nobody knows of which child the node is.
func (z *Zoning) StraysTo(domain int, reason candidate.Reason) bool {
	itsTurn := z.Turn.Chosen && z.Turn.Domains[domain].Name == z.Turn.Active
	return z.Orders() && !itsTurn && !z.Applies(reason) && z.options.MayApply(z.scope, reason)
}

// goes counts a request that goes.
func (z *Zoning) goes(r *Request) {
	domain := z.Domain(r)
	if domain < 0 {
		return
	}
	z.taken[domain]++
	if z.limits(r.Reason()) {
		z.started++
	}
	if z.StraysTo(domain, r.Reason()) {
		z.strays[domain]++
		z.straying++
	}
}

// returns undoes goes.
func (z *Zoning) returns(r *Request) {
	domain := z.Domain(r)
	if domain < 0 {
		return
	}
	z.taken[domain]--
	if z.limits(r.Reason()) {
		z.started--
	}
	if z.StraysTo(domain, r.Reason()) {
		z.strays[domain]--
		z.straying--
	}
}

// choose decides whose turn it is, once all nodes are counted.
func (z *Zoning) choose(roll topology.Roll, now time.Time) {
	domains, positions := z.census.Domains()
	z.positions = positions
	z.Turn = z.turn(domains, roll, now)
	z.taken, z.room, z.strays = make([]int, len(domains)), make([]int, len(domains)), make([]int, len(domains))
	z.refusal = make([]refusal, len(domains))
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
	scope.Sequential = z.Orders() // only the first sequential budget orders the pool
	return topology.SelectActiveZone(scope, domains, roll, z.options, now)
}
