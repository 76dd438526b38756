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
	all   []roll // by Roll.number
	vague bool   // it is in doubt when requests come
}

// A roll is a Roll as time passes.
type roll struct {
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
	c := &clock{gate: g, all: make([]roll, g.count)}
	for _, rolls := range g.rolls {
		for _, r := range rolls {
			c.all[r.number] = roll{Roll: r}
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
func (r *roll) ends() (at time.Time) {
	if at = r.Until(); at.IsZero() || !r.unsettled.IsZero() && r.unsettled.Before(at) {
		return time.Time{}
	}
	return at
}

// after returns how many more nodes may go once the bake has ended.
func (r *roll) after() int {
	if size := r.size(r.done); size != limit.Unlimited {
		return size - r.used - r.going
	}
	return limit.Unlimited
}

// Lifts returns the blockers of a request. Only a bake ends by itself.
func (c *clock) Lifts(q *gate.Request, _ []candidate.Blocker, chances *gate.Chances) (all []candidate.Blocker) {
	for _, own := range c.gate.of(q) {
		if own.left() > 0 {
			continue
		}
		r := &c.all[own.number]
		chances.OtherPools = chances.OtherPools || len(r.in.Members) > 1
		chances.WaitForPlace(r.Until(), false)
		all = gate.Joined(all, r.tell(own.refuse()))
	}
	return all
}

// tell returns a blocker with the time when it lifts.
func (r *roll) tell(refusal []candidate.Blocker) []candidate.Blocker {
	at := r.ends()
	if refusal[0].Until.Equal(at) {
		return refusal
	}
	if r.saidOf != &refusal[0] || !r.saidUntil.Equal(at) {
		b := refusal[0]
		b.Until = at
		r.said, r.saidOf, r.saidUntil = []candidate.Blocker{b}, &refusal[0], at
	}
	return r.said
}

// Ends returns no time: time takes no place away.
func (c *clock) Ends(*gate.Request) (never time.Time) { return never }

// Room reports whether there is a place for a request beside all that come.
func (c *clock) Room(q *gate.Request) (never time.Time, room bool) {
	for _, own := range c.gate.of(q) {
		if own.left() <= c.all[own.number].soon {
			return never, false
		}
	}
	return never, true
}

// Goes notes that a node is in flight from now on. If it takes no place of a wave, it is in the way of its bake.
func (c *clock) Goes(q *gate.Request, _ time.Time) { c.leaves(q, c.gate.fleet.Now) }

// leaves notes that the node of a request may be in flight from a time on.
func (c *clock) leaves(q *gate.Request, at time.Time) {
	if c.gate.count == 0 || q.Kind == nil || !q.Node.Counted() {
		return
	}
	for _, own := range c.gate.all(q.Pool) {
		if r := &c.all[own.number]; !r.Covers(q.Reason()) {
			r.unsettled = until.First(r.unsettled, until.Latest(at, c.gate.fleet.Now))
		}
	}
}

// Comes notes that the node of a blocked request may be in flight later.
func (c *clock) Comes(q *gate.Request, chances *gate.Chances) {
	c.leaves(q, chances.Earliest.At)
	for own := range c.gate.taken(q) {
		c.all[own.number].soon++
	}
}

// Look does nothing: a node that comes for several reasons is counted for each, since it is unknown for which it comes
// first.
func (c *clock) Look(*gate.Request) {}

// Arrive notes when a request comes to take a place. If it may take that of others that come later, it returns from
// when on.
func (c *clock) Arrive(q *gate.Request, one gate.Arrival, _ *gate.Chances) (doubt time.Time) {
	if one.State == gate.Absent {
		return doubt
	}
	first, comes := one.First()
	for own := range c.gate.taken(q) {
		r := &c.all[own.number]
		if !q.Goes {
			r.coming.Put(one)
		}
		if coming := r.coming.All(); coming > 0 && r.after() < coming {
			r.contended = true
			if comes && r.coming.LastFirm().After(first) {
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
func (c *clock) by(r *roll, at time.Time) int {
	if c.vague {
		return r.coming.All()
	}
	return r.coming.By(at, true)
}

// Foresee returns what will hold back a request at a later time: those that come before it may use up its wave, or the
// one after the bake that holds it back now.
func (c *clock) Foresee(q *gate.Request, at time.Time, _ *gate.Chances) (after []candidate.Blocker) {
	for _, own := range c.gate.of(q) {
		r := &c.all[own.number]
		wave, left := r.baked, r.left()
		if left <= 0 {
			if wave, left = r.done, r.after(); !gate.Reached(r.ends(), at) {
				left = 0
			}
		}
		if left <= c.by(r, at) {
			after = append(after, r.in.Said(candidate.Blocker{
				Gate: candidate.GateWave, Code: candidate.CodeWaveFull, Later: true,
				Message: "after that, " + r.full(wave, r.going) + ", and others come before this one",
			}))
		}
	}
	return after
}
