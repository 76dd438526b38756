package zones

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/evict"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// clock is the clock of zones: of turns, and of limits of domains.
type clock struct {
	gate *Gate
	all  []zoningLater // by Zoning.Index
	came map[came]bool
	ties map[gate.Scope]gate.Tie
}

// A came is a node that may go for several reasons, and the zoning that counts it among those that come, once.
type came struct {
	*candidate.Node
	zoning int
}

// A zoningLater is a Zoning as time passes.
type zoningLater struct {
	*Zoning
	gate     *Gate
	validity *validity // of its pool

	next   topology.Selection // whose turn it is at Turn.GivesWay; without domains if events may change that before
	first  *gate.Request      // the one that makes next choose its domain: the oldest that is free now
	left   []int              // for each domain, how many of its nodes leave for reasons that next does not depend on
	loose  bool               // some of those may not leave by then
	asked  bool               // some request was told of next
	closes time.Time          // when a window of a pod on its nodes closes, or a pause of their domains begins or ends

	coming []int           // for each domain, how many requests come
	queues []gate.Arrivals // for each domain, when they come
	vague  bool            // that is in doubt
	holds  *gate.Request   // the oldest of the active domain that is free: without it, another domain may have the turn
	shaken bool            // others take what the active domain needs, so when its turn ends is unknown
	beside []*Zoning       // those that order other scopes with pools of this one: so it is unknown, too
	said   []told
}

// told is the last answer for a domain, and what it depends on.
type told struct {
	refusal  *candidate.Blocker // the gate's blocker, without a time
	coming   int
	blockers []candidate.Blocker
}

// Later begins the second reading.
func (g *Gate) Later(gate.Others) gate.CountingClock {
	c := &clock{gate: g, came: map[came]bool{}, ties: map[gate.Scope]gate.Tie{}}
	for i := range g.pools {
		p := &g.pools[i]
		for _, z := range p.zonings {
			domains := len(z.Turn.Domains)
			c.all = append(c.all, zoningLater{
				Zoning: z, gate: g, validity: &p.validity,
				coming: make([]int, domains), left: make([]int, domains),
				queues: make([]gate.Arrivals, domains), said: make([]told, domains),
			})
		}
	}
	for _, k := range g.fleet.Kinds {
		if !k.Pool.Grouped() {
			c.closes(k)
		}
	}
	for _, p := range g.fleet.Pools {
		c.cross(p)
	}
	c.findHolders()
	for i := range c.all {
		if later := &c.all[i]; !later.Turn.GivesWay.IsZero() && !later.changesBy(later.Turn.GivesWay) {
			later.foresee()
		}
	}
	return c
}

// findHolders finds out which request each turn depends on. Once one goes, its domain keeps the turn.
func (c *clock) findHolders() {
	if !slices.ContainsFunc(c.all, func(z zoningLater) bool { return z.TakesTurns() && z.Turn.Chosen }) {
		return
	}
	for i := range c.gate.fleet.Requests {
		r := &c.gate.fleet.Requests[i]
		if r.Kind == nil || r.Goes || len(r.Pods.Uses) == 0 && len(c.gate.all(r.Pool)) < 2 { // nobody contends
			continue
		}
		for _, z := range c.gate.all(r.Pool) {
			later := &c.all[z.Index]
			if later.holds == nil && z.TakesTurns() && z.Turn.Chosen && z.isFirst(r, z.Turn.Active) {
				later.holds = r
			}
		}
	}
}

// isFirst reports whether a request is the oldest of a domain that is free now.
func (z *Zoning) isFirst(r *gate.Request, domain string) bool {
	i := z.Domain(r)
	if i < 0 {
		return false
	}
	d := &z.Turn.Domains[i]
	return d.Name == domain && d.OldestFree == r.Name && z.Applies(r.Reason())
}

// foresee finds out whose turn is next.
func (z *zoningLater) foresee() {
	z.next, z.first = z.At(z.Turn.GivesWay, z.left), nil
	clear(z.said)
	if !z.next.Chosen || z.next.Active == z.Turn.Active {
		return
	}
	for i := range z.gate.fleet.Requests {
		r := &z.gate.fleet.Requests[i]
		if r.Kind != nil && slices.Contains(z.gate.all(r.Pool), z.Zoning) && z.isFirst(r, z.next.Active) {
			z.first = r
			return
		}
	}
}

