package later

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// pods is the clock of the gate of the pods: their windows, and the places that PodDisruptionBudgets leave.
type pods struct {
	fixed
	gate   *gate.Pods
	places []place   // by PodDisruptionBudget
	closes time.Time // when the first window of any pod closes
}

func newPods(row *gate.Row) *pods {
	p := &pods{gate: row.Pods}
	for i := range row.Requests {
		p.closes = until.First(p.closes, row.Requests[i].Pods.Until)
	}
	return p
}

func (p *pods) next() time.Time { return p.closes }

func (p *pods) place(pdb int) *place {
	for len(p.places) <= pdb {
		p.places = append(p.places, place{})
	}
	return &p.places[pdb]
}

// until waits for what the pods say themselves, and where those before have used up a PodDisruptionBudget, until the first of
// them leaves. He need not be in the same pool.
func (p *pods) until(r *gate.Request, said []candidate.Blocker, c *chances) []candidate.Blocker {
	c.lift(r.Pods.Blockers)
	if len(said) > len(r.Pods.Blockers) {
		c.elsewhere = true
		for pdb := range r.Pods.PDBs() {
			if p.gate.Left(pdb) <= 0 {
				c.anyhow.wait(p.place(pdb).leaves)
			}
		}
	}
	return said
}

// goes notes that a request goes, up to a time.
func (p *pods) goes(r *gate.Request, end time.Time) {
	for pdb := range r.Pods.PDBs() {
		p.place(pdb).leave(end)
	}
}

// comes notes that a request that cannot go now may at a time.
func (p *pods) comes(r *gate.Request, c *chances) {
	if c.anyhow.ok {
		for pdb := range r.Pods.PDBs() {
			p.place(pdb).come(c.anyhow.at)
		}
	}
}

// end returns when a window of the pods closes, or those that come may take the place at one of their PodDisruptionBudgets.
func (p *pods) end(r *gate.Request) time.Time {
	end := r.Pods.Until
	if !r.Pods.Waived {
		for pdb := range r.Pods.PDBs() {
			if p.crowded(pdb) {
				end = until.First(end, p.place(pdb).comes)
			}
		}
	}
	return end
}

// crowded reports whether those that come may use up what a PodDisruptionBudget allows.
func (p *pods) crowded(pdb int) bool { return p.gate.Left(pdb) <= p.place(pdb).coming }

// after returns what of a node's pods holds it back at a later time: a window that has closed by then, or a
// PodDisruptionBudget that those that come use up.
func (p *pods) after(r *gate.Request, at time.Time) []candidate.Blocker {
	var after []candidate.Blocker
	if b, closed := r.Pods.Closed(at); closed {
		b.Message, b.Later = "after that, "+b.Message, true
		after = append(after, b)
	}
	first := ""
	if !r.Pods.Waived {
		for pdb, pod := range r.Pods.PDBs() {
			if p.crowded(pdb) && (first == "" || pod.String() < first) {
				first = pod.String()
			}
		}
	}
	if first != "" {
		after = append(after, candidate.Blocker{
			Gate: candidate.GatePod, Code: candidate.CodeExhausted, Later: true,
			Message: "after that, other candidates use up a PDB of pod " + first, Pod: first,
		})
	}
	return after
}
