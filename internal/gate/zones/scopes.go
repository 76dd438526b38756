package zones

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// New returns the gate of a fleet, with the active budgets with a topology key that requests for the reason depend on.
func New(f *gate.Fleet) *Gate {
	g := &Gate{fleet: f, now: f.Now, pools: make([]zoned, len(f.Pools))}
	due := dueIn(f)
	for i, p := range f.Pools {
		z := &g.pools[i]
		z.Pool, z.roll = p, f.Rolls[p.Name]
		// Without a time, it is unknown which are active, and the gate of budgets lets nothing go.
		if !p.Ambiguous && !f.Now.IsZero() {
			g.open(z, f.Reason, due)
		}
	}
	return g
}

// open finds those budgets of a pool. The first active sequential budget orders the pool. (AZ-sequential RFC: "Only the
// first active sequential budget for a given NodePool is used.") If none is active for nodes that may go only because
// they are overdue, an inactive one is lent to them, so that even then no two zones roll at once.
func (g *Gate) open(p *zoned, reason candidate.Reason, due func(*gate.Pool) due) {
	scopes := p.Budgets.Scopes("")
	options := p.checkReasons(scopes)
	concerned := func(s budget.Scope) bool { return options.MayApply(s, reason) }
	ordered := slices.ContainsFunc(scopes, func(s budget.Scope) bool { return s.Sequential && concerned(s) })
	var lent []int
	if ordered {
		lent = g.lent(p, scopes, options, due)
	}
	for _, scope := range scopes {
		active, end := p.Limits().State(scope.Index, g.now)
		if !options.Concerns(scope) {
			p.warnSequential(scope, candidate.CodeNoEffect,
				"sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted")
			continue
		}
		if !concerned(scope) && !ordered { // once there is an order, all of them count: a turn depends on each
			continue
		}
		p.limits.End, p.concerned = until.First(p.limits.End, end), true
		if active || slices.Contains(lent, scope.Index) {
			p.add(&Zoning{
				scope: scope, written: scope, options: options, Index: g.count, place: len(p.zonings), lent: !active,
			})
			g.count++
		}
	}
	if ordered && p.order == nil {
		p.roll.IdleSince = time.Time{} // the domain was not watched, so it is not known to be idle
	}
	if !slices.ContainsFunc(scopes, func(s budget.Scope) bool {
		active, _ := p.Limits().State(s.Index, p.limits.End)
		return active
	}) {
		p.limits.Unzoned = p.limits.End
	}
}

// lent returns the positions of inactive sequential budgets that make zones take turns now: nodes that they apply to
// are overdue, no other budget lets those nodes go, and no active one orders their zones. It records when that may
// change.
func (g *Gate) lent(p *zoned, scopes []budget.Scope, options topology.Options, due func(*gate.Pool) due) (lent []int) {
	sequential := slices.DeleteFunc(slices.Clone(scopes),
		func(s budget.Scope) bool { return !s.Sequential || !options.Concerns(s) })
	var active []budget.Scope
	timed := false
	for _, s := range sequential {
		now, end := p.Limits().State(s.Index, g.now)
		timed = timed || !now || !end.IsZero()
		if now {
			active = append(active, s)
		}
	}
	if !timed {
		return nil
	}
	d := due(p.Pool)
	p.limits.Deadline = d.next
	for _, r := range d.overdue {
		applies := func(s budget.Scope) bool { return options.Applies(s, r) }
		if !slices.ContainsFunc(sequential, applies) {
			continue
		}
		p.overdue = true
		p.limits.End = until.First(p.limits.End, p.Budgets.Until(g.now, p.Nodes, r))
		allowance, _ := budget.AllowedByReason(p.Budgets, g.now, p.Nodes, r)
		if allowance.Nodes > 0 || slices.ContainsFunc(active, applies) {
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

// Read records the deadline of a request, and what becomes unknown when it comes: whose turn is next, and which budgets
// order zones.
func (g *Gate) Read(r *gate.Request) {
	if r.Kind == nil || r.Deadline().IsZero() {
		return
	}
	if p := &g.pools[r.Pool.Index]; r.Overdue(g.now) {
		p.overdue = true
	} else {
		p.limits.Deadline = until.First(p.limits.Deadline, r.Deadline())
	}
}

// endAtDeadlines ends what is known about a pool's budgets at the next deadline.
func (g *Gate) endAtDeadlines() {
	for i := range g.pools {
		p := &g.pools[i]
		l := &p.limits
		if !p.concerned {
			continue
		}
		l.End = until.First(l.End, l.Deadline)
		if p.overdue || l.End.Equal(l.Deadline) {
			l.Unzoned = time.Time{}
		}
	}
}

// add adds an active budget to the pool's zonings.
func (p *zoned) add(z *Zoning) {
	switch {
	case z.scope.Sequential && p.order != nil:
		z.order = p.order
		p.order.share(z)
		p.warnSeveral(z.written)
	case z.scope.Sequential:
		z.order, p.order, z.sharing = z, z, []*Zoning{z}
	}
	p.zonings = append(p.zonings, z)
}

// checkReasons returns the pool's options. If one of their reasons is not known, sequential budgets order all reasons.
func (p *zoned) checkReasons(scopes []budget.Scope) topology.Options {
	options := p.Topology
	for _, r := range options.Reasons {
		if len(scopes) > 0 && r != "" && !scopes[0].Knows(r) {
			p.warnings = append(p.warnings, candidate.Warning{
				Code: candidate.CodeUnknownReason, Field: "topology.reasons", Value: string(r),
				Message: fmt.Sprintf("reason %.100q is not known, and sequential budgets order all reasons: "+
					"write Drifted, or what candidate.ParseReason returns", r),
			})
			options.Reasons = []candidate.Reason{""}
			break
		}
	}
	return options
}

func (p *zoned) warnSeveral(scope budget.Scope) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.scope.Key {
		effect = "does so for this one's reasons, too: write one budget for all of them"
	}
	p.warnSequential(scope, candidate.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s",
			p.Budgets.Place(p.order.scope.Index), effect))
}

func (p *zoned) warnSequential(scope budget.Scope, code candidate.Code, message string) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: code, Field: p.Budgets.Place(scope.Index) + ".sequential", Value: "true",
		Message: fmt.Sprintf("%s: %s", scope, message),
	})
}
