package manifest

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Mark is what the annotations of a node, and its NodePool, say about who holds the node. It is for package decide.
type Mark struct {
	annotation.Mark
	// Unwritten is why the steward, or the guard, cannot write what it decides about the NodePool, as its status says; "": it can.
	Unwritten string
	// Takes reports that the NodePool is opted in, so that the steward holds its nodes.
	Takes bool
}

// Mark returns the mark of a node. There is none where neither the node nor its NodePool has anything of the steward's.
func (c *Cluster) Mark(n candidate.Node) (m Mark, there bool) {
	for i, s := range c.states {
		if s.node != nil && c.Nodes[i].Name == n.Name {
			m.Mark = annotation.ReadMark(s.node.annotations)
		}
	}
	if p := c.pools[n.Pool]; p != nil {
		m.Takes, m.Unwritten = p.stewarded, p.unwritten
	}
	return m, m.Takes || m.Disrupt == annotation.Ours || m.Repair == annotation.Ours || !m.Until.IsZero()
}
