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
	all  []zoning // by Zoning.Index
	came map[came]bool
	ties map[gate.Scope]gate.Tie
}

// A came is a node that may go for several reasons, and the zoning that counts it among those that come, once.
type came struct {
	*candidate.Node
	zoning int
}

// A zoning is a budget with a topology key, as time passes.
type zoning struct {
	*Zoning
	of     *Gate
	limits limits
	next   topology.Selection // whose turn it is at Turn.GivesWay; without domains if events may change that before
	first  *gate.Request      // the one that makes next choose its domain: the oldest that is free now
	left   []int              // for each domain, how many of its nodes leave for reasons that next does not depend on
	loose  bool               // some of those may not leave by then
	asked  bool               // some request was told of next
	closes time.Time          // when a window of a pod on its nodes closes, or a pause of their domains begins or ends

	coming []int           // for each domain, how many requests come
	queues []gate.Arrivals // for each domain, when they come
	vague  bool            // that is in doubt
	shaken bool            // a node of the active domain goes for another reason, so when its turn ends is unknown
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
	for _, p := range g.fleet.Scopes {
		for _, z := range g.pools[p.Index].zonings {
			domains := len(z.Turn.Domains)
			c.all = append(c.all, zoning{
				Zoning: z, of: g, limits: g.limits(p),
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
	for i := range c.all {
		if z := &c.all[i]; !z.Turn.GivesWay.IsZero() && !z.changesBy(z.Turn.GivesWay) {
			z.foresee()
		}
	}
	return c
}

// foresee finds out whose turn is next.
func (z *zoning) foresee() {
	z.next, z.first = z.At(z.Turn.GivesWay, z.left), nil
	clear(z.said)
	if !z.next.Chosen || z.next.Active == z.Turn.Active {
		return
	}
	for i := range z.of.fleet.Requests {
		r := &z.of.fleet.Requests[i]
		if r.Kind == nil || !z.Applies(r.Reason()) || !slices.Contains(z.of.all(r.Pool), z.Zoning) {
			continue
		}
		if i := z.Domain(r); i >= 0 {
			if d := &z.Turn.Domains[i]; d.Name == z.next.Active && d.OldestFree == r.Name {
				z.first = r
				return
			}
		}
	}
}

// closes notes when what lasts of a kind of requests changes, for the zonings whose turns depend on them.
func (g *clock) closes(k *gate.Kind) {
	for _, zoned := range g.gate.all(k.Pool) {
		if z := &g.all[zoned.Index]; z.Applies(k.Reason) {
			z.closes = until.First(z.closes, k.Lasts)
		}
	}
}

// cross notes which zonings of a pool's nodes depend on the turns of others.
func (g *clock) cross(p *gate.Pool) {
	for _, zoned := range g.gate.all(p) {
		z := &g.all[zoned.Index]
		for _, other := range g.gate.all(p) {
			if other.in != z.in && other.Orders() && z.TakesTurns() && !slices.Contains(z.beside, other) {
				z.beside, z.shaken = append(z.beside, other), true
			}
		}
	}
}

// changesBy reports whether a blocked node comes free by a time, whether pods hold back one more node by then, or one
// more is overdue. Each could change which domain is next. The time itself is included.
func (z *zoning) changesBy(at time.Time) bool {
	return gate.Reached(until.First(z.limits.Deadline, until.First(z.Turn.NextFree, z.closes)), at)
}

// doubtful reports whether something else may change by a time whose turn it is.
func (z *zoning) doubtful(at time.Time) bool {
	return z.TakesTurns() && gate.Reached(z.closes, at) || !z.Turn.NextChange.IsZero() && z.changesBy(at)
}

// Lifts returns the blockers of the zonings of a request, with the times when they lift. Requests of a domain share the
// answer.
func (g *clock) Lifts(r *gate.Request, _ []candidate.Blocker, c *gate.Chances) (all []candidate.Blocker) {
	for _, zoned := range g.gate.Of(r.Kind) {
		i := zoned.Domain(r)
		if i < 0 {
			continue
		}
		if refusal := zoned.Blockers(i); len(refusal) > 0 {
			z := &g.all[zoned.Index]
			c.WaitForPlace(g.earliest(z), z.shaken)
			c.OtherPools = c.OtherPools || len(z.in.Members) > 1
			if blockers := z.blockers(i, refusal); all == nil {
				all = blockers // most requests have one such zoning, and share its answer
			} else {
				all = append(slices.Clip(all), blockers...)
			}
		}
	}
	return all
}

// earliest returns the earliest time at which time alone may change what a zoning says.
func (g *clock) earliest(z *zoning) time.Time {
	first := until.First(until.First(z.limits.End, z.Turn.NextChange), z.closes)
	for _, other := range z.beside {
		o := &g.all[other.Index]
		first = until.First(first, until.First(until.First(o.limits.End, o.Turn.NextChange), o.closes))
	}
	return first
}

// blockers returns what holds back the next request of a domain.
func (z *zoning) blockers(i int, refusal []candidate.Blocker) []candidate.Blocker {
	z.asked = true
	said := &z.said[i]
	if said.refusal != &refusal[0] || said.coming != z.coming[i] {
		*said = told{&refusal[0], z.coming[i], z.tell(i, refusal[0])}
	}
	return said.blockers
}

// tell adds to a blocker the time when it lifts, if time alone is certain to lift it. If another domain's turn comes
// first once the active domain gives way, tell adds a blocker that says so.
func (z *zoning) tell(i int, b candidate.Blocker) []candidate.Blocker {
	switch unzoned := z.limits.Unzoned; {
	case b.ForGood:
	case z.shaken:
		b.Until = time.Time{}
	case b.Until.IsZero() && z.doubtful(unzoned.Add(-1)):
	case b.Until.IsZero() || unzoned.Before(b.Until) && !unzoned.IsZero():
		b.Until = unzoned
	case !z.next.Allows(z.Turn.Domains[i].Name, z.Taken(i)+z.coming[i]):
		return []candidate.Blocker{b, z.thereafter(i)}
	}
	return []candidate.Blocker{b}
}

// thereafter returns what holds back the next request of a domain once the active domain has given way.
func (z *zoning) thereafter(i int) candidate.Blocker {
	if z.next.Domains == nil {
		return z.in.Said(turnUnknown(z.limits.Unzoned))
	}
	b := z.Refusal(z.next, i, z.Taken(i)+z.coming[i])
	b.Message, b.Until, b.Later = "after that, "+b.Message, z.limits.Unzoned, true
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
func (g *clock) Ends(r *gate.Request) (end time.Time) {
	for _, scope := range r.Scopes() {
		end = until.First(end, g.gate.pools[scope].limits.End)
	}
	return end
}

// Room reports whether the domains of a request have room for it beside all that come.
func (g *clock) Room(r *gate.Request) (end time.Time, room bool) {
	for _, z := range g.gate.Of(r.Kind) {
		if i := z.Domain(r); i >= 0 && z.Taken(i)+g.all[z.Index].coming[i] >= z.Room(i) {
			return end, false
		}
	}
	return end, true
}

// Goes notes what a request that goes changes about turns. The gate itself counts it.
func (g *clock) Goes(r *gate.Request, _ time.Time) {
	for _, zoned := range g.gate.all(r.Pool) {
		g.all[zoned.Index].leave(r, true)
	}
	g.contend(r, g.gate.now)
}

// contend forgets which domains are next where a request that goes at a time may take what that depends on.
func (g *clock) contend(r *gate.Request, at time.Time) {
	for i := range g.all {
		if z := &g.all[i]; z.first != nil && at.Before(z.Turn.GivesWay) && z.contends(r) {
			z.forget()
		}
	}
}

// forget makes it unknown whose turn is next.
func (z *zoning) forget() {
	z.next, z.first = topology.Selection{}, nil
	clear(z.said)
}

// contends reports whether a request may take what the first one of the next domain needs besides its turn: what a
// PodDisruptionBudget allows, or places in a domain of another kind. If it does, the turn may be another domain's.
func (z *zoning) contends(r *gate.Request) bool {
	for _, u := range r.Pods.Uses {
		if slices.ContainsFunc(z.first.Pods.Uses, func(own evict.Use) bool { return own.PDB == u.PDB }) {
			return true
		}
	}
	for _, other := range z.of.all(r.Pool) {
		if other.order != z.order || !other.TakesTurns() {
			i := other.Domain(r)
			if i >= 0 && slices.Contains(z.of.all(z.first.Pool), other) && i == other.Domain(z.first) {
				return true
			}
		}
	}
	return false
}

// leave notes that a node leaves its domain for a reason that the turns do not depend on. If the domain has the turn,
// the turn may end earlier without the node. If not, another domain may be the next: where the node is one of those to
// go, and where it takes the last place of its domain.
func (z *zoning) leave(r *gate.Request, certain bool) {
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
func (g *clock) Comes(r *gate.Request, c *gate.Chances) {
	if !c.InPool().OK {
		return
	}
	for _, zoned := range g.gate.all(r.Pool) {
		z, i := &g.all[zoned.Index], zoned.Domain(r)
		if i < 0 || r.Several() && g.came[came{r.Node, zoned.Index}] {
			continue
		}
		if before := z.Taken(i) + z.coming[i]; before < z.Room(i) || z.next.Allows(z.Turn.Domains[i].Name, before) {
			z.coming[i]++
			if r.Several() {
				g.came[came{r.Node, zoned.Index}] = true
			}
		}
	}
}

// NextChange returns when time alone may first change a turn, or the budgets that limit domains.
func (g *clock) NextChange() (next time.Time) {
	for i := range g.gate.pools {
		next = until.First(next, g.gate.pools[i].limits.End)
	}
	for i := range g.all {
		next = until.First(next, until.First(g.all[i].Turn.NextChange, g.all[i].Turn.NextFree))
	}
	return next
}

// Look does nothing: a request does not stand in its own way, since its domain has room for it or not.
func (g *clock) Look(*gate.Request) {}

// Arrive notes when a request comes. The gate itself counts one that goes.
func (g *clock) Arrive(r *gate.Request, one gate.Arrival, _ *gate.Chances) (never time.Time) {
	if r.Goes {
		return never
	}
	first, comes := one.First()
	for _, zoned := range g.gate.all(r.Pool) {
		z := &g.all[zoned.Index]
		if i := z.Domain(r); i >= 0 {
			z.queues[i].Put(one)
		}
		if comes && (z.Turn.GivesWay.IsZero() || first.Before(z.Turn.GivesWay)) {
			z.leave(r, false) // a younger request that goes earlier may take its place
		}
	}
	if comes {
		g.contend(r, first)
	}
	return never
}

// taken returns how many requests of a domain may have come by a time.
func (z *zoning) taken(domain int, at time.Time) int {
	if z.vague {
		return z.Taken(domain) + z.queues[domain].All()
	}
	return z.Taken(domain) + z.queues[domain].By(at, true)
}

// Doubt says that it is in doubt when requests of a pool come.
func (g *clock) Doubt(s gate.Scope, _ time.Time) {
	for _, z := range g.gate.pools[s].zonings {
		g.all[z.Index].vague = true
	}
}

// Ties reports whether nodes of a pool or a group compete in their domains, and with whom: those of other pools, too,
// where a group limits the domains.
func (g *clock) Ties(s gate.Scope) gate.Tie {
	if g.gate.count == 0 {
		return gate.Untied
	}
	tie, known := g.ties[s]
	if !known {
		tie = g.tiesOf(g.gate.fleet.Scopes[s])
		g.ties[s] = tie
	}
	return tie
}

func (g *clock) tiesOf(s *gate.Pool) (tie gate.Tie) {
	for _, p := range s.Pools() {
		for _, z := range g.gate.all(p) {
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
func (g *clock) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) (after []candidate.Blocker) {
	for _, scope := range r.Scopes() {
		limits := &g.gate.pools[scope].limits
		if gate.Reached(limits.End, at) && !at.Equal(limits.Unzoned) {
			return []candidate.Blocker{g.gate.fleet.Scopes[scope].Said(turnUnknown(time.Time{}))}
		}
	}
	for _, zoned := range g.gate.Of(r.Kind) {
		z, i := &g.all[zoned.Index], zoned.Domain(r)
		switch {
		case i < 0:
		case gate.Reached(z.limits.End, at): // it limits no domain any more
		case z.doubtful(at) || len(z.beside) > 0:
			after = append(after, z.in.Said(turnUnknown(time.Time{})))
		case z.Taken(i) < z.Room(i) && z.taken(i, at) >= z.Room(i):
			after = append(after, z.in.Said(candidate.Blocker{
				Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Later: true,
				Source: &candidate.Source{
					Budgets: []int{z.Turn.Budget}, Key: z.Turn.Key, Domain: z.Turn.Domains[i].Name,
				},
				Message: "nodes in flight and candidates before it use up the budget of " +
					z.Turn.Domains[i].Title() + " after that",
			}))
		}
	}
	return after
}
