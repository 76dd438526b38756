package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// spared returns when the first pod of a node is evicted that moves, or killed, if Karpenter launches no replacement
// before (Model.Spares). Zero: it launches one at once; farAway: it never does.
func (f *fleet) spared(n *candidate.Node, d drain) (at time.Time) {
	if f.model.Spares == nil || f.model.static(n.Pool) || n.Vacant() {
		return at
	}
	gate := openPDBs(f.in)
	for i := range n.Pods {
		if n.Pods[i].Stays {
			continue
		}
		one := *n
		one.Digest, one.Pods = nil, n.Pods[i:i+1:i+1]
		holds := heldUp(gate, &one)
		if !slices.ContainsFunc(holds, f.model.spares) {
			return time.Time{}
		}
		var until time.Time
		for _, b := range holds {
			if until = schedule.Last(until, b.Until); b.Until.IsZero() {
				until = farAway
				break
			}
		}
		at = schedule.First(at, schedule.First(until, f.model.cut(n.Pods[i].String(), d)))
	}
	return at
}

// movesNone reports whether a node may be disrupted although Karpenter puts none of its pods anywhere yet.
func (f *fleet) movesNone(n *candidate.Node) bool {
	return f.model.Room != nil && n.HasGracePeriod && !f.spared(n, drain{}).IsZero()
}

// spares reports whether Karpenter launches nothing for a pod while something holds up its eviction.
func (m Model) spares(b candidate.Blocker) bool {
	switch b.Code {
	case candidate.CodeDoNotDisrupt, candidate.CodeSeveralPDBs:
		return true
	case candidate.CodeAllowsNone:
		return b.Source != nil && len(b.Source.PDBs) > 0 && m.Spares(b.Source.PDBs[0])
	}
	return false
}

// emptied reports whether each pod of a node terminates, or is left alone.
func emptied(n *candidate.Node) bool {
	return !slices.ContainsFunc(n.Pods, func(p candidate.Pod) bool { return !p.Inactive && !p.Unevictable })
}
