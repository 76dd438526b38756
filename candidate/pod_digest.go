package candidate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
)

// A podDigest has the PodDisruptionBudgets that the pods of a node use, so that decisions need not read the pods. It is
// immutable, and safe for concurrent use.
type podDigest struct {
	rules *ruleSet
	pods  []Pod    // that were read
	uses  []PDBUse // of all PDBs
	plain bool     // nothing else can block the node

	vacant bool // Node.Vacant
}

// Digest returns nodes with a digest of their pods. Decisions on them have the same results, and are faster: use it if
// you decide on the same nodes many times. Decisions ignore a digest of other Rules or another slice of pods. If you
// change a pod in place, call Digest again.
func Digest(r Rules, nodes []Node) []Node {
	r.Dialect = dialect.Disruptkit // a digest fits all dialects
	g := OpenPods(r, time.Unix(0, 0))
	nodes = slices.Clone(nodes)
	for i := range nodes {
		n := &nodes[i]
		if n.Digest = nil; len(n.Pods) > 0 {
			var v PodVerdict
			g.read(&v, n, true)
			n.Digest = &podDigest{g.rules, n.Pods, v.Uses, g.plain(n), n.Vacant()}
		}
	}
	return nodes
}

// plain reports whether the pods of a node have no annotations, no PodSchedules, and no more than one PDB each.
func (g *PodGate) plain(n *Node) bool {
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		s := g.selections.of(p, g.rules)
		if p.Terms != (Terms{}) || len(s.schedules) > 0 || s.several != nil && !p.Unevictable {
			return false
		}
	}
	return true
}

// fits reports whether a digest is of the pods that a node has now. Nil fits none.
func (d *podDigest) fits(n *Node) bool {
	return d != nil && len(d.pods) == len(n.Pods) && &d.pods[0] == &n.Pods[0]
}

// digestOf returns the node's digest if it is of the same pods and rules, or nil.
func (g *PodGate) digestOf(n *Node) *podDigest {
	if n.Digest.fits(n) && n.Digest.rules == g.rules {
		return n.Digest
	}
	return nil
}