// closes notes when what lasts of a kind of requests changes, for the zonings whose turns depend on them.
func (c *clock) closes(k *gate.Kind) {
	for _, z := range c.gate.all(k.Pool) {
		if later := &c.all[z.Index]; later.Applies(k.Reason) {
			later.closes = until.First(later.closes, k.Lasts)
		}
	}
}

// cross notes which zonings of a pool's nodes depend on the turns of others.
func (c *clock) cross(p *gate.Pool) {
	for _, z := range c.gate.all(p) {
		later := &c.all[z.Index]
		for _, other := range c.gate.all(p) {
			if other.in != z.in && other.Orders() && z.TakesTurns() && !slices.Contains(later.beside, other) {
				later.beside, later.shaken = append(later.beside, other), true
			}
		}
	}
}

// changesBy reports whether a blocked node comes free by a time, whether pods hold back one more node by then, or one
// more is overdue. Each could change which domain is next. The time itself is included.
func (z *zoningLater) changesBy(at time.Time) bool {
	return gate.Reached(until.First(z.validity.Deadline, until.First(z.Turn.NextFree, z.closes)), at)
}

// doubtful reports whether something else may change by a time whose turn it is.
func (z *zoningLater) doubtful(at time.Time) bool {
	return z.TakesTurns() && gate.Reached(z.closes, at) || !z.Turn.NextChange.IsZero() && z.changesBy(at)
}

// Lifts returns the blockers of the zonings of a request, with the times when they lift. Requests of a domain share the
// answer.
func (c *clock) Lifts(r *gate.Request, _ []candidate.Blocker, chances *gate.Chances) (all []candidate.Blocker) {
	for _, z := range c.gate.Of(r.Kind) {
		i := z.Domain(r)
		if i < 0 {
			continue
		}
		if refusal := z.Blockers(i); len(refusal) > 0 && !repeats(all, refusal) {
			later := &c.all[z.Index]
			chances.WaitForPlace(c.earliest(later), later.shaken)
			chances.OtherPools = chances.OtherPools || len(z.in.Members) > 1
			if blockers := later.blockers(i, refusal); all == nil {
				all = blockers // most requests have one such zoning, and share its answer
			} else {
				all = append(slices.Clip(all), blockers...)
			}
		}
	}
	return all
}

// earliest returns the earliest time at which time alone may change what a zoning says.
func (c *clock) earliest(z *zoningLater) time.Time {
	first := until.First(until.First(z.validity.End, z.Turn.NextChange), z.closes)
	for _, other := range z.beside {
		o := &c.all[other.Index]
		first = until.First(first, until.First(until.First(o.validity.End, o.Turn.NextChange), o.closes))
	}
	return first
}

// blockers returns what holds back the next request of a domain.
func (z *zoningLater) blockers(i int, refusal []candidate.Blocker) []candidate.Blocker {
	z.asked = true
	said := &z.said[i]
	if said.refusal != &refusal[0] || said.coming != z.coming[i] {
		*said = told{&refusal[0], z.coming[i], z.tell(i, refusal[0])}
	}
	return said.blockers
}

// tell adds to a blocker the time when it lifts, if time alone is certain to lift it. If another domain's turn comes
// first once the active domain gives way, tell adds a blocker that says so.
func (z *zoningLater) tell(i int, b candidate.Blocker) []candidate.Blocker {
	switch unzoned := z.validity.Unzoned; {
	case b.ForGood:
		// Only a change of configuration lifts it.
	case z.shaken:
		// The active domain may give way before the time that the turn tells.
		b.Until = time.Time{}
	case b.Until.IsZero() && z.doubtful(unzoned.Add(-1)):
		// Before Unzoned, it may be another domain's turn. What changes at Unzoned itself no longer matters.
	case b.Until.IsZero() || unzoned.Before(b.Until) && !unzoned.IsZero():
		// The limits end before the turn does.
		b.Until = unzoned
	case !z.next.Allows(z.Turn.Domains[i].Name, z.Taken(i)+z.coming[i]):
		// The active domain gives way, but not to this one, or not to one more of its nodes.
		return []candidate.Blocker{b, z.thereafter(i)}
	}
	return []candidate.Blocker{b}
}

// thereafter returns what holds back the next request of a domain once the active domain has given way.
func (z *zoningLater) thereafter(i int) candidate.Blocker {
	if z.next.Domains == nil {
		return z.in.Said(turnUnknown(z.validity.Unzoned))
	}
	b := z.Refusal(z.next, i, z.Taken(i)+z.coming[i])
	b.Message, b.Until, b.Later = "after that, "+b.Message, z.validity.Unzoned, true
	return b
}

