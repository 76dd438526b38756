package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// zoneGate is the gate of zones: the budgets with a topology key.
type zoneGate struct {
	*fleet
	others func(*request) []candidate.Blocker // row.lasting
	pools  []zonedPool                        // by scope
	dues   []due                              // by scope, once needed
	within [][]*zoning                        // by pool: its zonings, in budget order, then its groups'
	byKind [][]*zoning                        // by kind: the zonings that limit it

	disrupted int // how many requests the session disrupts
	counted   int // how often requests were counted or uncounted
}

// A zonedPool is a pool, or a group, and its budgets with a topology key.
type zonedPool struct {
	*scope
	roll      topology.Roll
	options   topology.Options
	limits    []budget.Limit // all of these budgets, active or not
	ordered   bool           // a turn may depend on all of them
	counts    bool           // some of them concern the requests, now or later
	zonings   []*zoning      // of active budgets, and of those lent to overdue nodes
	divisions []*division    // the domains of the zonings
	order     *division      // the division whose domains take turns, or nil
	warnings  []candidate.Warning

	overdue  bool      // some request may be overdue
	deadline time.Time // when the next request is overdue, which changes the next turn; zero: never
	end      time.Time // when the first of these budgets opens or closes; zero: never
	lasting  time.Time // when the first lasting blocker of its requests may change; zero: never
}

// Allows reports whether all zonings allow the request in its domains.
func (g *zoneGate) Allows(r *request) bool {
	if r.Kind == nil {
		return true
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.domain(r); i >= 0 && z.full(i) {
			return false
		}
	}
	return true
}

// tooSmall reports whether a domain never allows as many nodes as the request's unit has there.
func (z *zoning) tooSmall(domain int, r *request) bool {
	size, allowed := z.size(r), z.Turn.Domains[domain].Allowed
	return size > 1 && size > allowed && !(allowed > 0 && z.in.Budgets.Oversized())
}

// full reports whether a domain allows no more nodes.
func (z *zoning) full(domain int) bool { return z.used(domain) >= z.room[domain] }

// used returns how many requests are disrupted in a domain. If there are nodes in flight, no unit is alone there.
func (z *zoning) used(domain int) int {
	if z.with[domain] == 0 {
		return z.taken[domain]
	}
	if d := &z.Turn.Domains[domain]; d.Remaining < d.Allowed {
		return z.taken[domain]
	}
	return rest(z.in.Budgets, z.taken[domain], z.with[domain])
}

// size returns how many nodes of the request's unit its domain counts.
func (z *zoning) size(r *request) int {
	if r.unit == nil {
		return 1
	}
	return r.unit.size(func(m *request) bool {
		return m.Kind != nil && slices.Contains(z.in.Members, m.Pool) && z.domain(m) == z.domain(r)
	})
}

// Blockers returns what blocks the request in the domains of its node.
func (g *zoneGate) Blockers(r *request) (blockers []candidate.Blocker) {
	if r.Kind == nil {
		return nil
	}
	for _, z := range g.byKind[r.Kind.Index] {
		if i := z.domain(r); i >= 0 && z.full(i) {
			said := g.refusal(z, i)
			if size := z.size(r); size > 1 && z.room[i] > 0 {
				said = g.unitRefusal(z, i, size)
			}
			if !repeats(blockers, said[0]) {
				blockers = joined(blockers, said)
			}
		}
	}
	return blockers
}

// repeats reports whether an earlier blocker already has the turn that this one waits for.
func repeats(before []candidate.Blocker, b candidate.Blocker) bool {
	return b.Code == candidate.CodeWaitsForDomain && slices.ContainsFunc(before, func(o candidate.Blocker) bool {
		return o.Code == b.Code && o.Source.Key == b.Source.Key && o.Source.Group == b.Source.Group
	})
}

// refusal returns what blocks the next request of a domain. Requests share the answer.
func (g *zoneGate) refusal(z *zoning, domain int) []candidate.Blocker {
	last := &z.refusals[domain]
	if last.blockers == nil || last.counted != g.counted {
		b := z.Refusal(domain, z.taken[domain])
		b.Until = g.lifts(z, domain, b)
		*last = zoneRefusal{[]candidate.Blocker{b}, g.counted}
	}
	return last.blockers
}

// unitRefusal returns what blocks a unit with so many nodes in a domain that has its turn.
func (g *zoneGate) unitRefusal(z *zoning, domain, size int) []candidate.Blocker {
	b := z.Refusal(domain, z.taken[domain])
	b.Until = g.lifts(z, domain, b)
	d := z.Turn.Domains[domain]
	b.Message = z.in.Of() + fmt.Sprintf("its unit has %d nodes, and %d of %s in %s may be disrupted at once: %s", size,
		d.Allowed, wording.Count(d.Nodes, "node"), wording.Quote(d.Name), z.Turn.Rule)
	if d.Allowed < size && !z.in.Budgets.Oversized() {
		b.Code = codeUnitTooLarge
	}
	return []candidate.Blocker{b}
}

