package naive

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A zoning has the active budgets of a pool with a topology key.
type zoning struct {
	in      disruptkit.Input
	pool    scope
	scopes  []budget.Limit    // active or lent budgets that concern any reason
	lent    []bool            // which of them are lent
	order   int               // the position of the first that is sequential, or -1
	ordered budget.Limit      // that budget, with the reasons of all sequential budgets on its key
	known   map[string]string // by pool or group and domain: who has the turn there
}

func openZoning(in disruptkit.Input, p scope) zoning {
	z := zoning{in: in, pool: p, order: -1, known: map[string]string{}}
	for _, s := range p.Budgets.Scopes("") {
		active, _ := s.Window.Until(in.Now)
		if !active && !lent(in, p, s) || s.Sequential && !concerned(p, s) {
			continue
		}
		switch {
		case s.Sequential && z.order < 0:
			z.order, z.ordered = len(z.scopes), s
		case s.Sequential && s.Key == z.ordered.Key && len(s.Reasons) > 0 && len(z.ordered.Reasons) > 0:
			z.ordered.Reasons = append(slices.Clone(z.ordered.Reasons), s.Reasons...)
		case s.Sequential && s.Key == z.ordered.Key:
			z.ordered.Reasons = nil
		}
		z.scopes, z.lent = append(z.scopes, s), append(z.lent, !active)
	}
	return z
}

// counted returns how many nodes of a pool percentages are of.
func counted(in disruptkit.Input, p scope) (counted int) {
	for _, n := range in.Nodes {
		if p.has(n) && n.Counted() && !(domain{in: in}).twice(n) {
			counted++
		}
	}
	return counted
}

// lent reports whether a sequential budget that is not active orders a pool: nodes that it applies to are overdue, the
// active budgets allow nothing of theirs, and no sequential one that is active orders their zones, or those of
// another key.
func lent(in disruptkit.Input, p scope, s budget.Limit) bool {
	var ordering []budget.Limit
	for _, o := range p.Budgets.Scopes("") {
		if active, _ := o.Window.Until(in.Now); o.Sequential && active && concerned(p, o) {
			ordering = append(ordering, o)
		}
	}
	if !s.Sequential || len(ordering) > 0 && ordering[0].Key != s.Key {
		return false
	}
	for _, n := range in.Nodes {
		for _, c := range n.Conditions {
			c.Deadline = Deadline(in, n, c)
			if !p.has(n) || !overdue(c, in.Now) || !applies(p, s, c.Reason) {
				continue
			}
			concerns := func(o budget.Limit) bool { return applies(p, o, c.Reason) }
			if shut(in, p, c.Reason) && !slices.ContainsFunc(ordering, concerns) {
				return true
			}
		}
	}
	return false
}

// shut reports whether the budgets of a pool or a group, or of another one with pools of it, allow nothing.
func shut(in disruptkit.Input, p scope, r candidate.Reason) bool {
	for _, pool := range p.pools {
		for _, s := range scopes(in, pool) {
			if allowance, _ := budget.AllowedByReason(s.Budgets, in.Now, counted(in, s), r); allowance.Nodes == 0 {
				return true
			}
		}
	}
	return false
}

// concerned reports whether a budget is for any of the reasons for which zones of a pool take turns.
func concerned(p scope, s budget.Limit) bool {
	return slices.ContainsFunc(reasons(p), func(o candidate.Reason) bool {
		return len(s.Reasons) == 0 ||
			slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return r.Covers(o) || o.Covers(r) })
	})
}

// zones returns the gates and codes of the blockers that the pool's topology has for one more node, given those that
// have been allowed.
func zones(in disruptkit.Input, p scope, r request, allowed, together []request) (blocked []string) {
	z := openZoning(in, p)
	for i, s := range z.scopes {
		name := r.node.Labels[s.Key]
		taken := func(of []request) (n int) {
			for _, o := range of {
				if p.has(o.node) && o.node.Labels[s.Key] == name && (z.turns(i) || !uncounted(o.node, o.c.Reason)) {
					n++
				}
			}
			return n
		}
		limit := z.limit(i, r.node, r.c.Reason, taken(allowed), taken(together))
		inTurn := name != "" || unlabelled(in, p, s.Key) == topology.TakeTurn
		takesTurns := inTurn && z.turns(i) && z.limits(i, r.c.Reason)
		switch {
		case takesTurns && turn(z.domain, name) == anothers:
			if !slices.Contains(blocked, "topology/waits-for-domain") { // the turn is the same
				blocked = append(blocked, "topology/waits-for-domain")
			}
		case limit != "":
			blocked = append(blocked, limit)
		}
	}
	return blocked
}

// turns reports whether one of the scopes is the order, or on its key.
func (z zoning) turns(i int) bool {
	return z.scopes[i].Sequential && z.order >= 0 && z.scopes[i].Key == z.ordered.Key
}

