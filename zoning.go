package disruptkit

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// A zoning is an active budget with a topology key while a decision is made.
type zoning struct {
	pool   *pool
	scope  budget.Scope
	limits budget.Scope       // as written: scope may order more reasons
	orders bool               // the pool's roll is its
	turn   topology.Selection // whose turn it is
	next   topology.Selection // whose it is once turn.GivesWay has come, if nothing else happens before

	taken   map[string]int // of each domain, the nodes that may go
	waiting map[string]int // of each domain, the nodes that time alone lets go next
	started bool           // a node that it applies to may go
	said    map[string]told
}

// told is what was last said to a candidate of a domain, and what it depends on.
type told struct {
	blockers []candidate.Blocker
	taken    int
	waiting  int
}

// findZonings finds the active budgets with a topology key, and keeps those that may concern a reason. The first that is
// sequential orders the pool; on later ones, see heeds. (AZ-sequential RFC: "Only the first active sequential budget for
// a given NodePool is used.")
func (p *pool) findZonings(reason candidate.Reason) {
	scopes := p.Budgets.Scopes("")
	p.checkReasons(scopes)
	concerned := func(s budget.Scope) bool { return p.Topology.MayApply(s, reason) }
	ordered := slices.ContainsFunc(scopes, func(s budget.Scope) bool { return s.Sequential && concerned(s) })
	for _, scope := range scopes {
		active, end := scope.State(p.now)
		if !p.Topology.Concerns(scope) {
			p.warnNoEffect(scope)
			continue
		}
		if !concerned(scope) && !(ordered && scope.Sequential) { // others of a sequential one decide which one orders
			continue
		}
		p.zonesEnd = until.First(p.zonesEnd, end)
		if !active {
			continue
		}
		z := &zoning{pool: p, scope: scope, limits: scope, taken: map[string]int{}, waiting: map[string]int{}, said: map[string]told{}}
		switch {
		case scope.Sequential && p.order != nil:
			p.order.join(scope)
			p.warnSeveralSequential(scope)
		case scope.Sequential:
			p.order, z.orders = z, true
		}
		p.zonings = append(p.zonings, z)
	}
	if ordered && p.order == nil {
		p.roll.IdleSince = time.Time{} // nobody looked whether it is idle
	}
	if !slices.ContainsFunc(scopes, func(s budget.Scope) bool { active, _ := s.State(p.zonesEnd); return active }) {
		p.unzoned = p.zonesEnd
	}
}

// zoned reports whether domains are limited for a reason. A nil pool has none.
func (p *pool) zoned(reason candidate.Reason) bool {
	return p != nil && slices.ContainsFunc(p.zonings, func(z *zoning) bool { return z.applies(reason) })
}

// checkReasons makes sequential budgets order all reasons where it is not known which were meant.
func (p *pool) checkReasons(scopes []budget.Scope) {
	for _, r := range p.Topology.Reasons {
		if len(scopes) > 0 && r != "" && !scopes[0].Knows(r) {
			p.warnings = append(p.warnings, candidate.Warning{
				Code: candidate.CodeUnknownReason, Field: "topology.reasons", Value: string(r),
				Message: fmt.Sprintf("reason %.100q is not known, and sequential budgets order all reasons: write Drifted, or what candidate.ParseReason returns", r),
			})
			p.Topology.Reasons = []candidate.Reason{""}
			return
		}
	}
}

func (p *pool) warnNoEffect(scope budget.Scope) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: candidate.CodeNoEffect, Field: fmt.Sprintf("budgets[%d].sequential", scope.Index), Value: "true",
		Message: fmt.Sprintf("%s: sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted", scope),
	})
}

func (p *pool) warnSeveralSequential(scope budget.Scope) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.scope.Key {
		effect = "does so for this one's reasons, too: write one budget for all of them"
	}
	p.warnings = append(p.warnings, candidate.Warning{
		Code: candidate.CodeSeveralSequential, Field: fmt.Sprintf("budgets[%d].sequential", scope.Index), Value: "true",
		Message: fmt.Sprintf("%s: the first active sequential budget, budgets[%d], orders the pool, and %s",
			scope, p.order.scope.Index, effect),
	})
}

// join orders what a later sequential budget on the same key names, too: its reasons are not let loose.
func (z *zoning) join(later budget.Scope) {
	switch {
	case later.Key != z.scope.Key:
	case len(later.Reasons) == 0 || len(z.scope.Reasons) == 0:
		z.scope.Reasons = nil
	default:
		z.scope.Reasons = slices.Concat(z.scope.Reasons, later.Reasons)
	}
}

