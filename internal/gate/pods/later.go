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
	places    []gate.Place    // by PodDisruptionBudget
	coming    []gate.Arrivals // by PodDisruptionBudget
	contended bool            // those that come may use up some PodDisruptionBudget
	vague     bool            // when those that come do so is in doubt
}

// Later begins the second reading.
func (g *Gate) Later(gate.Others) gate.CountingClock { return &clock{gate: g} }

// NextChange returns when the first window of any pod closes.
func (p *clock) NextChange() time.Time { return p.gate.closes }

// Room reports no end. Who may take the place at a PodDisruptionBudget, and when, is part of Ends, since those are of
// all pools.
func (p *clock) Room(*gate.Request) (end time.Time, room bool) { return end, true }

// Look does nothing: a node that comes for several reasons is counted for each, since it is unknown for which it comes
// first.
func (p *clock) Look(*gate.Request) {}

// Doubt makes the order of those that come vague, if it matters.
func (p *clock) Doubt(gate.Scope, time.Time) { p.vague = p.vague || p.contended }

// Ties reports that requests of all pools compete, once those that come may use up a PodDisruptionBudget.
func (p *clock) Ties(gate.Scope) gate.Tie {
	if p.contended {
		return gate.AcrossScopes
	}
	return gate.Untied
}

func (p *clock) place(pdb int) *gate.Place {
	for len(p.places) <= pdb {
		p.places, p.coming = append(p.places, gate.Place{}), append(p.coming, gate.Arrivals{})
	}
	return &p.places[pdb]
}

// Lifts delays the chances until the pods' own blockers have lifted. If older requests use up a PodDisruptionBudget, it
// also delays them until the first of those requests leaves. Those may be of another pool.
func (p *clock) Lifts(r *gate.Request, said []candidate.Blocker, c *gate.Chances) []candidate.Blocker {
	c.Lift(r.Pods.Blockers)
	if len(said) == len(r.Pods.Blockers) {
		return said
	}
	waived := waivedFrom(r)
	c.OtherPools = true
	c.AllStarted.Wait(waived)
	for _, u := range r.Pods.Uses {
		if pdb := int(u.PDB); p.gate.Left(pdb) <= 0 {
			c.Earliest.Wait(until.First(p.place(pdb).Leaves, waived))
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
func (p *clock) Goes(r *gate.Request, end time.Time) {
	for _, u := range r.Pods.Uses {
		p.place(int(u.PDB)).Leave(end)
	}
}

// Comes notes that a blocked request comes to take places at PodDisruptionBudgets.
func (p *clock) Comes(r *gate.Request, c *gate.Chances) {
	for _, u := range r.Pods.Uses {
		p.place(int(u.PDB)).Come(c.Earliest.At)
	}
}

// Ends returns when a window of the pods closes, or when requests that come may take the place at one of the
// PodDisruptionBudgets.
func (p *clock) Ends(r *gate.Request) time.Time {
	end := r.Pods.Until
	if !r.Pods.Waived {
		for _, u := range r.Pods.Uses {
			if pdb := int(u.PDB); p.crowded(pdb) {
				end = until.First(end, gate.EndUnless(p.place(pdb).Comes, waivedFrom(r)))
			}
		}
	}
	return end
}

// crowded reports whether the requests that come may use up what a PodDisruptionBudget has left.
func (p *clock) crowded(pdb int) bool { return p.gate.Left(pdb) <= p.place(pdb).Coming }

// Arrive notes when a request comes. If it may take the place of others that come later, it returns from when on.
func (p *clock) Arrive(r *gate.Request, one gate.Arrival, _ *gate.Chances) (doubt time.Time) {
	if one.State == gate.Absent {
		return doubt
	}
	first, comes := one.First()
	for _, u := range r.Pods.Uses {
		pdb := int(u.PDB)
		p.place(pdb)
		coming := &p.coming[pdb]
		if !r.Goes {
			coming.Put(one)
		}
		if coming.All() > 0 && p.gate.Left(pdb) < coming.All() {
			p.contended = true
			if comes && coming.LastFirm().After(first) {
				doubt = first
			}
		}
	}
	return doubt
}

// used reports whether those that may have come by a time may have used up a PodDisruptionBudget.
func (p *clock) used(pdb int, at time.Time) bool {
	left := p.gate.Left(pdb)
	p.place(pdb)
	if p.coming[pdb].All() < left {
		return false
	}
	return p.vague || p.coming[pdb].By(at, true) >= left
}

// Foresee returns why the pods may hold the node back at a later time: a window has closed by then, or requests that
// come use up a PodDisruptionBudget.
func (p *clock) Foresee(r *gate.Request, at time.Time, _ *gate.Chances) []candidate.Blocker {
	if gate.Reached(waivedFrom(r), at) {
		return nil
	}
	var after []candidate.Blocker
	if !r.Pods.Until.IsZero() && !at.Before(r.Pods.Until) {
		if b, closed := p.gate.Closed(&r.Pods, r.Node, r.Condition, at); closed {
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
			if !p.used(pdb, at) {
				continue
			}
			if name := r.Node.Pods[u.Pod].String(); first == "" || name < first {
				first, of = name, pdb
			}
		}
	}
	if first != "" {
		after = append(after, candidate.Blocker{
			Gate: candidate.GatePod, Code: candidate.CodeExhausted, Later: true, Source: p.gate.Source(of),
			Message: "after that, other candidates use up a PDB of pod " + first, Pod: first,
		})
	}
	return after
}
