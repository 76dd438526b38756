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

// sayings are what the pods of a node say: the same for all reasons that are eventual, and for all that are not.
type sayings struct {
	gate     *pods
	node     *candidate.Node
	verdicts [2]candidate.PodVerdict
	judged   [2]bool
}

// of returns what the pods say of a condition. Those of nodes in flight have their say while that drains.
func (s *sayings) of(c candidate.Condition) candidate.PodVerdict {
	if s.node.InFlight() || len(s.node.Pods) == 0 {
		return candidate.PodVerdict{}
	}
	i := 0
	if c.Reason.Eventual() {
		i = 1
	}
	if !s.judged[i] {
		s.verdicts[i], s.judged[i] = s.gate.Judge(s.node, c), true
	}
	return s.verdicts[i]
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
		if !v.Waived && g.crowded(pdb) {
			first = until.First(first, g.place(pdb).comes)
		}
	}
	return first
}

// crowded reports whether those who come may use up what a PDB allows.
func (g *pods) crowded(pdb int) bool { return g.Left(pdb) <= g.place(pdb).coming }

// let lets a node go up to a time.
func (g *pods) let(v candidate.PodVerdict, end time.Time) {
	g.Take(v)
	for pdb := range v.PDBs() {
		g.place(pdb).leave(end)
	}
}

// come notes that a node that cannot go now may at a time.
func (g *pods) come(v candidate.PodVerdict, at time.Time) {
	for pdb := range v.PDBs() {
		g.place(pdb).come(at)
	}
}

// refuse returns what holds back a node because of those let go before, and adds to the chance that they leave again.
func (g *pods) refuse(v candidate.PodVerdict, c *chance) []candidate.Blocker {
	blockers := g.Spent(v)
	for pdb := range v.PDBs() {
		if len(blockers) > 0 && g.Left(pdb) <= 0 {
			c.wait(g.place(pdb).leaves)
		}
	}
	return blockers
}

// later returns what of a node's pods holds it back at a later time: a window that has closed by then, or a PDB that those
// who come use up.
func (g *pods) later(v candidate.PodVerdict, at time.Time) []candidate.Blocker {
	var later []candidate.Blocker
	if b, closed := v.Closed(at); closed {
		b.Message, b.Later = "after that, "+b.Message, true
		later = append(later, b)
	}
	first := ""
	for pdb, pod := range v.PDBs() {
		if name := pod.String(); !v.Waived && g.crowded(pdb) && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		later = append(later, candidate.Blocker{
			Gate: candidate.GatePod, Code: candidate.CodeExhausted,
			Message: "after that, other candidates use up a PDB of pod " + first, Pod: first, Later: true,
		})
	}
	return later
}

// nextClosing returns when the first window of any pod closes.
func nextClosing(requests []request) time.Time {
	var next time.Time
	for i := range requests {
		next = until.First(next, requests[i].pods.Until)
	}
	return next
}
