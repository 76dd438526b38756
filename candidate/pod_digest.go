package candidate

import (
	"iter"
	"math/bits"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/dialect"
)

// A PodDigest has the answers of Rules about the pods of a node at any time, whichever other nodes go. A decision that
// finds one says the same without reading the pods. That takes half the time or so, and a quarter where many PDBs are
// used up. A digest never changes, and is safe for concurrent use. Exported for [Node].Digest, which holds one.
type PodDigest struct {
	rules    *compiledRules
	pods     []Pod       // that were read
	asking   []askingPod // those whose word depends on the time
	several  []Blocker   // of pods with more than one PDB
	uses     []PDBUse    // of PDBs, in the order of refusals; at most mostDigested
	refusals []Blocker   // for each use, what holds the node back once the PDB allows nothing more

	crowd int // how many nodes the node stands for, if it has no pods; 0: itself
}

// Crowd returns the digest of a node without pods that stands for a number of nodes, which are alike in all that is
// counted. Package plan decides on such nodes in place of thousands.
func Crowd(nodes int) *PodDigest { return &PodDigest{crowd: nodes} }

// StandsFor returns how many nodes a node stands for: 1, unless it is a [Crowd].
func (n *Node) StandsFor() int {
	if n.Digest == nil || n.Digest.crowd == 0 {
		return 1
	}
	return n.Digest.crowd
}

// An askingPod is a pod that has Terms, or that PodSchedules select.
type askingPod struct {
	pod       int
	schedules []int // positions of the PodSchedules
}

// mostDigested is how many PDBs the pods of a node may have for a digest. More than that many are read each time.
const mostDigested = 64

// Digest reads the pods of nodes once and sets Node.Digest.
func Digest(r Rules, nodes []Node) {
	r.Dialect = dialect.Disruptkit // a digest fits all dialects
	g := OpenPods(r, time.Unix(0, 0))
	for i := range nodes {
		nodes[i].Digest = g.digest(&nodes[i])
	}
}

// digest reads the pods of a node. The gate is one at which nothing is used up.
func (g *PodGate) digest(n *Node) *PodDigest {
	if len(n.Pods) == 0 {
		return nil
	}
	d := &PodDigest{rules: g.rules, pods: n.Pods}
	g.judged++
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		s := g.selections.of(p, d.rules)
		if len(s.schedules) > 0 || p.Terms != (Terms{}) {
			d.asking = append(d.asking, askingPod{i, slices.Clone(s.schedules)})
		}
		if !p.Unevictable {
			d.uses = g.use(d.uses, n.Pods, i, s)
			if s.several != nil {
				d.several = append(d.several, s.refuses(p))
			}
		}
	}
	if len(d.uses) > mostDigested {
		return nil
	}
	slices.SortFunc(d.uses, func(a, b PDBUse) int { return g.refusal(n, a).Compare(g.refusal(n, b)) })
	for _, u := range d.uses {
		d.refusals = append(d.refusals, g.refusal(n, u))
	}
	return d
}

// digestOf returns the digest of the pods that a node has now, by the same rules, or nil.
func digestOf(n *Node, rules *compiledRules) *PodDigest {
	d := n.Digest
	if d != nil && d.rules == rules && len(d.pods) == len(n.Pods) && &d.pods[0] == &n.Pods[0] {
		return d
	}
	return nil
}

// OnlyPDBs reports whether nothing but PodDisruptionBudgets can ever hold back the pods of a node that Digest has read.
// It is false if that is not known.
func OnlyPDBs(n *Node, r Rules) bool {
	if len(n.Pods) == 0 {
		return true
	}
	d := digestOf(n, &r.get().compiled)
	return d != nil && len(d.asking)+len(d.several) == 0
}

// judgeDigest notes what the pods of a node say, as judgePods does, by its digest.
func (g *PodGate) judgeDigest(v *PodVerdict, n *Node, d *PodDigest) {
	g.askPDBs(v, d)
	if v.Waived {
		return
	}
	for _, a := range d.asking {
		g.judgeTerms(v, &n.Pods[a.pod])
		if !g.apart { // Karpenter has no PodSchedules
			g.judgeSchedules(v, &n.Pods[a.pod], a.schedules)
		}
	}
	v.Blockers = append(v.Blockers, d.several...)
	for i := range ones(v.refusing) {
		v.Blockers = append(v.Blockers, d.refusals[i])
	}
}

// askPDBs notes which PDBs the pods of a node use, and which of those allow nothing more.
func (g *PodGate) askPDBs(v *PodVerdict, d *PodDigest) {
	v.digested, v.Uses = true, d.uses
	if !v.Waived {
		v.refusing = d.refusing(g.pdbs)
	}
	if g.apart {
		v.Uses = nil
		for i := range ones(v.refusing) {
			v.Uses = append(v.Uses, d.uses[i])
		}
	}
}

// refusing returns which uses are of a PDB that allows nothing more, as a bit set.
func (d *PodDigest) refusing(pdbs []pdbAccount) (refusing uint64) {
	for i, u := range d.uses {
		if pdbs[u.PDB].left <= 0 {
			refusing |= 1 << i
		}
	}
	return refusing
}

// refusals returns those of some uses, in order. If they follow each other, the list is the digest's own, not a copy.
func (g *PodGate) refusals(d *PodDigest, of uint64) []Blocker {
	if of == 0 {
		return nil
	}
	first, n := bits.TrailingZeros64(of), bits.OnesCount64(of)
	if of>>first == 1<<n-1 {
		return d.refusals[first : first+n : first+n]
	}
	g.some = g.some[:0]
	for i := range ones(of) {
		g.some = append(g.some, d.refusals[i])
	}
	return g.blockers.Keep(g.some)
}

// ones yields the members of a bit set, the lowest first.
func ones(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}
