package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// newZoneGate returns the gate of a fleet, with the active budgets with a topology key that requests for the reason
// depend on.
// Turns depend on what all gates that are lasting say of a request.
func newZoneGate(f *fleet, lasts func(*request) []candidate.Blocker) *zoneGate {
	g := &zoneGate{fleet: f, lasts: lasts, now: f.Now, pools: make([]zonedPool, len(f.Scopes))}
	due := dueIn(f)
	ordered := false // some group, or a pool in one: whose turn it is there depends on all budgets of the pools
	for i, p := range f.Scopes {
		z := &g.pools[i]
		z.scope, z.roll = p, f.Memory[p.MemoryKey()].Roll
		// Without a time, it is unknown which are active, and the gate of budgets lets nothing go.
		if p.Ambiguous || f.Now.IsZero() {
			continue
		}
		z.scopes = p.Budgets.Scopes("")
		z.options = z.checkReasons()
		z.ordered = slices.ContainsFunc(z.scopes,
			func(s budget.Limit) bool { return s.Sequential && z.concerned(s, f.Reason) })
		ordered = ordered || z.ordered && p.Shares()
	}
	for i := range g.pools {
		z := &g.pools[i]
		z.ordered = z.ordered || ordered && z.Shares()
		g.open(z, f.Reason, due)
	}
	g.gather()
	return g
}

// open finds those budgets of a pool. The first active sequential budget orders the pool. (AZ-sequential RFC: "Only the
// first active sequential budget for a given NodePool is used.") If none is active for nodes that may go only because
// they are overdue, an inactive one is lent to them, so that even then no two zones roll at once.
func (g *zoneGate) open(p *zonedPool, reason candidate.Reason, due func(*scope) due) {
	var lent []int
	if p.ordered {
		lent = g.lent(p, due)
	}
	for _, scope := range p.scopes {
		active, end := scope.Window.Until(g.now)
		if !p.options.Concerns(scope) {
			p.warnSequential(scope, candidate.CodeNoEffect,
				"sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted")
			continue
		}
		// Once there is an order, all of them count: a turn depends on each.
		if !p.concerned(scope, reason) && !p.ordered {
			continue
		}
		p.validity.End, p.counts = schedule.First(p.validity.End, end), true
		if active || slices.Contains(lent, scope.Index) {
			p.add(&zoning{
				scope: scope, written: scope, options: p.options, Index: g.count, lent: !active, in: p.scope,
			})
			g.count++
		}
	}
	if p.ordered && p.order == nil {
		p.roll.IdleSince = time.Time{} // the domain was not watched, so it is not known to be idle
	}
}

// concerned reports whether a budget concerns what is asked for.
func (p *zonedPool) concerned(s budget.Limit, reason candidate.Reason) bool {
	return p.options.MayApply(s, reason)
}

// lent returns the positions of inactive sequential budgets that make zones take turns now: nodes that they apply to
// are overdue, no other budget lets those nodes go, and no active one orders their zones. It records when that may
// change.
func (g *zoneGate) lent(p *zonedPool, due func(*scope) due) (lent []int) {
	sequential := slices.DeleteFunc(slices.Clone(p.scopes),
		func(s budget.Limit) bool { return !s.Sequential || !p.options.Concerns(s) })
	var active []budget.Limit
	timed := false
	for _, s := range sequential {
		isActive, end := s.Window.Until(g.now)
		timed = timed || !isActive || !end.IsZero()
		if isActive {
			active = append(active, s)
		}
	}
	if !timed {
		return nil
	}
	d := due(p.scope)
	p.validity.Deadline = d.next
	for _, r := range d.overdue {
		applies := func(s budget.Limit) bool { return p.options.Applies(s, r) }
		if !slices.ContainsFunc(sequential, applies) {
			continue
		}
		p.overdue = true
		open, end := g.allOpen(p.scope, r)
		p.validity.End = schedule.First(p.validity.End, end)
		if open || slices.ContainsFunc(active, applies) {
			continue
		}
		for _, s := range sequential {
			// An active budget on another key stays the order.
			if applies(s) && (len(active) == 0 || s.Key == active[0].Key) {
				lent = append(lent, s.Index)
			}
		}
	}
	return lent
}

// allOpen reports whether the budgets of a pool, or of the pools of a group, and those of all their groups let some
// node go for a reason, and until when their numbers stay the same.
func (g *zoneGate) allOpen(p *scope, reason candidate.Reason) (open bool, end time.Time) {
	open, asked := true, map[*scope]bool{nil: true}
	for _, member := range p.Pools() {
		for _, scope := range member.Within {
			if asked[scope] {
				continue
			}
			asked[scope] = true
			allowance, _ := budget.AllowedByReason(scope.Budgets, g.now, scope.Nodes, reason)
			open = open && allowance.Nodes > 0
			end = schedule.First(end, scope.Budgets.Until(g.now, scope.Nodes, reason))
		}
	}
	return open, end
}

// Read records the deadline of a request, and what becomes unknown when it comes: whose turn is next, and which budgets
// order zones.
func (g *zoneGate) Read(r *request) {
	if r.Kind == nil || r.Deadline().IsZero() {
		return
	}
	for _, scope := range r.Scopes() {
		if p := &g.pools[scope.Index]; r.Overdue(g.now) {
			p.overdue = true
		} else {
			p.validity.Deadline = schedule.First(p.validity.Deadline, r.Deadline())
		}
	}
}

// endAtDeadlines ends what is known about a pool's budgets at the next deadline.
func (g *zoneGate) endAtDeadlines() {
	for i := range g.pools {
		p := &g.pools[i]
		v := &p.validity
		if !p.counts {
			continue
		}
		v.End = schedule.First(v.End, v.Deadline)
	}
}

// add adds an active budget to the pool's zonings.
func (p *zonedPool) add(z *zoning) {
	switch {
	case z.scope.Sequential && p.order != nil:
		z.order = p.order
		p.order.share(z)
		p.warnSeveral(z.written)
	case z.scope.Sequential:
		z.order, p.order, z.sharing = z, z, []*zoning{z}
	}
	p.zonings = append(p.zonings, z)
}

// checkReasons returns the pool's options. If one of their reasons is not known, or is one letter from a child that
// Karpenter reports, sequential budgets order all reasons.
func (p *zonedPool) checkReasons() topology.Options {
	options := p.Topology
	for _, r := range options.Reasons {
		if meant := candidate.MeantReason(r); len(p.scopes) > 0 && r != "" && (!p.scopes[0].Knows(r) || meant != "") {
			p.warnings = append(p.warnings, candidate.Warning{
				Code: candidate.CodeUnknownReason, Field: "topology.reasons", Value: string(r),
				Message: fmt.Sprintf("reason %.100q is not known, and sequential budgets order all reasons: "+
					"write %s, or what candidate.ParseReason returns", r, cmp.Or(meant, candidate.Drifted)),
			})
			options.Reasons = []candidate.Reason{""}
			break
		}
	}
	return options
}

func (p *zonedPool) warnSeveral(scope budget.Limit) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.scope.Key {
		effect = "does so for this one's reasons, too: write one budget for all of them"
	}
	p.warnSequential(scope, candidate.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s",
			p.Budgets.Place(p.order.scope.Index), effect))
}

func (p *zonedPool) warnSequential(scope budget.Limit, code candidate.Code, message string) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: code, Field: p.Budgets.Place(scope.Index) + ".sequential", Value: "true",
		Message: fmt.Sprintf("%s: %s", scope, message),
	})
}