// heeds reports whether a zoning limits candidates of a reason. A second sequential budget on the key of the one that
// orders the pool is ignored for what that names itself; else it caps each of its domains.
func (z *zoning) heeds(reason candidate.Reason) bool {
	if order := z.pool.order; z.scope.Sequential && !z.orders && z.scope.Key == order.scope.Key && z.pool.Topology.Applies(order.limits, reason) {
		return false
	}
	return z.applies(reason)
}

func (z *zoning) applies(reason candidate.Reason) bool {
	return z.pool.Topology.Applies(z.scope, reason)
}

// selects counts the pool's nodes, and decides whose turn it is.
func (z *zoning) selects(requests []request) {
	p, scope := z.pool, z.scope
	domains := topology.Domains(z.nodes(requests), scope, p.Topology, p.now)
	scope.Sequential = z.orders
	z.turn = topology.SelectActiveZone(scope, domains, p.roll, p.Topology, p.now)
	if end := z.turn.GivesWay; !end.IsZero() && z.lasts(end) {
		z.next = topology.SelectActiveZone(scope, domains, z.turn.Kept, p.Topology, end)
	}
}

// lasts reports whether time alone changes nothing else up to a time, that time included.
func (z *zoning) lasts(end time.Time) bool {
	changed := func(at time.Time) bool { return !at.IsZero() && !at.After(end) }
	return !changed(z.pool.zonesEnd) &&
		!slices.ContainsFunc(z.turn.Domains, func(d topology.Domain) bool { return changed(d.NextFree) })
}

// nodes yields the pool's nodes, each with what holds it back for the reason for which that is least. One of several
// nodes of the same name is not counted, unless it is in flight.
func (z *zoning) nodes(requests []request) iter.Seq2[*candidate.Node, []candidate.Blocker] {
	return func(yield func(*candidate.Node, []candidate.Blocker) bool) {
		for _, m := range z.pool.members {
			n := m.node
			if m.duplicate && !n.Deleting {
				uncounted := *n
				uncounted.Initialized = false
				n = &uncounted
			}
			if !yield(n, z.least(requests[m.from:m.to])) {
				return
			}
		}
	}
}

// least returns what holds back a node for the reason for which that is least; of several, for the oldest.
func (z *zoning) least(requests []request) []candidate.Blocker {
	var least []candidate.Blocker
	var of *request
	for i := range requests {
		r := &requests[i]
		if !z.applies(r.condition.Reason) {
			continue
		}
		blockers := z.lasting(r)
		if of == nil || cmp.Or(weight(blockers)-weight(least), r.compare(of)) < 0 {
			least, of = blockers, r
		}
	}
	return least
}

// lasting returns what holds back a node itself, and what of its pool's budgets may do so without an end: nobody is to
// wait for it then. (A domain where it is to go is idle, and gives way after the patience.)
func (z *zoning) lasting(r *request) []candidate.Blocker {
	blockers := r.blockers
	if !z.orders {
		return blockers
	}
	if p := z.pool; p.never(r.condition.Reason) {
		blockers = joined(blockers, []candidate.Blocker{{
			Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Message: "budgets never let it go for " + string(r.condition.Reason),
		}})
	}
	for _, other := range z.pool.zonings {
		domain, concerned := other.domain(r.node)
		if other == z || !concerned || !other.heeds(r.condition.Reason) || other.turn.Allows(domain, 0) {
			continue
		}
		b, _ := other.turn.Blocker(domain, 0)
		blockers = joined(blockers, []candidate.Blocker{b})
	}
	return blockers
}

// weight is how much blockers hold back: not at all, for a while, or for good.
func weight(blockers []candidate.Blocker) int {
	switch {
	case len(blockers) == 0:
		return 0
	case slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return b.ForGood }):
		return 2
	}
	return 1
}

