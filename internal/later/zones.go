package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// zones is the clock of the gate of zones: of turns, and of limits of domains.
type zones struct {
	row  *gate.Row
	all  []zoning // by Zoning.Index
	came map[came]bool
}

// A came is a node that may go for several reasons, and the zoning that counts it among those that come, once.
type came struct {
	*candidate.Node
	zoning int
}

// A zoning is a budget with a topology key, as time passes.
type zoning struct {
	*gate.Zoning
	limits gate.Limits
	next   topology.Selection // whose turn it is at Turn.GivesWay; not chosen if something else may change that before
	closes time.Time          // when a window closes of a pod on the nodes that it counts, or a pause of their domains begins or ends

	coming []int      // for each domain, how many requests come
	queues []arrivals // for each domain, when they come
	vague  bool       // that is in doubt
	shaken bool       // a node of the active domain goes for another reason, so when its turn ends is unknown
	said   []toldOf
}

// toldOf is the last answer for a domain, and what it depends on.
type toldOf struct {
	told
	coming int
}

func newZones(row *gate.Row) *zones {
	g := &zones{row: row, came: map[came]bool{}}
	for _, p := range row.Pools {
		for _, z := range row.Zones.All(p) {
			domains := len(z.Turn.Domains)
			g.all = append(g.all, zoning{
				Zoning: z, limits: row.Zones.Limits(p),
				coming: make([]int, domains), queues: make([]arrivals, domains), said: make([]toldOf, domains),
			})
		}
	}
	if len(g.all) > 0 {
		g.findClosings()
	}
	for i := range g.all {
		if z := &g.all[i]; !z.Turn.GivesWay.IsZero() && !z.changesBy(z.Turn.GivesWay) {
			z.next = z.At(z.Turn.GivesWay)
		}
	}
	return g
}

// findClosings finds, for each zoning, when the first window closes of the pods on its nodes, or a pause of their domains begins or
// ends.
func (g *zones) findClosings() {
	for _, k := range g.row.Kinds {
		g.closes(k, k.Closes)
	}
	if len(g.row.Signals.AllPauses()) == 0 {
		return
	}
	for i := range g.row.Requests {
		r := &g.row.Requests[i]
		if r.Kind == nil {
			continue
		}
		for p := range g.row.Signals.DomainPauses(r) {
			_, change := p.State(g.row.Now)
			g.closes(r.Kind, change)
		}
	}
}

// closes notes a closing for the zonings whose turns depend on a kind of requests. The zero time is none.
func (g *zones) closes(k *gate.Kind, at time.Time) {
	for _, zoned := range g.row.Zones.All(k.Pool) {
		if z := &g.all[zoned.Index]; z.Applies(k.Reason) {
			z.closes = until.First(z.closes, at)
		}
	}
}

// changesBy reports whether a blocked node comes free by a time, whether pods hold back one more node by then, or one more is overdue.
// Each could change which domain is next. The time itself is included.
func (z *zoning) changesBy(at time.Time) bool {
	return reached(until.First(z.limits.Deadline, until.First(z.Turn.NextFree, z.closes)), at)
}

// doubtful reports whether something else may change by a time whose turn it is.
func (z *zoning) doubtful(at time.Time) bool {
	return z.TakesTurns() && reached(z.closes, at) || !z.Turn.NextChange.IsZero() && z.changesBy(at)
}

// reached reports whether an event has happened by a time. The zero event never happens.
func reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }

// until returns the blockers of the zonings of a request, with the times when they lift. Requests of a domain share the answer.
func (g *zones) until(r *gate.Request, _ []candidate.Blocker, c *chances) (told []candidate.Blocker) {
	for _, zoned := range g.row.Zones.Of(r.Kind) {
		i := zoned.Domain(r)
		if i < 0 {
			continue
		}
		if refusal := zoned.Blockers(i); len(refusal) > 0 {
			z := &g.all[zoned.Index]
			c.waitForPlace(z.earliest(), z.shaken)
			if blockers := z.blockers(i, refusal); told == nil {
				told = blockers // most requests have one such zoning, and share its answer
			} else {
				told = append(slices.Clip(told), blockers...)
			}
		}
	}
	return told
}

// earliest returns the earliest time at which time alone may change what a zoning says.
func (z *zoning) earliest() time.Time {
	return until.First(until.First(z.limits.End, z.Turn.NextChange), z.closes)
}

// blockers returns what holds back the next request of a domain.
func (z *zoning) blockers(i int, refusal []candidate.Blocker) []candidate.Blocker {
	said := &z.said[i]
	if said.refusal != &refusal[0] || said.coming != z.coming[i] {
		*said = toldOf{told{refusal: &refusal[0], blockers: z.tell(i, refusal[0])}, z.coming[i]}
	}
	return said.blockers
}