// turnUnknown holds back a request after something else has lifted.
func turnUnknown(until time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Until: until, Later: true,
		Message: "the turn after that depends on events until then",
	}
}

// Ends returns until when the same budgets limit the domains.
func (c *clock) Ends(r *gate.Request) (end time.Time) {
	for _, scope := range r.Scopes() {
		end = until.First(end, c.gate.pools[scope].validity.End)
	}
	return end
}

// Room reports whether the domains of a request have room for it beside all that come.
func (c *clock) Room(r *gate.Request) (end time.Time, room bool) {
	for _, z := range c.gate.Of(r.Kind) {
		if i := z.Domain(r); i >= 0 && z.Taken(i)+c.all[z.Index].coming[i] >= z.Room(i) {
			return end, false
		}
	}
	return end, true
}

// Goes notes what a request that goes changes about turns. The gate itself counts it.
func (c *clock) Goes(r *gate.Request, _ time.Time) {
	for _, z := range c.gate.all(r.Pool) {
		c.all[z.Index].leave(r, true)
	}
	c.contend(r, c.gate.now)
}

// contend forgets which domains have the turn, or are next, where a request that goes at a time may take what that
// depends on.
func (c *clock) contend(r *gate.Request, at time.Time) {
	for i := range c.all {
		later := &c.all[i]
		if later.first != nil && at.Before(later.Turn.GivesWay) && later.contends(r, later.first) {
			later.forget()
		}
		if later.holds != nil && later.holds != r && later.contends(r, later.holds) {
			later.holds, later.shaken = nil, true
			clear(later.said)
		}
	}
}

// forget makes it unknown whose turn is next.
func (z *zoningLater) forget() {
	z.next, z.first = topology.Selection{}, nil
	clear(z.said)
}

// contends reports whether a request may take what the first one of a domain needs besides its turn: what a
// PodDisruptionBudget allows, or places in a domain of another kind. If it does, the turn may be another domain's.
func (z *zoningLater) contends(r, first *gate.Request) bool {
	for _, u := range r.Pods.Uses {
		if slices.ContainsFunc(first.Pods.Uses, func(own evict.Use) bool { return own.PDB == u.PDB }) {
			return true
		}
	}
	for _, other := range z.gate.all(r.Pool) {
		if other.order != z.order || !other.TakesTurns() {
			i := other.Domain(r)
			if i >= 0 && slices.Contains(z.gate.all(first.Pool), other) && i == other.Domain(first) {
				return true
			}
		}
	}
	return false
}

// leave notes that a node leaves its domain for a reason that the turns do not depend on. If the domain has the turn,
// the turn may end earlier without the node. If not, another domain may be the next: where the node is one of those to
// go, and where it takes the last place of its domain.
func (z *zoningLater) leave(r *gate.Request, certain bool) {
	i := z.Domain(r)
	if i < 0 || !z.TakesTurns() || z.Applies(r.Reason()) {
		return
	}
	d := &z.Turn.Domains[i]
	waits := slices.ContainsFunc(r.Node.Conditions, func(c candidate.Condition) bool { return z.Applies(c.Reason) })
	if !r.Uncounted() {
		z.left[i]++
	}
	z.loose = z.loose || !certain
	switch full := z.left[i] >= d.Remaining; {
	case z.Turn.Chosen && d.Name == z.Turn.Active:
		z.shaken = true
		clear(z.said)
	case z.next.Domains == nil:
	case waits, full && (z.loose || z.asked):
		z.forget()
	case full:
		if z.foresee(); !z.next.Chosen { // then places count alone, and those behind in line take some, too
			z.forget()
		}
	}
}

// Comes counts a request that time alone lets go. If there is no room for it now or at the next turn, it goes later
// still, and is not counted.
func (c *clock) Comes(r *gate.Request, chances *gate.Chances) {
	if !chances.InPool().OK {
		return
	}
	for _, z := range c.gate.all(r.Pool) {
		later, i := &c.all[z.Index], z.Domain(r)
		if i < 0 || r.Several() && c.came[came{r.Node, z.Index}] {
			continue
		}
		before := z.Taken(i) + later.coming[i]
		if before < z.Room(i) || later.next.Allows(z.Turn.Domains[i].Name, before) {
			later.coming[i]++
			if r.Several() {
				c.came[came{r.Node, z.Index}] = true
			}
		}
	}
}

