package waves

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/until"
)

// clock is the clock of waves. Time ends a bake, and then the places of the next wave are there. All else that changes
// a wave is an event: a node that becomes Ready, or is gone.
type clock struct {
	gate  *Gate
	all   []rollLater // by Roll.number
	vague bool        // it is in doubt when requests come
}

// A rollLater is a Roll as time passes.
type rollLater struct {
	*Roll
	soon      int                 // how many requests may come to take a place, whenever that is
	coming    gate.Arrivals       // when they come, if all that go now start
	contended bool                // they may use up a wave
	unsettled time.Time           // from when on a node may be in flight for another reason; zero: never
	said      []candidate.Blocker // the last answer of Lifts
	saidOf    *candidate.Blocker  // what it was about
	saidUntil time.Time           // and the time that it told
}

// Later begins the second reading.
func (g *Gate) Later(gate.Others) gate.CountingClock {
	c := &clock{gate: g, all: make([]rollLater, g.count)}
	for _, rolls := range g.rolls {
		for _, roll := range rolls {
			c.all[roll.number] = rollLater{Roll: roll}
		}
	}
	return c
}

// NextChange returns when the first bake ends.
func (c *clock) NextChange() (next time.Time) {
	for i := range c.all {
		next = until.First(next, c.all[i].Until())
	}
	return next
}

// ends returns when the bake ends that holds back requests. Zero: there is none, or that is unknown. If another node is
// in flight by then, it begins again.
func (roll *rollLater) ends() (at time.Time) {
	if at = roll.Until(); at.IsZero() || !roll.unsettled.IsZero() && roll.unsettled.Before(at) {
		return time.Time{}
	}
	return at
}

// after returns how many more nodes may go once the bake has ended.
func (roll *rollLater) after() int {
	if size := roll.size(roll.done); size != limit.Unlimited {
		return size - roll.used - roll.going
	}
	return limit.Unlimited
}

// Lifts returns the blockers of a request. Only a bake ends by itself.
func (c *clock) Lifts(r *gate.Request, _ []candidate.Blocker, chances *gate.Chances) (all []candidate.Blocker) {
	for _, own := range c.gate.of(r) {
		if own.left() > 0 {
			continue
		}
		roll := &c.all[own.number]
		chances.OtherPools = chances.OtherPools || len(roll.in.Members) > 1
		chances.WaitForPlace(roll.Until(), false)
		all = gate.Joined(all, roll.tell(own.refuse()))
	}
	return all
}

// tell returns a blocker with the time when it lifts.
func (roll *rollLater) tell(refusal []candidate.Blocker) []candidate.Blocker {
	at := roll.ends()
	if refusal[0].Until.Equal(at) {
		return refusal
	}
	if roll.saidOf != &refusal[0] || !roll.saidUntil.Equal(at) {
		b := refusal[0]
		b.Until = at
		roll.said, roll.saidOf, roll.saidUntil = []candidate.Blocker{b}, &refusal[0], at
	}
	return roll.said
}

// Ends returns no time: time takes no place away.
func (c *clock) Ends(*gate.Request) (never time.Time) { return never }

// Room reports whether there is a place for a request beside all that come.
func (c *clock) Room(r *gate.Request) (never time.Time, room bool) {
	for _, own := range c.gate.of(r) {
		if own.left() <= c.all[own.number].soon {
			return never, false
		}
	}
	return never, true
}

// Goes notes that a node is in flight from now on.
func (c *clock) Goes(r *gate.Request, _ time.Time) { c.leaves(r, c.gate.fleet.Now) }

// leaves notes that the node of a request may be in flight from a time on. A wave bakes only while no node of its scope
// is in flight, for whatever reason. Nodes that go for the roll's own reasons are counted apart.
func (c *clock) leaves(r *gate.Request, at time.Time) {
	if c.gate.count == 0 || r.Kind == nil || !r.Node.Counted() {
		return
	}
	for _, own := range c.gate.all(r.Pool) {
		if roll := &c.all[own.number]; !roll.Covers(r.Reason()) {
			roll.unsettled = until.First(roll.unsettled, until.Latest(at, c.gate.fleet.Now))
		}
	}
}

// Comes notes that the node of a blocked request may be in flight later.
func (c *clock) Comes(r *gate.Request, chances *gate.Chances) {
	c.leaves(r, chances.Earliest.At)
	for own := range c.gate.takesPlaceIn(r) {
		c.all[own.number].soon++
	}
}

// Look does nothing: a node that comes for several reasons is counted for each, since it is unknown for which it comes
// first.
func (c *clock) Look(*gate.Request) {}

// Arrive notes when a request comes to take a place. If it may take that of others that come later, it returns from
// when on.
func (c *clock) Arrive(r *gate.Request, one gate.Arrival, _ *gate.Chances) (doubt time.Time) {
	if one.State == gate.Absent {
		return doubt
	}
	first, comes := one.First()
	for own := range c.gate.takesPlaceIn(r) {
		roll := &c.all[own.number]
		if !r.Goes {
			roll.coming.Put(one)
		}
		if coming := roll.coming.All(); coming > 0 && roll.after() < coming {
			roll.contended = true
			if comes && roll.coming.LastFirm().After(first) {
				doubt = until.First(doubt, first)
			}
		}
	}
	return doubt
}

// Doubt makes the order of those that come vague, if it matters.
func (c *clock) Doubt(gate.Scope, time.Time) { c.vague = c.vague || c.contended() }

// Ties reports that requests compete once those that come may use up a wave, be it that of a group.
func (c *clock) Ties(gate.Scope) gate.Tie {
	if c.contended() {
		return gate.AcrossScopes
	}
	return gate.Untied
}

func (c *clock) contended() bool {
	for i := range c.all {
		if c.all[i].contended {
			return true
		}
	}
	return false
}

// by returns how many may have come by a time.
func (c *clock) by(roll *rollLater, at time.Time) int {
	if c.vague {
		return roll.coming.All()
	}
	return roll.coming.By(at, true)
}

// Foresee returns what will hold back a request at a later time: those that come before it may use up its wave, or the
// one after the bake that holds it back now.
func (c *clock) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) (after []candidate.Blocker) {
	for _, own := range c.gate.of(r) {
		roll := &c.all[own.number]
		wave, left := roll.baked, roll.left()
		if left <= 0 {
			if wave, left = roll.done, roll.after(); !gate.Reached(roll.ends(), at) {
				left = 0
			}
		}
		if left <= c.by(roll, at) {
			after = append(after, roll.in.Said(candidate.Blocker{
				Gate: candidate.GateWave, Code: candidate.CodeWaveFull, Later: true,
				Message: "after that, " + roll.full(wave, roll.going) + ", and others come before this one",
			}))
		}
	}
	return after
}
