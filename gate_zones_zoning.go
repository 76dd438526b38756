package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A zoning is a budget with a topology key that is active, or lent to overdue nodes.
type zoning struct {
	Turn  topology.Selection // whose turn it is, and how many may go where
	Index int                // among the zonings of all pools

	in      *scope       // whose budget it is: a pool, or a group
	scope   budget.Limit // with the reasons of all zonings that share its turns
	written budget.Limit // as configured
	options topology.Options
	order   *zoning   // if sequential: the zoning that makes the pool's domains take turns, itself or an earlier one
	sharing []*zoning // of that zoning only: itself, and later sequential ones with its key
	lent    bool      // the budget is not active

	unlabelled unlabelled

	applied applied // the last answer of Applies

	census    *topology.Census
	located         // where the nodes are in the census
	positions []int // for each such number, the position of the domain in Turn.Domains

	room    []int // for each domain, how many nodes may be disrupted
	taken   []int // for each domain, how many requests are
	started int   // how many requests are disrupted that its turns depend on
	refusal []zoneRefusal
}

// A zoneRefusal is the last answer for a domain, with the counts that it depends on.
type zoneRefusal struct {
	blockers         []candidate.Blocker
	taken, disrupted int
}

// Orders reports whether this is the zoning that makes the pool's domains take turns.
func (z *zoning) Orders() bool { return z.order == z }

// TakesTurns reports whether domains take turns for the zoning: it orders them, or shares the turns of the one that
// does.
func (z *zoning) TakesTurns() bool { return z.order != nil && z.order.scope.Key == z.scope.Key }

// applied is the last answer of Applies: almost all requests have the reason of the one before.
type applied struct {
	known, applies bool
	reason         candidate.Reason
}

// Applies reports whether the zoning's answers depend on nodes that are to go for a reason.
func (z *zoning) Applies(reason candidate.Reason) bool {
	if !z.applied.known || z.applied.reason != reason {
		z.applied = applied{true, z.options.Applies(z.scope, reason), reason}
	}
	return z.applied.applies
}

// limitsReason reports whether the zoning limits requests for a reason. Of several that share turns, the first that
// names the reason does. Later ones are ignored for it. ("If multiple sequential budgets are defined, the first active
// one wins": AZ-sequential RFC, Limitations.) One that is for a child of the reason does in any case: nodes of the
// reason may be of the child.
func (z *zoning) limitsReason(reason candidate.Reason) bool {
	if !z.TakesTurns() {
		return z.Applies(reason)
	}
	if !z.options.Applies(z.written, reason) || !z.written.Covers(reason) {
		return z.options.Applies(z.written, reason)
	}
	names := func(s *zoning) bool { return z.options.Applies(s.written, reason) && s.written.Covers(reason) }
	return z.order.sharing[slices.IndexFunc(z.order.sharing, names)] == z
}

// share lets domains take turns for the reasons of a later zoning, too.
func (z *zoning) share(later *zoning) {
	if later.scope.Key != z.scope.Key {
		return
	}
	z.sharing = append(z.sharing, later)
	if len(later.written.Reasons) == 0 || len(z.scope.Reasons) == 0 {
		z.scope.Reasons = nil
	} else {
		z.scope.Reasons = slices.Concat(z.scope.Reasons, later.written.Reasons)
	}
	for _, s := range z.sharing {
		s.scope.Reasons, s.applied = z.scope.Reasons, applied{}
	}
}

// Domain returns the position in Turn.Domains of the domain of a request. It is negative if the budget does not concern
// the node. A node that no budget counts takes its turn all the same, and a place of it: when it goes, its domain is
// rolling.
func (z *zoning) Domain(r *request) int {
	if r.Uncounted() && !z.TakesTurns() {
		return -1
	}
	if number := z.domains[r.Position]; number >= 0 {
		return z.positions[number]
	}
	return -1
}

// Refusal returns what blocks one more node of a domain while a turn lasts. What the domain that it waits for waits for
// itself depends on the limits that decided the turn: the widest of all zonings that share it.
func (z *zoning) Refusal(turn topology.Selection, domain, taken int) candidate.Blocker {
	name := z.Turn.Domains[domain].Name
	b, _ := turn.Blocker(name, taken)
	if b.Code == candidate.CodeWaitsForDomain && z.TakesTurns() {
		turn.Domains = z.order.widest(turn.Domains)
		wide, _ := turn.Blocker(name, taken)
		b.Message = wide.Message
	}
	return z.in.Said(b)
}

