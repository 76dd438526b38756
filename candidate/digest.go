package candidate

import (
	"iter"
	"math/bits"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/evict/compiled"
)

// A Digest has the answers of Rules about the pods of a node at any time, whichever other nodes go. [Rules.Digest]
// makes it. A decision that finds one says the same without reading the pods. That takes half the time or so, and a
// quarter where many PDBs are used up. A Digest never changes, and is safe for concurrent use.
type Digest struct {
	rules    *compiled.Rules
	pods     []Pod     // that were read
	asking   []asking  // those whose word depends on the time
	several  []Blocker // of pods with more than one PDB
	uses     []use     // of PDBs, in the order of refusals; at most mostDigested
	refusals []Blocker // for each use, what holds the node back once the PDB allows nothing more
}

// An asking is a pod that has Terms, or that PodSchedules select.
type asking struct {
	pod       int
	schedules []int // positions of the PodSchedules
}

// mostDigested is how many PDBs the pods of a node may have for a Digest. More than that many are read each time.
const mostDigested = 64

// Digest reads the pods of nodes once and sets Node.Digest. Use it if you decide on the same nodes many times. Decisions
// ignore a Digest that does not fit: one by other Rules, or of another slice of pods. If you change a pod in place,
// digest its node again.
func (r Rules) Digest(nodes []Node) {
	g := Rules{set: r.set}.At(time.Unix(0, 0))
	for i := range nodes {
		nodes[i].Digest = g.digest(&nodes[i])
	}
}

// digest reads the pods of a node. The gate is one at which nothing is used up.
func (g *PodGate) digest(n *Node) *Digest {
	if len(n.Pods) == 0 {
		return nil
	}
	d := &Digest{rules: g.rules, pods: n.Pods}
	v := PodVerdict{gate: g, node: n}
	g.judged++
	for i := range n.Pods {
		p := &n.Pods[i]
		if p.Inactive {
			continue
		}
		selection := g.selections.of(p, d.rules)
		if len(selection.schedules) > 0 || p.Terms != (Terms{}) {
			d.asking = append(d.asking, asking{i, slices.Clone(selection.schedules)})
		}
		if !p.Unevictable {
			v.uses = g.use(v.uses, n.Pods, i, selection)
			if selection.several != nil {
				v.Blockers = append(v.Blockers, selection.refuses(p))
			}
		}
	}
	if len(v.uses) > mostDigested {
		return nil
	}
	slices.SortFunc(v.uses, func(a, b use) int { return g.refusal(n, a).Compare(g.refusal(n, b)) })
	d.several, d.uses = v.Blockers, v.uses
	for _, u := range d.uses {
		d.refusals = append(d.refusals, g.refusal(n, u))
	}
	return d
}

// of reports whether the digest is of the pods that a node has now, by the same rules.
func (d *Digest) of(n *Node, rules *compiled.Rules) bool {
	return d != nil && d.rules == rules && len(d.pods) == len(n.Pods) && &d.pods[0] == &n.Pods[0]
}

// judgeDigest notes what the pods of a node say, as judgePods does, by its digest.
func (g *PodGate) judgeDigest(v *PodVerdict, d *Digest) {
	g.askPDBs(v, d)
	if v.Waived {
		return
	}
	for _, a := range d.asking {
		g.judgeTerms(v, &v.node.Pods[a.pod])
		if !g.apart { // Karpenter has no PodSchedules
			g.judgeSchedules(v, &v.node.Pods[a.pod], a.schedules)
		}
	}
	v.Blockers = append(v.Blockers, d.several...)
	for i := range ones(v.refusing) {
		v.Blockers = append(v.Blockers, d.refusals[i])
	}
}

// askPDBs notes which PDBs the pods of a node use, and which of those allow nothing more.
func (g *PodGate) askPDBs(v *PodVerdict, d *Digest) {
	v.digest, v.uses = d, d.uses
	if !v.Waived {
		v.refusing = d.refusing(g.pdbs)
	}
	if g.apart {
		v.uses = nil
		for i := range ones(v.refusing) {
			v.uses = append(v.uses, d.uses[i])
		}
	}
}

// spentDigest is Spent for a node that was judged by its digest.
func (g *PodGate) spentDigest(v *PodVerdict) []Blocker {
	if v.Waived {
		return nil
	}
	return g.refusals(v.digest, v.digest.refusing(g.pdbs)&^v.refusing)
}

// refusing returns which uses are of a PDB that allows nothing more, as a bit set.
func (d *Digest) refusing(pdbs []account) (refusing uint64) {
	for i, u := range d.uses {
		if pdbs[u.pdb].left <= 0 {
			refusing |= 1 << i
		}
	}
	return refusing
}

// refusals returns those of some uses, in order. If they follow each other, the list is the digest's own, not a copy.
func (g *PodGate) refusals(d *Digest, of uint64) []Blocker {
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