// Count counts a node against the limits of its domains, whatever the reason.
func (g *zoneGate) Count(r *request, n int, together bool) {
	g.counted++
	if !together {
		g.disrupted += n
	}
	for _, z := range g.within[r.Pool.Index] {
		if i := z.domain(r); i >= 0 {
			z.taken[i] += n
			if together {
				z.with[i] += n
			}
			if z.Applies(r.CountsFor()) && !together {
				z.started += n
			}
		}
	}
}

// Own returns the zonings of a pool or a group that limit a kind of requests.
func (g *zoneGate) Own(k *kind) (own []*zoning) {
	for _, z := range g.pools[k.Pool.Index].zonings {
		if z.limitsReason(k.Reason) {
			own = append(own, z)
		}
	}
	return own
}

// Roll returns the roll of a pool after this decision. If no active budget orders the pool for the decision's reason,
// the roll does not change.
func (g *zoneGate) Roll(p *scope) topology.Roll {
	switch z := &g.pools[p.Index]; {
	case z.order == nil:
		return z.roll
	case z.order.started > 0:
		return z.order.chosen.Started
	default:
		return z.order.chosen.Kept
	}
}

// Warnings returns the faults of a pool's budgets for domains.
func (g *zoneGate) Warnings(p *scope) []candidate.Warning { return g.pools[p.Index].warnings }

// Watches reports whether the domains of a pool are limited for a reason.
func (g *zoneGate) Watches(p *scope, reason candidate.Reason) bool {
	return slices.ContainsFunc(g.within[p.Index], func(z *zoning) bool { return z.Applies(reason) })
}

// Until returns when the budgets that may limit the request, or a turn, may next change. The domain may have its turn
// because of other nodes, until the windows of their pods close, or a pause of their domain begins.
func (g *zoneGate) Until(r *request) (end time.Time) {
	for _, scope := range r.Pool.Scopes {
		p := &g.pools[scope.Index]
		if end = schedule.First(end, p.nextChange()); p.order != nil {
			end = schedule.First(end, p.lasting)
		}
	}
	return end
}

// NextChange returns when time alone may first change a turn, or the budgets that limit domains.
func (g *zoneGate) NextChange() (next time.Time) {
	for i := range g.pools {
		next = schedule.First(next, g.pools[i].nextChange())
	}
	return next
}

func (p *zonedPool) nextChange() (next time.Time) {
	if p.counts {
		next = schedule.First(p.end, p.deadline)
	}
	for _, d := range p.divisions {
		next = schedule.First(next, schedule.First(d.chosen.NextChange, d.chosen.NextFree))
	}
	return next
}

