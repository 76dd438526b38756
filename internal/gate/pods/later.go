package pods

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// clock is the clock of pods. Time closes the windows of pods, and moves the places at PodDisruptionBudgets.
type clock struct {
	gate      *Gate
	places    []place // by PodDisruptionBudget
	contended bool    // those that come may use up some PodDisruptionBudget
	vague     bool    // when those that come do so is in doubt
}

// A place is what requests compete for at a PodDisruptionBudget.
type place struct {
	gate.Place
	soon   int           // how many requests may come to take one, whenever that is
	coming gate.Arrivals // when they come
}

// Later begins the second reading.
func (g *Gate) Later(gate.Others) gate.CountingClock { return &clock{gate: g} }

// NextChange returns when the first window of any pod closes.
func (c *clock) NextChange() time.Time { return c.gate.closes }

// Room reports no end. Who may take the place at a PodDisruptionBudget, and when, is part of Ends, since those are of
// all pools.
func (c *clock) Room(*gate.Request) (end time.Time, room bool) { return end, true }

// Look does nothing: a node that comes for several reasons is counted for each, since it is unknown for which it comes
// first.
func (c *clock) Look(*gate.Request) {}

// Doubt makes the order of those that come vague, if it matters.
func (c *clock) Doubt(gate.Scope, time.Time) { c.vague = c.vague || c.contended }

// Ties reports that requests of all pools compete, once those that come may use up a PodDisruptionBudget.
func (c *clock) Ties(gate.Scope) gate.Tie {
	if c.contended {
		return gate.AcrossScopes
	}
	return gate.Untied
}

func (c *clock) place(pdb int) *place {
	for len(c.places) <= pdb {
		c.places = append(c.places, place{})
	}
	return &c.places[pdb]
}

// Lifts delays the chances until the pods' own blockers have lifted. If requests ahead of it in line use up a
// PodDisruptionBudget, it also delays them until the first of those requests leaves. Those may be of another pool.
func (c *clock) Lifts(r *gate.Request, said []candidate.Blocker, chances *gate.Chances) []candidate.Blocker {
	chances.Lift(r.Pods.Blockers)
	if len(said) == len(r.Pods.Blockers) {
		return said
	}
	waived := waivedFrom(r)
	chances.OtherPools = true
	chances.AllStarted.Wait(waived)
	for _, u := range r.Pods.Uses {
		if pdb := int(u.PDB); c.gate.pods.Left(pdb) <= 0 {
			chances.Earliest.Wait(until.First(c.place(pdb).Leaves, waived))
		}
	}
	return gate.By(waived, said)
}

// waivedFrom returns from when on the pods of a request hold it back no longer, since its node is overdue and has a
// grace period. Zero is never.
func waivedFrom(r *gate.Request) (never time.Time) {
	if r.Pods.Waived || !r.Node.HasGracePeriod {
		return never
	}
	return r.Deadline()
}

// Goes notes that a request goes, and leaves its places at PodDisruptionBudgets at a time.
func (c *clock) Goes(r *gate.Request, end time.Time) {
	for _, u := range r.Pods.Uses {
		c.place(int(u.PDB)).Leave(end)
	}
}

// Comes notes that a blocked request comes to take places at PodDisruptionBudgets.
func (c *clock) Comes(r *gate.Request, chances *gate.Chances) {
	for _, u := range r.Pods.Uses {
		p := c.place(int(u.PDB))
		p.Come(chances.Earliest.At)
		p.soon++
	}
}

// Ends returns when a window of the pods closes, or when requests that come may take the place at one of the
// PodDisruptionBudgets.
func (c *clock) Ends(r *gate.Request) time.Time {
	end := r.Pods.Until
	if !r.Pods.Waived {
		for _, u := range r.Pods.Uses {
			if pdb := int(u.PDB); c.crowded(pdb) {
				end = until.First(end, gate.EndUnless(c.place(pdb).Comes, waivedFrom(r)))
			}
		}
	}
	return end
}

// crowded reports whether the requests that come may use up what a PodDisruptionBudget has left.
func (c *clock) crowded(pdb int) bool { return c.gate.pods.Left(pdb) <= c.place(pdb).soon }

// Arrive notes when a request comes. If it may take the place of others that come later, it returns from when on.
func (c *clock) Arrive(r *gate.Request, one gate.Arrival, _ *gate.Chances) (doubt time.Time) {
	if one.State == gate.Absent {
		return doubt
	}
	first, comes := one.First()
	for _, u := range r.Pods.Uses {
		coming := &c.place(int(u.PDB)).coming
		if !r.Goes {
			coming.Put(one)
		}
		if coming.All() > 0 && c.gate.pods.Left(int(u.PDB)) < coming.All() {
			c.contended = true
			if comes && coming.LastFirm().After(first) {
				doubt = first
			}
		}
	}
	return doubt
}

// used reports whether those that may have come by a time may have used up a PodDisruptionBudget.
func (c *clock) used(pdb int, at time.Time) bool {
	left, coming := c.gate.pods.Left(pdb), &c.place(pdb).coming
	if coming.All() < left {
		return false
	}
	return c.vague || coming.By(at, true) >= left
}

// Foresee returns why the pods may hold the node back at a later time: a window has closed by then, or requests that
// come use up a PodDisruptionBudget.
func (c *clock) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) []candidate.Blocker {
	if gate.Reached(waivedFrom(r), at) {
		return nil
	}
	var after []candidate.Blocker
	if !r.Pods.Until.IsZero() && !at.Before(r.Pods.Until) {
		if b, closed := c.gate.pods.Closed(&r.Pods, r.Node, r.Condition, at); closed {
			b.Message, b.Later = "after that, "+b.Message, true
			after = append(after, b)
		}
	}
	for i := range r.Pods.Blockers {
		if b := r.Pods.Blockers[i]; b.Until.Before(at) { // its window may have closed again by then
			b.Until, b.Later = time.Time{}, true
			return append(after, b)
		}
	}
	var first string
	var of int
	if !r.Pods.Waived {
		for _, u := range r.Pods.Uses {
			pdb := int(u.PDB)
			if !c.used(pdb, at) {
				continue
			}
			if name := r.Node.Pods[u.Pod].String(); first == "" || name < first {
				first, of = name, pdb
			}
		}
	}
	if first != "" {
		after = append(after, candidate.Blocker{
			Gate: candidate.GatePod, Code: candidate.CodeExhausted, Later: true, Source: c.gate.pods.Source(of),
			Message: "after that, other candidates use up a PDB of pod " + first, Pod: first,
		})
	}
	return after
}