// NextChange returns when time alone may first change a turn, or the budgets that limit domains.
func (c *clock) NextChange() (next time.Time) {
	for i := range c.gate.pools {
		next = until.First(next, c.gate.pools[i].validity.End)
	}
	for i := range c.all {
		next = until.First(next, until.First(c.all[i].Turn.NextChange, c.all[i].Turn.NextFree))
	}
	return next
}

// Look does nothing: a request does not stand in its own way, since its domain has room for it or not.
func (c *clock) Look(*gate.Request) {}

// Arrive notes when a request comes. The gate itself counts one that goes.
func (c *clock) Arrive(r *gate.Request, one gate.Arrival, _ *gate.Chances) (never time.Time) {
	if r.Goes {
		return never
	}
	first, comes := one.First()
	for _, z := range c.gate.all(r.Pool) {
		later := &c.all[z.Index]
		if i := z.Domain(r); i >= 0 {
			later.queues[i].Put(one)
		}
		if comes && (z.Turn.GivesWay.IsZero() || first.Before(z.Turn.GivesWay)) {
			later.leave(r, false) // a younger request that goes earlier may take its place
		}
	}
	if comes {
		c.contend(r, first)
	}
	return never
}

// mostTakenBy returns how many requests of a domain may have come by a time.
func (z *zoningLater) mostTakenBy(domain int, at time.Time) int {
	if z.vague {
		return z.Taken(domain) + z.queues[domain].All()
	}
	return z.Taken(domain) + z.queues[domain].By(at, true)
}

// Doubt says that it is in doubt when requests of a pool come.
func (c *clock) Doubt(s gate.Scope, _ time.Time) {
	for _, z := range c.gate.pools[s].zonings {
		c.all[z.Index].vague = true
	}
}

// Ties reports whether nodes of a pool or a group compete in their domains, and with whom: those of other pools, too,
// where a group limits the domains.
func (c *clock) Ties(s gate.Scope) gate.Tie {
	if c.gate.count == 0 {
		return gate.Untied
	}
	tie, known := c.ties[s]
	if !known {
		tie = c.tiesOf(c.gate.fleet.Scopes[s])
		c.ties[s] = tie
	}
	return tie
}

func (c *clock) tiesOf(s *gate.Pool) (tie gate.Tie) {
	for _, p := range s.Pools() {
		for _, z := range c.gate.all(p) {
			elsewhere := func(p *gate.Pool) bool { return p.Within[s.Layer] != s }
			if tie = gate.WithinScope; z.in != s && slices.ContainsFunc(z.in.Members, elsewhere) {
				return gate.AcrossScopes
			}
		}
	}
	return tie
}

// Foresee returns what will hold back a request at a later time: another domain's turn, or requests before it that take
// the last places in its own domain. Once the limits have ended, other budgets may order the pool, so nothing more is
// known.
func (c *clock) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) (after []candidate.Blocker) {
	for _, scope := range r.Scopes() {
		// At Unzoned itself, no domain is limited. After it, or where others open, budgets may order the pool anew.
		v := &c.gate.pools[scope].validity
		if gate.Reached(v.End, at) && !at.Equal(v.Unzoned) {
			return []candidate.Blocker{c.gate.fleet.Scopes[scope].Said(turnUnknown(time.Time{}))}
		}
	}
	for _, z := range c.gate.Of(r.Kind) {
		later, i := &c.all[z.Index], z.Domain(r)
		switch {
		case i < 0:
		case gate.Reached(later.validity.End, at): // it limits no domain any more
		case later.doubtful(at) || len(later.beside) > 0:
			after = append(after, z.in.Said(turnUnknown(time.Time{})))
		case z.Taken(i) < z.Room(i) && later.mostTakenBy(i, at) >= z.Room(i):
			after = append(after, z.in.Said(candidate.Blocker{
				Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Later: true,
				Source: &candidate.Source{
					Budgets: []int{z.Turn.Budget}, Key: z.Turn.Key, Domain: z.Turn.Domains[i].Name,
				},
				Message: "nodes in flight and candidates before it use up the budget of " +
					z.Turn.Domains[i].Title() + " after that",
			}))
		case later.shaken && z.TakesTurns(): // it has the turn now, and may have lost it by then
			after = append(after, z.in.Said(turnUnknown(time.Time{})))
		}
	}
	return after
}