// limits reports whether one of the scopes limits a reason: of those that cover it and take turns, only the first.
func (z zoning) limits(i int, r candidate.Reason) bool {
	if !applies(z.pool, z.scopes[i], r) {
		return false
	}
	if !z.turns(i) {
		return true
	}
	for j, other := range z.scopes[:i] {
		if z.turns(j) && applies(z.pool, other, r) && other.Covers(r) && z.scopes[i].Covers(r) {
			return false
		}
	}
	return true
}

// domain returns one of the domains that take turns. A slot is left if one of the budgets allows there one more node of
// its reasons.
func (z zoning) domain(name string) domain {
	return domain{z.in, z.pool, z.ordered, name, z.lasts, func(nodes int) (most int) {
		for i := range z.scopes {
			if z.turns(i) {
				most = max(most, z.allowed(i, nodes))
			}
		}
		return most
	}}
}

// allowed returns how many nodes of a domain may be disrupted at once, as one of the scopes says.
func (z zoning) allowed(i, nodes int) int {
	if n := z.scopes[i].Of(nodes); n > 0 || !z.lent[i] {
		return n
	}
	return 1
}

// limit returns what one of the scopes says about a node, given how many go in its domain, and how many of its unit. It
// ignores turns.
func (z zoning) limit(i int, n candidate.Node, r candidate.Reason, taken, own int) string {
	s, name := z.scopes[i], n.Labels[z.scopes[i].Key]
	most := 0
	allowed := func(nodes int) int { most = z.allowed(i, nodes); return most }
	left := domain{in: z.in, pool: z.pool, scope: s, name: name, allowed: allowed}.remaining()
	if left == most { // nothing is in flight there
		taken = alone(z.pool, taken, own)
	}
	switch {
	case uncounted(n, r) && !z.turns(i):
		return ""
	case !z.limits(i, r) || name == "" && unlabelled(z.in, z.pool, s.Key) == topology.Exempt:
		return ""
	case name == "" && unlabelled(z.in, z.pool, s.Key) == topology.Block:
		return "topology/no-label"
	case left <= taken:
		return "topology/used"
	}
	return ""
}

// tooSmall reports whether one of the scopes never allows as many nodes in a domain as a unit has there.
func (z zoning) tooSmall(i int, n candidate.Node, c candidate.Condition) bool {
	key := z.scopes[i].Key
	there := domain{in: z.in, pool: z.pool, scope: z.scopes[i], name: n.Labels[key]}
	size := 0
	for _, m := range unit(z.in, request{node: n, c: c}) {
		if z.pool.has(m.node) && m.node.Counted() && m.node.Labels[key] == n.Labels[key] {
			size++
		}
	}
	counts := func(n candidate.Node) bool { return n.Counted() && (!there.twice(n) || n.Disrupting("Unhealthy")) }
	exempt := n.Labels[key] == "" && unlabelled(z.in, z.pool, key) == topology.Exempt
	allowed := z.allowed(i, len(there.nodes(counts)))
	return size > 1 && !exempt && z.limits(i, c.Reason) && (z.turns(i) || !uncounted(n, c.Reason)) &&
		size > allowed && !(allowed > 0 && z.pool.Budgets.Oversized())
}

// lasts returns "to go", "paused" or "stays" for a node that budgets block without an end, whoever has the turn in
// its own pool or group: "paused" is that another domain has it in a group before that. Otherwise it returns "".
func (z zoning) lasts(n candidate.Node, c candidate.Condition) (worst string) {
	r, all := c.Reason, scopes(z.in, n.Pool)
	for i, s := range all {
		counted := counted(z.in, s)
		allowance, _ := budget.AllowedByReason(s.Budgets, z.in.Now, counted, r)
		late := overdue(c, z.in.Now) && late(s, z.in.Now, counted, r, 0) == nil
		end := s.Budgets.Until(z.in.Now, counted, r) // if it is 0 now, it rises then
		if allowance.Nodes == 0 && end.IsZero() && !uncounted(n, r) && !late && worst == "" {
			worst = "to go"
		}
		other := z
		if s.key != z.pool.key {
			other = openZoning(z.in, s)
			other.known = z.known
		}
		before := i > 0 && (s.layer < z.pool.layer || z.pool.layer == 0)
		for j, scope := range other.scopes {
			name := n.Labels[scope.Key]
			switch other.limit(j, n, r, 0, 0) {
			case "topology/no-label":
				return "stays"
			case "topology/used":
				worst = cmp.Or(worst, "to go")
			}
			if other.tooSmall(j, n, c) {
				worst = cmp.Or(worst, "to go")
			}
			exempt := name == "" && unlabelled(z.in, s, scope.Key) == topology.Exempt
			if !before || s.key == z.pool.key || exempt || !other.turns(j) || !other.limits(j, r) {
				continue
			}
			if other.waits(name) {
				worst = "paused"
			}
		}
	}
	return worst
}

// waits reports whether another domain than one has the turn. That is asked for each node of each unit, and known from
// the first time on.
func (z zoning) waits(name string) bool {
	key := z.pool.key + "/" + name
	if _, known := z.known[key]; !known {
		active, chosen, _ := turnOf(z.domain, name)
		if !chosen {
			active = name
		}
		z.known[key] = active
	}
	return z.known[key] != name
}
