package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A division divides the nodes of a pool or a group into domains, for one budget, or for several that share turns: the
// first sequential one, and later ones with its key.
type division struct {
	in     *zonedPool
	turns  bool         // its domains take turns
	scope  budget.Limit // the first budget, with the reasons of all
	shares []*zoning    // its budgets

	census    *topology.Census
	domains   []int32 // for each node, the number of its domain in the census
	waits     []bool  // for each node, whether the roll may wait for it
	positions []int   // for each number, the position of the domain; below 0: the budgets do not concern its nodes

	// chosen has the turn. Its limits are the widest of all budgets. Whether a node of the domain is allowed depends on
	// the limits of its own reason. If only nodes of one reason are, the domain still has the turn.
	chosen  topology.Selection
	started int // how many requests are disrupted that turns depend on

	asked   candidate.Reason // the last argument of Applies: most requests have the same
	applies bool
}

// A zoning is a budget with a topology key that is active, or lent to overdue nodes. It limits each domain.
type zoning struct {
	*division
	written budget.Limit
	lent    bool               // the budget is not active
	Turn    topology.Selection // what the division has chosen, with the limits of this budget

	room     []int // for each domain, how many nodes may be disrupted
	taken    []int // for each domain, how many requests are
	refusals []zoneRefusal
}

// A zoneRefusal is the last answer for a domain.
type zoneRefusal struct {
	blockers []candidate.Blocker
	counted  int // of the gate at that time
}

// add adds an active budget to the pool. The first sequential one orders the pool. (AZ-sequential RFC: "Only the first
// active sequential budget for a given NodePool is used.") Later ones with its key share its turns.
func (p *zonedPool) add(s budget.Limit, lent bool) {
	z := &zoning{written: s, lent: lent}
	p.zonings = append(p.zonings, z)
	several := s.Sequential && p.order != nil
	if several {
		p.warnSeveral(s)
	}
	if several && s.Key == p.order.scope.Key {
		z.division = p.order
		p.order.share(z)
		return
	}
	z.division = &division{in: p, turns: s.Sequential && !several, scope: s, shares: []*zoning{z}}
	z.ask("")
	p.divisions = append(p.divisions, z.division)
	if z.turns {
		p.order = z.division
	}
}

// share makes domains also take turns for the reasons of a later zoning.
func (d *division) share(later *zoning) {
	d.shares = append(d.shares, later)
	if len(later.written.Reasons) == 0 || len(d.scope.Reasons) == 0 {
		d.scope.Reasons = nil
	} else {
		d.scope.Reasons = slices.Concat(d.scope.Reasons, later.written.Reasons)
	}
	d.ask("")
}

// Applies reports whether turns, and limits, depend on candidates for a reason.
func (d *division) Applies(reason candidate.Reason) bool {
	if reason != d.asked {
		d.ask(reason)
	}
	return d.applies
}

func (d *division) ask(reason candidate.Reason) {
	d.asked, d.applies = reason, d.in.options.Applies(d.scope, reason)
}

// limitsReason reports whether the zoning limits requests for a reason. If several share turns, only the first that
// names the reason does. ("If multiple sequential budgets are defined, the first active one wins": AZ-sequential RFC,
// Limitations.) A zoning for a child of the reason always does, since nodes of the reason may be of the child.
func (z *zoning) limitsReason(reason candidate.Reason) bool {
	applies := func(s *zoning) bool { return s.in.options.Applies(s.written, reason) }
	names := func(s *zoning) bool { return applies(s) && s.written.Covers(reason) }
	if !z.turns || !names(z) {
		return applies(z)
	}
	return z.shares[slices.IndexFunc(z.shares, names)] == z
}

// domain returns the position of the domain of a request. It is negative if the budget does not concern the node. A
// node that no budget counts also waits for its turn, and uses the limit: in flight, it makes its domain roll.
func (z *zoning) domain(r *request) int {
	if r.Uncounted && !z.turns {
		return -1
	}
	return z.positions[z.domains[r.Position]]
}

// choose sets the turn, or, without turns, only how many nodes each domain allows.
func (d *division) choose(turns bool, roll topology.Roll, now time.Time) {
	domains, positions := d.census.Domains()
	d.positions, d.chosen = positions, d.selection(domains, turns, roll, now)
	for _, z := range d.shares {
		z.Turn = z.limit(d.chosen, now)
		z.taken, z.room = make([]int, len(domains)), make([]int, len(domains))
		z.refusals = make([]zoneRefusal, len(domains))
		for i, domain := range z.Turn.Domains {
			if z.Turn.Allows(domain.Name, 0) {
				z.room[i] = domain.Remaining
			}
		}
	}
}

// selection decides as of a time.
func (d *division) selection(
	domains []topology.Domain, turns bool, roll topology.Roll, now time.Time,
) topology.Selection {
	scope := d.scope
	scope.Sequential = turns
	widest := func(nodes int) (most int) {
		for _, z := range d.shares {
			most = max(most, z.allowed(nodes))
		}
		return most
	}
	return topology.SelectActiveZone(scope, limited(domains, widest), roll, d.in.options, now)
}

// limit returns a selection with the limits and the name of one of its budgets.
func (z *zoning) limit(s topology.Selection, now time.Time) topology.Selection {
	s.Budget, s.Rule, s.Domains = z.written.Index, z.written.Describe(now), limited(s.Domains, z.allowed)
	switch {
	case z.lent && z.written.Of(1) == 0:
		s.Rule += ", not active now, but overdue nodes take its turns, one at a time"
	case z.lent:
		s.Rule += ", not active now, but overdue nodes take its turns"
	}
	return s
}

// allowed returns how many nodes of a domain of some size may be disrupted at once. A budget that is lent is not
// active, so it allows at least one.
func (z *zoning) allowed(nodes int) int {
	allowed := z.written.Of(nodes)
	if z.lent {
		return max(1, allowed)
	}
	return allowed
}

// limited returns a copy of domains with other limits.
func limited(domains []topology.Domain, allowed func(nodes int) int) []topology.Domain {
	domains = slices.Clone(domains)
	for i := range domains {
		d := &domains[i]
		d.Allowed = allowed(d.Nodes)
		d.Remaining = max(0, d.Allowed-d.InFlight)
	}
	return domains
}

// Refusal returns what blocks one more node of a domain. The text about the domain with the turn depends on the limits
// that decided the turn.
func (z *zoning) Refusal(domain, taken int) candidate.Blocker {
	name := z.Turn.Domains[domain].Name
	b, _ := z.Turn.Blocker(name, taken)
	if b.Code == candidate.CodeWaitsForDomain {
		chosen, _ := z.chosen.Blocker(name, taken)
		b.Message = chosen.Message
	}
	return z.in.Said(b)
}