// tell adds to a blocker the time when it lifts, if time alone is certain to lift it. If another domain's turn comes first once the
// active domain gives way, tell adds a blocker that says so.
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
	if !z.next.Chosen {
		return turnUnknown(z.limits.Unzoned)
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

// end returns until when the same budgets limit the domains.
func (g *zones) end(r *gate.Request) time.Time { return g.row.Zones.Limits(r.Pool).End }

// room reports whether the domains of a request have room for it beside all that come.
func (g *zones) room(r *gate.Request) (end time.Time, room bool) {
	for _, z := range g.row.Zones.Of(r.Kind) {
		if i := z.Domain(r); i >= 0 && z.Taken(i)+g.all[z.Index].coming[i] >= z.Room(i) {
			return end, false
		}
	}
	return end, true
}

// goes notes what a request that goes changes about turns. The gate itself counts it.
func (g *zones) goes(r *gate.Request, _ time.Time) {
	for _, zoned := range g.row.Zones.All(r.Pool) {
		g.all[zoned.Index].leave(r)
	}
}

// leave notes that a node leaves its domain for a reason that the turns do not depend on. If the domain has the turn, the turn may end
// earlier without the node. If not, another domain may be the next.
func (z *zoning) leave(r *gate.Request) {
	i := z.Domain(r)
	if i < 0 || !z.TakesTurns() || z.Applies(r.Reason()) {
		return
	}
	waits := slices.ContainsFunc(r.Node.Conditions, func(c candidate.Condition) bool { return z.Applies(c.Reason) })
	switch active := z.Turn.Chosen && z.Turn.Domains[i].Name == z.Turn.Active; {
	case active:
		z.shaken = true
		clear(z.said)
	case waits:
		z.next = topology.Selection{}
		clear(z.said)
	}
}

// comes counts a request that time alone lets go. If there is no room for it now or at the next turn, it goes later still, and
// is not counted.
func (g *zones) comes(r *gate.Request, c *chances) {
	if !c.inPool().ok {
		return
	}
	for _, zoned := range g.row.Zones.All(r.Pool) {
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

// next returns when time alone may first change a turn, or the budgets that limit domains.
func (g *zones) next() (next time.Time) {
	for _, p := range g.row.Pools {
		next = until.First(next, g.row.Zones.Limits(p).End)
	}
	for i := range g.all {
		next = until.First(next, until.First(g.all[i].Turn.NextChange, g.all[i].Turn.NextFree))
	}
	return next
}

// arrive notes when a request comes.
func (g *zones) arrive(r *gate.Request, one arrival) {
	for _, zoned := range g.row.Zones.All(r.Pool) {
		z := &g.all[zoned.Index]
		if i := z.Domain(r); i >= 0 {
			z.queues[i].put(one)
		}
		if first, comes := one.first(); comes && (z.Turn.GivesWay.IsZero() || !first.After(z.Turn.GivesWay)) {
			z.leave(r)
		}
	}
}

// taken returns how many requests of a domain may have come by a time.
func (z *zoning) taken(domain int, at time.Time) int {
	if z.vague {
		return z.Taken(domain) + z.queues[domain].all
	}
	return z.Taken(domain) + z.queues[domain].by(at, true)
}

// doubt says that it is in doubt when requests of a pool come.
func (g *zones) doubt(p *gate.Pool) {
	for _, z := range g.row.Zones.All(p) {
		g.all[z.Index].vague = true
	}
}

// after returns what will hold back a request at a later time: another domain's turn, or older candidates that take the last
// places in its own domain. Once the limits have ended, other budgets may order the pool, so nothing more is known.
func (g *zones) after(r *gate.Request, at time.Time, _ *chances) (after []candidate.Blocker) {
	limits := g.row.Zones.Limits(r.Pool)
	if !limits.End.IsZero() && !limits.End.After(at) {
		if at.Equal(limits.Unzoned) {
			return nil
		}
		return []candidate.Blocker{turnUnknown(time.Time{})}
	}
	for _, zoned := range g.row.Zones.Of(r.Kind) {
		z, i := &g.all[zoned.Index], zoned.Domain(r)
		switch {
		case i < 0:
		case z.doubtful(at):
			after = append(after, turnUnknown(time.Time{}))
		case z.Taken(i) < z.Room(i) && z.taken(i, at) >= z.Room(i):
			after = append(after, candidate.Blocker{
				Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Later: true,
				Source:  &candidate.Source{Budgets: []int{z.Turn.Budget}, Key: z.Turn.Key, Domain: z.Turn.Domains[i].Name},
				Message: "nodes in flight and older candidates use up the budget of " + z.Turn.Domains[i].Title() + " after that",
			})
		}
	}
	return after
}
