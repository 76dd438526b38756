package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// pods are the gate of the pods while a decision is made.
type pods struct {
	*candidate.PodGate
	places map[int]*place // of PDBs
}

func newPods(in Input) *pods {
	g := &pods{in.Rules.At(in.Now), map[int]*place{}}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.InFlight() {
			g.Reserve(n)
		}
	}
	return g
}

// place returns that of a PDB.
func (g *pods) place(pdb int) *place {
	p := g.places[pdb]
	if p == nil {
		p = &place{}
		g.places[pdb] = p
	}
	return p
}

// loses returns when those who come may take the place of a node at one of its PDBs.
func (g *pods) loses(v candidate.PodVerdict) time.Time {
	var first time.Time
	for pdb := range v.PDBs() {
		if p := g.place(pdb); !v.Waived && g.Left(pdb) <= p.coming {
			first = until.First(first, p.comes)
		}
	}
	return first
}

// let lets a node go up to a time.
func (g *pods) let(v candidate.PodVerdict, end time.Time) {
	g.Take(v)
	for pdb := range v.PDBs() {
		p := g.place(pdb)
		p.leaves = until.First(p.leaves, end)
	}
}

// wait counts a node that time alone lets go.
func (g *pods) wait(v candidate.PodVerdict) {
	for pdb := range v.PDBs() {
		g.place(pdb).waiting++
	}
}

// come notes that a node that cannot go now may at a time.
func (g *pods) come(v candidate.PodVerdict, at time.Time) {
	for pdb := range v.PDBs() {
		p := g.place(pdb)
		p.comes = until.First(p.comes, at)
		p.coming++
	}
}

// spent returns what holds back a node because of those let go before, and adds to the chance that they leave again.
func (g *pods) spent(v candidate.PodVerdict, c *chance) []candidate.Blocker {
	blockers := g.Spent(v)
	for pdb := range v.PDBs() {
		if len(blockers) > 0 && g.Left(pdb) <= 0 {
			c.wait(g.place(pdb).leaves)
		}
	}
	return blockers
}

// later returns what of a node's pods holds it back at a later time: a window that has closed by then, or a PDB that those
// who wait for less use up.
func (g *pods) later(v candidate.PodVerdict, at time.Time) []candidate.Blocker {
	var later []candidate.Blocker
	if b, closed := v.Closed(at); closed {
		b.Message, b.Until = "after that, "+b.Message, time.Time{}
		later = append(later, b)
	}
	for pdb, pod := range v.PDBs() {
		if !v.Waived && g.Left(pdb) <= g.place(pdb).waiting {
			return append(later, candidate.Blocker{
				Gate: candidate.GatePod, Code: candidate.CodeExhausted,
				Message: "after that, older candidates use up a PDB of pod " + pod.String(),
			})
		}
	}
	return later
}