// newZoneGate returns the gate of a fleet, with the active budgets with a topology key that requests for the reason
// depend on. Others returns the lasting blockers of a request at other gates: see row.lasting.
func newZoneGate(f *fleet, others func(*request) []candidate.Blocker) *zoneGate {
	g := &zoneGate{
		fleet: f, others: others, pools: make([]zonedPool, len(f.Scopes)), within: make([][]*zoning, len(f.Pools)),
	}
	ordered := false // some group, or a pool in one: its turns depend on all budgets of the pools
	for i, scope := range f.Scopes {
		p := &g.pools[i]
		p.scope, p.roll = scope, f.Memory[scope.MemoryKey()].Roll
		// Without a time, it is unknown which are active, and the gate of budgets allows nothing.
		if p.Ambiguous || f.Now.IsZero() {
			continue
		}
		p.limits = p.Budgets.Scopes("")
		p.options = p.checkReasons()
		p.ordered = slices.ContainsFunc(p.limits,
			func(s budget.Limit) bool { return s.Sequential && p.options.MayApply(s, f.Reason) })
		ordered = ordered || p.ordered && p.Shares()
	}
	for i := range g.pools {
		p := &g.pools[i]
		p.ordered = p.ordered || ordered && p.Shares()
		g.open(p)
	}
	for i, p := range f.Pools {
		for _, scope := range p.ByLayer {
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
	for _, s := range p.limits {
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
	for _, s := range p.limits {
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
	for _, member := range p.Members {
		for _, scope := range member.ByLayer {
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

// A division divides the nodes of a pool or a group into domains, for one budget, or for several that share turns: the
// first sequential one, and later ones with its key.
type division struct {
	in     *zonedPool
	turns  bool         // its domains take turns
	limit  budget.Limit // the first budget, with the reasons of all
	shares []*zoning    // its budgets

	census    *topology.Census
	domains   []int32 // for each node, the number of its domain in the census
	waits     []bool  // for each node, whether the roll may wait for it
	positions []int   // for each number, the position of the domain; below 0: the budgets do not concern its nodes

	// chosen has the turn. Its limits are the widest of all budgets. Whether a node of the domain is allowed depends on
	// the limits of its own reason. If only nodes of one reason are, the domain still has the turn.
	chosen  topology.Selection
	started int // how many requests are disrupted that turns depend on
}

// A zoning is a budget with a topology key that is active, or lent to overdue nodes. It limits each domain.
type zoning struct {
	*division
	written budget.Limit
	lent    bool               // the budget is not active
	Turn    topology.Selection // what the division has chosen, with the limits of this budget

	room     []int // for each domain, how many nodes may be disrupted
	taken    []int // for each domain, how many requests are
	with     []int // of these, others of a unit that is judged
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
	if several && s.Key == p.order.limit.Key {
		z.division = p.order
		p.order.share(z)
		return
	}
	z.division = &division{in: p, turns: s.Sequential && !several, limit: s, shares: []*zoning{z}}
	p.divisions = append(p.divisions, z.division)
	if z.turns {
		p.order = z.division
	}
}

// share makes domains also take turns for the reasons of a later zoning.
func (d *division) share(later *zoning) {
	d.shares = append(d.shares, later)
	if len(later.written.Reasons) == 0 || len(d.limit.Reasons) == 0 {
		d.limit.Reasons = nil
	} else {
		d.limit.Reasons = slices.Concat(d.limit.Reasons, later.written.Reasons)
	}
}

// Applies reports whether turns, and limits, depend on candidates for a reason.
func (d *division) Applies(reason candidate.Reason) bool {
	return d.in.options.Applies(d.limit, reason)
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
		z.Turn = z.turnOf(d.chosen, now)
		z.taken, z.with, z.room = make([]int, len(domains)), make([]int, len(domains)), make([]int, len(domains))
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
	limit := d.limit
	limit.Sequential = turns
	widest := func(nodes int) (most int) {
		for _, z := range d.shares {
			most = max(most, z.allowed(nodes))
		}
		return most
	}
	return topology.SelectActiveZone(limit, limited(domains, widest), roll, d.in.options, now)
}

// turnOf returns a selection with the limits and the name of one of its budgets.
func (z *zoning) turnOf(s topology.Selection, now time.Time) topology.Selection {
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

// checkReasons returns the pool's options. If one of their reasons is unknown, or is one letter from a child that
// Karpenter reports, sequential budgets order all reasons.
func (p *zonedPool) checkReasons() topology.Options {
	options := p.Topology
	for _, r := range options.Reasons {
		if meant := wording.MeantReason(r); len(p.limits) > 0 && r != "" && (!p.limits[0].Knows(r) || meant != "") {
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

func (p *zonedPool) warnSeveral(b budget.Limit) {
	effect := "this one limits its domains without an order: leave sequential out"
	if b.Key == p.order.limit.Key {
		effect = "does so for this one's reasons as well: write one budget for all of them"
	}
	p.warnSequential(b, mistake.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s",
			p.Budgets.Place(p.order.shares[0].written.Index), effect))
}

func (p *zonedPool) warnSequential(b budget.Limit, code candidate.Code, message string) {
	p.warn(b, code, ".sequential", "true", fmt.Sprintf("%s: %s", b.Describe(time.Time{}), message))
}

func (p *zonedPool) warn(b budget.Limit, code candidate.Code, field, value, message string) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: code, Field: p.Budgets.Place(b.Index) + field, Value: value, Message: message,
	})
}

var treatments = [...]string{
	topology.TakeTurn: "are a domain of their own",
	topology.Exempt:   "the budget does not limit them",
	topology.Block:    "are blocked",
}

// warnUnlabelled warns of nodes that lack the label of a budget, once for each budget.
func (g *zoneGate) warnUnlabelled(p *zonedPool) {
	for _, z := range p.zonings {
		unlabelled, nodes, key := z.census.Unlabelled, z.census.Nodes, z.written.Key
		if unlabelled == 0 || p.options.LabelOptional {
			continue
		}
		message := fmt.Sprintf("%d of %s have no label %.100q, and %s: label them, or set labelOptional if they "+
			"really have no such label", unlabelled, wording.Count(nodes, "node"), key,
			treatments[min(p.options.Unlabelled, topology.Block)])
		if unlabelled == nodes {
			message = fmt.Sprintf("no node has the label %.100q, and until one has, none is allowed: %s, or set "+
				"labelOptional if they really have no such label", key, g.labelToWrite(z))
		}
		p.warn(z.written, candidate.CodeNoLabel, ".topologyKey", key, message)
	}
}

// labelToWrite describes the label to write: one of the nodes' labels that is similar.
func (g *zoneGate) labelToWrite(z *zoning) string {
	similar := ""
	for i := range g.Nodes {
		if p := g.Pool(i); p == nil || p.ByLayer[z.in.Layer] != z.in.scope {
			continue
		}
		for key := range g.Nodes[i].Labels {
			if wording.Near(key, z.written.Key) && key != z.written.Key && (similar == "" || key < similar) {
				similar = key
			}
		}
	}
	if similar != "" {
		return fmt.Sprintf("write %.100q, which nodes have", similar)
	}
	return "write a label that nodes have, such as topology.kubernetes.io/zone"
}