// elsewhere reports whether it is another domain's turn than that of a request, so that the zoning lets none of its
// domain's nodes start. A request in the active domain may wait for others, too, but only until those are gone.
func (z *zoning) elsewhere(domain int) bool {
	return z.TakesTurns() && z.Turn.Chosen && z.Turn.Active != z.Turn.Domains[domain].Name
}

// count counts a request that is disrupted: n is 1, or -1 to take it back.
func (z *zoning) count(r *request, n int) {
	domain := z.Domain(r)
	if domain < 0 {
		return
	}
	z.taken[domain] += n
	if z.Applies(r.CountsFor()) {
		z.started += n
	}
}

// choose decides whose turn it is, once all nodes are counted.
func (z *zoning) choose(roll topology.Roll, now time.Time) {
	domains, positions := z.census.Domains()
	z.open(positions, z.turn(z.Orders(), z.limited(domains), roll, now))
}

// limitAlone opens a zoning as if nobody had the turn.
func (z *zoning) limitAlone(now time.Time) {
	domains, positions := z.census.Domains()
	z.open(positions, z.turn(false, z.limited(domains), topology.Roll{}, now))
}

// limitAs opens a zoning with the counts of another one that shares its turns. Nobody has the turn yet.
func (z *zoning) limitAs(counted *zoning, now time.Time) {
	z.open(counted.positions, z.turn(false, z.limited(counted.Turn.Domains), topology.Roll{}, now))
}

// follow opens a zoning again, with the turn of the one that orders it.
func (z *zoning) follow() { z.open(z.positions, z.following(z.order.Turn)) }

func (z *zoning) open(positions []int, turn topology.Selection) {
	z.positions, z.Turn = positions, turn
	n := len(turn.Domains)
	z.taken, z.room, z.refusal = make([]int, n), make([]int, n), make([]zoneRefusal, n)
	for i := range turn.Domains {
		if turn.Allows(turn.Domains[i].Name, 0) {
			z.room[i] = turn.Domains[i].Remaining
		}
	}
}

// at returns whose turn it is at a later time, if nothing happens until then. Its domains are those of now.
func (z *zoning) at(now time.Time) topology.Selection {
	if z.TakesTurns() && !z.Orders() {
		return z.following(z.order.at(now))
	}
	turn := z.turn(z.Orders(), z.Turn.Domains, z.Turn.Kept, now)
	turn.Domains = z.Turn.Domains
	return turn
}

// turn decides whose turn it is, if domains take turns, and limits each.
func (z *zoning) turn(turns bool, domains []topology.Domain, roll topology.Roll, now time.Time) topology.Selection {
	scope := z.scope
	scope.Sequential = turns // only the first sequential budget orders the pool
	turn := topology.SelectActiveZone(scope, z.widest(domains), roll, z.options, now)
	turn.Domains = domains
	switch {
	case z.lent && z.written.Of(1) == 0:
		turn.Rule += ", not active now, but overdue nodes take its turns, one at a time"
	case z.lent:
		turn.Rule += ", not active now, but overdue nodes take its turns"
	}
	return turn
}

// following returns the turn of another zoning, with the limits and the name of this one.
func (z *zoning) following(turn topology.Selection) topology.Selection {
	turn.Budget, turn.Rule, turn.Domains = z.Turn.Budget, z.Turn.Rule, z.limited(turn.Domains)
	return turn
}

// allowed returns how many nodes of a domain with so many may go at once. A budget that is lent forbids nothing by
// itself, since it is not active: it allows at least one.
func (z *zoning) allowed(nodes int) int {
	allowed := z.written.Of(nodes)
	if z.lent {
		return max(1, allowed)
	}
	return allowed
}

// limited returns domains with the zoning's own limits.
func (z *zoning) limited(domains []topology.Domain) []topology.Domain {
	return limited(domains, z.allowed)
}

// widest returns domains with the widest limits of all zonings that share turns. Whether a domain's nodes may start is
// up to the limits of their own reasons. If only those of one reason may, it is the domain's turn all the same.
func (z *zoning) widest(domains []topology.Domain) []topology.Domain {
	if len(z.sharing) < 2 {
		return domains
	}
	return limited(domains, func(nodes int) (most int) {
		for _, s := range z.sharing {
			most = max(most, s.allowed(nodes))
		}
		return most
	})
}

func limited(domains []topology.Domain, allowed func(nodes int) int) []topology.Domain {
	domains = slices.Clone(domains)
	for i := range domains {
		d := &domains[i]
		d.Allowed = allowed(d.Nodes)
		d.Remaining = max(0, d.Allowed-d.InFlight)
	}
	return domains
}