// blockers returns what holds back the next candidate of a node, and the earliest time at which time alone may change
// that, if it can. Candidates share the answer. Of one that budgets alone hold back, up to a time, it also says what
// will hold it back then.
func (z *zoning) blockers(n *candidate.Node, at time.Time, onlyBudgets bool) (blockers []candidate.Blocker, earliest time.Time) {
	domain, concerned := z.domain(n)
	if !concerned {
		return nil, time.Time{}
	}
	earliest = until.First(z.pool.zonesEnd, z.turn.NextChange)
	if z.turn.Allows(domain, z.taken[domain]) {
		switch {
		case !onlyBudgets:
			return nil, time.Time{}
		case !z.turn.NextChange.IsZero() && !z.turn.NextChange.After(at):
			return []candidate.Blocker{z.pool.turnUnknown()}, earliest
		case !z.turn.Allows(domain, z.taken[domain]+z.waiting[domain]):
			return []candidate.Blocker{z.exhausted(domain)}, earliest
		}
		return nil, time.Time{}
	}
	said := z.said[domain]
	if said.blockers == nil || said.taken != z.taken[domain] || said.waiting != z.waiting[domain] {
		said = told{z.says(domain), z.taken[domain], z.waiting[domain]}
		z.said[domain] = said
	}
	return said.blockers, earliest
}

// says tells what holds back the next candidate of a domain: until when, if time alone lifts it for certain, and whose
// turn comes first once the active domain gives way.
func (z *zoning) says(domain string) []candidate.Blocker {
	b, _ := z.turn.Blocker(domain, z.taken[domain])
	switch {
	case b.ForGood:
	case b.Until.IsZero():
		b.Until = z.pool.unzoned
	case !z.next.Allows(domain, z.taken[domain]+z.waiting[domain]):
		return []candidate.Blocker{b, z.after(domain)}
	}
	return []candidate.Blocker{b}
}

// after tells what holds back the next candidate of a domain once the active one has given way.
func (z *zoning) after(domain string) candidate.Blocker {
	if !z.next.Chosen {
		return z.pool.turnUnknown()
	}
	b, _ := z.next.Blocker(domain, z.taken[domain]+z.waiting[domain])
	b.Message, b.Until = "after that, "+b.Message, z.pool.unzoned
	return b
}

// turnUnknown holds back a candidate after something else has lifted.
func (p *pool) turnUnknown() candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Until: p.unzoned,
		Message: "whose turn it is after that depends on what happens until then",
	}
}

// exhausted holds back a candidate for longer than the budgets of the whole pool.
func (z *zoning) exhausted(domain string) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Until: z.pool.unzoned,
		Message: "nodes in flight and older candidates use up what may go in " + topology.Domain{Name: domain}.Title() + " after that",
	}
}

func (z *zoning) domain(n *candidate.Node) (name string, concerned bool) {
	return z.pool.Topology.Domain(n, z.scope.Key)
}

// take counts a node that may go, for whatever reason, against the limits of its domains.
func (p *pool) take(n *candidate.Node, q *quota) {
	for _, z := range p.zonings {
		if domain, concerned := z.domain(n); concerned {
			z.taken[domain]++
			z.started = z.started || slices.Contains(q.zonings, z)
		}
	}
}

// wait counts a node that time alone will let go.
func (p *pool) wait(n *candidate.Node) {
	for _, z := range p.zonings {
		domain, concerned := z.domain(n)
		before := z.taken[domain] + z.waiting[domain]
		if concerned && (z.turn.Allows(domain, before) || z.next.Allows(domain, before)) {
			z.waiting[domain]++ // one for whom there is no room goes later
		}
	}
}

// rolls returns the rolls for the next decision. While no budget orders a pool for the reason asked for, its roll stays
// where it is; so do those of pools that are not in the input.
func (ps pools) rolls(last map[string]topology.Roll) map[string]topology.Roll {
	rolls := map[string]topology.Roll{}
	maps.Copy(rolls, last)
	for _, p := range ps {
		rolls[p.Name] = p.roll
		if p.order != nil {
			rolls[p.Name] = p.order.turn.Next(p.order.started)
		}
	}
	maps.DeleteFunc(rolls, func(_ string, r topology.Roll) bool { return r.Key == "" })
	if len(rolls) == 0 {
		return nil
	}
	return rolls
}

// nextZoneChange returns when time alone may first change whose turn it is, the numbers behind that, or which domains are
// limited.
func (ps pools) nextZoneChange() time.Time {
	var next time.Time
	for _, p := range ps {
		next = until.First(next, p.zonesEnd)
		for _, z := range p.zonings {
			next = until.First(next, z.turn.NextChange)
			for _, d := range z.turn.Domains {
				next = until.First(next, d.NextFree)
			}
		}
	}
	return next
}
