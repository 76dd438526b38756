package manifest

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Holder is who has written do-not-disrupt, or do-not-repair, on a node.
type Holder int

const (
	Nobody   Holder = iota
	Steward         // which says so in an annotation of its own
	Somebody        // anybody else
)

// A Mark is what the annotations of a node say about who holds it. It is for package decide.
type Mark struct {
	Disrupt, Repair Holder
	// Why is why the steward holds the node, in its words.
	Why string
	// For is for which reasons the steward has released the node, and since when, in its words.
	For string
	// Until is when the release ends, or has ended; zero: there is none.
	Until time.Time
	// Unwritten is why the steward, or the guard, cannot write what it decides about the NodePool, as its status says; "": it can.
	Unwritten string
	// Takes reports that the NodePool is opted in, so that the steward holds its nodes.
	Takes bool
}

// Mark returns the mark of a node. There is none where neither the node nor its NodePool has anything of the steward's.
func (c *Cluster) Mark(n candidate.Node) (m Mark, there bool) {
	var texts map[string]string
	for i, s := range c.states {
		if s.node != nil && c.Nodes[i].Name == n.Name {
			texts = s.node.annotations
		}
	}
	holder := func(veto, marker string) Holder {
		_, ours := texts[marker]
		switch {
		case texts[veto] != "true":
			return Nobody
		case ours:
			return Steward
		}
		return Somebody
	}
	m = Mark{
		Disrupt: holder(kube.DoNotDisruptAnnotation, annotation.Held), Repair: holder(kube.DoNotRepairAnnotation, annotation.RepairHeld),
		Why: texts[annotation.Held], For: texts[annotation.ReleasedFor],
	}
	m.Until, _ = time.Parse(time.RFC3339, texts[annotation.ReleasedUntil]) // as the admission policies, which read no other
	if p := c.from.pools[n.Pool]; p != nil {
		m.Takes, m.Unwritten = p.stewarded, p.unwritten
	}
	return m, m.Takes || m.Disrupt == Steward || m.Repair == Steward || !m.Until.IsZero()
}
