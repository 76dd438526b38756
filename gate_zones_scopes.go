package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// newZoneGate returns the gate of a fleet, with the active budgets with a topology key that requests for the reason
// depend on. Lasts returns what blocks a request whatever else is disrupted.
func newZoneGate(f *fleet, lasts func(*request) []candidate.Blocker) *zoneGate {
	g := &zoneGate{
		fleet: f, lasts: lasts, pools: make([]zonedPool, len(f.Scopes)), within: make([][]*zoning, len(f.Pools)),
	}
	ordered := false // some group, or a pool in one: its turns depend on all budgets of the pools
	for i, scope := range f.Scopes {
		p := &g.pools[i]
		p.scope, p.roll = scope, f.Memory[scope.MemoryKey()].Roll
		// Without a time, it is unknown which are active, and the gate of budgets allows nothing.
		if p.Ambiguous || f.Now.IsZero() {
			continue
		}
		p.scopes = p.Budgets.Scopes("")
		p.options = p.checkReasons()
		p.ordered = slices.ContainsFunc(p.scopes,
			func(s budget.Limit) bool { return s.Sequential && p.options.MayApply(s, f.Reason) })
		ordered = ordered || p.ordered && p.Shares()
	}
	for i := range g.pools {
		p := &g.pools[i]
		p.ordered = p.ordered || ordered && p.Shares()
		g.open(p)
	}
	for i, p := range f.Pools {
		for _, scope := range p.Within {
			if scope != nil {
				g.within[i] = append(g.within[i], g.pools[scope.Index].zonings...)
			}
		}
	}
	return g
}

// open finds the active budgets of a pool. If no sequential budget is active for nodes that are allowed only because
// they are overdue, an inactive one is lent to them, so that even then no two zones roll at once.
func (g *zoneGate) open(p *zonedPool) {
	var lent []int
	if p.ordered {
		lent = g.lent(p)
	}
	for _, s := range p.scopes {
		active, end := s.Window.Until(g.Now)
		if !p.hasEffect(s) {
			p.warnSequential(s, candidate.CodeNoEffect,
				"sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted")
			continue
		}
		// A turn depends on all of them.
		if !p.options.MayApply(s, g.Reason) && !p.ordered {
			continue
		}
		p.end, p.counts = schedule.First(p.end, end), true
		if active || slices.Contains(lent, s.Index) {
			p.add(s, !active)
		}
	}
	if p.ordered && p.order == nil {
		p.roll.IdleSince = time.Time{} // unknown, since the domain was not watched
	}
}

// hasEffect reports whether a budget applies to any reason. A sequential one may not, by the pool's options.
func (p *zonedPool) hasEffect(s budget.Limit) bool {
	return len(s.Reasons) == 0 ||
		slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return p.options.Applies(s, r) })
}

// lent returns the positions of inactive sequential budgets that make zones take turns now: nodes that they apply to
// are overdue, no other budget allows these nodes, and no active one orders their zones. It records when that may
// change.
func (g *zoneGate) lent(p *zonedPool) (lent []int) {
	var sequential, active []budget.Limit
	timed := false
	for _, s := range p.scopes {
		if !s.Sequential || !p.hasEffect(s) {
			continue
		}
		sequential = append(sequential, s)
		isActive, end := s.Window.Until(g.Now)
		timed = timed || !isActive || !end.IsZero()
		if isActive {
			active = append(active, s)
		}
	}
	if !timed {
		return nil
	}
	d := g.due(p.scope)
	p.deadline = d.next
	for _, r := range d.overdue {
		applies := func(s budget.Limit) bool { return p.options.Applies(s, r) }
		if !slices.ContainsFunc(sequential, applies) {
			continue
		}
		p.overdue = true
		open, end := g.allOpen(p.scope, r)
		p.end = schedule.First(p.end, end)
		if open || slices.ContainsFunc(active, applies) {
			continue
		}
		for _, s := range sequential {
			// An active budget on another key keeps the order.
			if applies(s) && (len(active) == 0 || s.Key == active[0].Key) {
				lent = append(lent, s.Index)
			}
		}
	}
	return lent
}

// allOpen reports whether the budgets of a pool, or of the pools of a group, and those of all their groups allow a node
// for a reason, and when their numbers next change.
func (g *zoneGate) allOpen(p *scope, reason candidate.Reason) (open bool, end time.Time) {
	open, asked := true, map[*scope]bool{nil: true}
	for _, member := range p.Pools() {
		for _, scope := range member.Within {
			if asked[scope] {
				continue
			}
			asked[scope] = true
			allowance, _ := budget.AllowedByReason(scope.Budgets, g.Now, scope.Nodes, reason)
			open = open && allowance.Nodes > 0
			end = schedule.First(end, scope.Budgets.Until(g.Now, scope.Nodes, reason))
		}
	}
	return open, end
}

// due is a summary of the deadlines of a scope's nodes.
type due struct {
	overdue []candidate.Reason // for which nodes are overdue, without duplicates
	next    time.Time          // when the next node becomes overdue; zero: never
}

// due summarises the deadlines of a scope's nodes. It reads those of all nodes when it is first called.
func (g *zoneGate) due(p *scope) due {
	if g.dues == nil {
		g.dues = make([]due, len(g.Scopes))
		for i := range g.Nodes {
			if p := g.Pool(i); p != nil {
				for _, scope := range p.Scopes {
					g.dues[scope.Index].read(g.Nodes[i].Conditions, g.Now)
				}
			}
		}
	}
	return g.dues[p.Index]
}

func (d *due) read(conditions []candidate.Condition, now time.Time) {
	for _, c := range conditions {
		switch {
		case !c.HasDeadline():
		case !c.Overdue(now):
			d.next = schedule.First(d.next, c.Deadline)
		case !slices.Contains(d.overdue, c.Reason):
			d.overdue = append(d.overdue, c.Reason)
		}
	}
}

// Read records the deadline of a request. From then on, the next turn may be another, and so may the budgets that order
// zones.
func (g *zoneGate) Read(r *request) {
	if r.Kind == nil || r.Deadline().IsZero() {
		return
	}
	for _, scope := range r.Pool.Scopes {
		if p := &g.pools[scope.Index]; r.Overdue {
			p.overdue = true
		} else {
			p.deadline = schedule.First(p.deadline, r.Deadline())
		}
	}
}
