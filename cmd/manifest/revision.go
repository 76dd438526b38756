package manifest

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Revision is what the nodes of a NodePool are to be like, and how far Karpenter has looked at that.
type Revision struct {
	Hash       string `json:"hash,omitempty"`       // of the template, as Karpenter has written it (karpenter.sh/nodepool-hash); "": it has not
	Generation int64  `json:"generation,omitempty"` // metadata.generation, which each change of the NodePool raises; 0: unknown
	// Unseen reports that the condition Ready is of an earlier generation: Karpenter has yet to look at the change. (operatorpkg:
	// ConditionSet.Set, which is called for each generation, and makes Ready anew.)
	Unseen bool `json:"unseen"`
	// Unmarked are the nodes that were launched with another hash, and that Karpenter has not marked as Drifted so far.
	// A hash of another version says nothing.
	Unmarked []string `json:"unmarked,omitempty"`
}

// readRevision reads that of a NodePool, without its nodes, and its annotations. What cannot be read there is unknown, and blocks nothing.
func readRevision(o *object) (r Revision, written map[string]string) {
	root := o.root.apart()
	meta := root.field("metadata")
	written = meta.field("annotations").texts()
	r.Hash, r.Generation = written[annotation.Hash], meta.field("generation").integer()
	for _, c := range root.field("status").field("conditions").each() {
		seen := c.field("observedGeneration")
		r.Unseen = r.Unseen || c.field("type").text() == "Ready" && !seen.absent() && seen.integer() < r.Generation
	}
	return r, written
}

// compare notes that a node is of another revision than its NodePool without being Drifted, if it is.
func (c *Cluster) compare(n candidate.Node, claim *nodeClaim) {
	p := c.pools[n.Pool]
	if p == nil || claim == nil {
		return
	}
	was, made, comparable := p.drifts(claim)
	if comparable && was != p.revision.Hash && made == "" && !claim.drifted && claim.deleted.IsZero() {
		c.unmarked[n.Pool] = append(c.unmarked[n.Pool], n.Name)
	}
}

// Revision returns that of a NodePool.
func (c *Cluster) Revision(pool string) Revision {
	p := c.pools[pool]
	if p == nil {
		return Revision{}
	}
	r := p.revision
	r.Unmarked = slices.Sorted(slices.Values(c.unmarked[pool]))
	return r
}
