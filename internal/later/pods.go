package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// pods is the clock of the gate of the pods. Time closes the windows of pods, and moves the places at PodDisruptionBudgets.
type pods struct {
	fixed
	gate      *gate.Pods
	now       time.Time
	places    []place    // by PodDisruptionBudget
	coming    []arrivals // by PodDisruptionBudget
	contended bool       // those that come may use up some PodDisruptionBudget
	vague     bool       // when those that come do so is in doubt
}

func newPods(row *gate.Row) *pods { return &pods{gate: row.Pods, now: row.Now} }

func (p *pods) next() time.Time { return p.gate.Closes }

func (p *pods) place(pdb int) *place {
	for len(p.places) <= pdb {
		p.places, p.coming = append(p.places, place{}), append(p.coming, arrivals{})
	}
	return &p.places[pdb]
}

// until delays the chances until the pods' own blockers have lifted. If older requests use up a PodDisruptionBudget, it also
// delays them until the first of those requests leaves. Those may be of another pool.
func (p *pods) until(r *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker {
	c.lift(r.Pods.Blockers)
	if len(said) == len(r.Pods.Blockers) {
		return said
	}
	waived := waivedFrom(r)
	c.elsewhere = true
	c.started.wait(waived)
	for _, u := range r.Pods.Uses {
		if pdb := int(u.PDB); p.gate.Left(pdb) <= 0 {
			c.anyhow.wait(until.First(p.place(pdb).leaves, waived))
		}
	}
	return by(waived, said)
}

// waivedFrom returns from when on the pods of a request hold it back no longer, since its node is overdue and has a grace period. Zero
// is never.
func waivedFrom(r *gate.Request) (never time.Time) {
	if r.Pods.Waived || !r.Node.HasGracePeriod {
		return never
	}
	return r.Deadline()
}

// goes notes that a request goes, and leaves its places at PodDisruptionBudgets at a time.
func (p *pods) goes(r *gate.Request, end time.Time) {
	for _, u := range r.Pods.Uses {
		p.place(int(u.PDB)).leave(end)
	}
}

// comes notes that a blocked request comes to take places at PodDisruptionBudgets.
func (p *pods) comes(r *gate.Request, c *chances) {
	for _, u := range r.Pods.Uses {
		p.place(int(u.PDB)).come(c.anyhow.at)
	}
}

// end returns when a window of the pods closes, or when requests that come may take the place at one of the PodDisruptionBudgets.
func (p *pods) end(r *gate.Request) time.Time {
	end := r.Pods.Until
	if !r.Pods.Waived {
		for _, u := range r.Pods.Uses {
			if pdb := int(u.PDB); p.crowded(pdb) {
				end = until.First(end, endUnless(p.place(pdb).comes, waivedFrom(r)))
			}
		}
	}
	return end
}

// crowded reports whether the requests that come may use up what a PodDisruptionBudget has left.
func (p *pods) crowded(pdb int) bool { return p.gate.Left(pdb) <= p.place(pdb).coming }

// starts and arrive note that a request goes now, or later. If it may take the place of others that come later, they return from when
// on.
func (p *pods) starts(r *gate.Request) (doubt time.Time) {
	return p.arrive(r, arrival{state: firm, at: p.now, least: p.now})
}

func (p *pods) arrive(r *gate.Request, one arrival) (doubt time.Time) {
	if one.state == none {
		return doubt
	}
	first, comes := one.first()
	for _, u := range r.Pods.Uses {
		pdb := int(u.PDB)
		p.place(pdb)
		coming := &p.coming[pdb]
		if !r.Goes {
			coming.put(one)
		}
		if coming.all > 0 && p.gate.Left(pdb) < coming.all {
			p.contended = true
			if comes && coming.firm.last().After(first) {
				doubt = first
			}
		}
	}
	return doubt
}

// used reports whether those that may have come by a time may have used up a PodDisruptionBudget.
func (p *pods) used(pdb int, at time.Time) bool {
	left := p.gate.Left(pdb)
	p.place(pdb)
	if p.coming[pdb].all < left {
		return false
	}
	return p.vague || p.coming[pdb].by(at, true) >= left
}

// after returns why the pods may hold the node back at a later time: a window has closed by then, or requests that come use up a
// PodDisruptionBudget.
func (p *pods) after(r *gate.Request, at time.Time, _ *chances) []candidate.Blocker {
	if reached(waivedFrom(r), at) {
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
