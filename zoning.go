package disruptkit

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// A zoning is an active budget with a topology key while a decision is made.
type zoning struct {
	pool    *pool
	scope   budget.Scope
	written budget.Scope // scope may order more reasons

	turn topology.Selection // whose turn it is
	next topology.Selection // whose it is once turn.GivesWay has come, if nothing else happens before

	closes time.Time // when the first window of the pods of its nodes closes

	taken   map[string]int // of each domain, the nodes that may go
	waiting map[string]int // of each domain, the nodes that time alone lets go next
	started bool           // a node that it applies to may go
	stray   bool           // a node outside of the active domain may go, for a reason that may be the budget's
	astray  string         // the domain of the first of them
	said    map[string]told
}

// findZonings finds the active budgets with a topology key on which a decision for a reason depends. The first that is
// sequential orders the pool; on later ones, see heeds. (AZ-sequential RFC: "Only the first active sequential budget for
// a given NodePool is used.")
func (p *pool) findZonings(reason candidate.Reason) {
	if p.now.IsZero() {
		return // nobody knows whose turn it is, and the budgets let nothing go
	}
	scopes := p.Budgets.Scopes("")
	p.checkReasons(scopes)
	concerned := func(s budget.Scope) bool { return p.Topology.MayApply(s, reason) }
	ordered := slices.ContainsFunc(scopes, func(s budget.Scope) bool { return s.Sequential && concerned(s) })
	for _, scope := range scopes {
		active, end := scope.State(p.now)
		if !p.Topology.Concerns(scope) {
			p.warnSequential(scope, candidate.CodeNoEffect,
				"sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted")
			continue
		}
		if !concerned(scope) && !ordered { // a turn depends on what all of them say
			continue
		}
		p.zonesEnd = until.First(p.zonesEnd, end)
		if !active {
			continue
		}
		z := &zoning{pool: p, scope: scope, written: scope, taken: map[string]int{}, waiting: map[string]int{}, said: map[string]told{}}
		switch {
		case scope.Sequential && p.order != nil:
			p.order.join(scope)
			p.warnSeveralSequential(scope)
		case scope.Sequential:
			p.order = z
		}
		p.zonings = append(p.zonings, z)
	}
	if ordered && p.order == nil {
		p.roll.IdleSince = time.Time{} // nobody looked whether it is idle
	}
	p.unzoned = p.endOf(scopes)
}

// endOf returns zonesEnd, if none of the budgets is active then.
func (p *pool) endOf(scopes []budget.Scope) time.Time {
	for _, s := range scopes {
		if active, _ := s.State(p.zonesEnd); active {
			return time.Time{}
		}
	}
	return p.zonesEnd
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

func (p *pool) warnSeveralSequential(scope budget.Scope) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.scope.Key {
		effect = "does so for this one's reasons, too: write one budget for all of them"
	}
	p.warnSequential(scope, candidate.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s", p.Budgets.Place(p.order.scope.Index), effect))
}

func (p *pool) warnSequential(scope budget.Scope, code, message string) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: code, Field: p.Budgets.Place(scope.Index) + ".sequential", Value: "true",
		Message: fmt.Sprintf("%s: %s", scope, message),
	})
}

// orders reports whether the pool's roll is that of the zoning.
func (z *zoning) orders() bool { return z.pool.order == z }

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
	if order := z.pool.order; z.scope.Sequential && !z.orders() && z.scope.Key == order.scope.Key && z.pool.Topology.Applies(order.written, reason) {
		return false
	}
	return z.applies(reason)
}

func (z *zoning) applies(reason candidate.Reason) bool {
	return z.pool.Topology.Applies(z.scope, reason)
}

func (z *zoning) domain(n *candidate.Node) (name string, concerned bool) {
	return z.pool.Topology.Domain(n, z.scope.Key)
}

// take counts a node that may go, for whatever reason, against the limits of its domains.
func (p *pool) take(n *candidate.Node, q *quota) {
	for _, z := range p.zonings {
		if domain, concerned := z.domain(n); concerned {
			z.taken[domain]++
			if z.orders() && !z.stray && domain != z.turn.Active && z.pool.Topology.MayApply(z.scope, q.reason) {
				z.stray, z.astray = true, domain
			}
			z.started = z.started || slices.Contains(q.zonings, z)
		}
	}
}
