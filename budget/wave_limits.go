package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// WaveLimits are the waves of one method, as they are enforced.
type WaveLimits struct {
	Method candidate.Reason
	Waves  []Amount
	Texts  []string // the waves as written
	Bake   time.Duration
	from   *candidate.Selector // of the nodes that go first; nil: none do
	Faults Faults              // of a broken one, which lets nothing go
}

// Covers reports whether the rollout is for a reason. One that is not said may be any.
func (r *WaveLimits) Covers(reason candidate.Reason) bool {
	return reason == "" || r.Method.Covers(reason)
}

// Has reports whether a node has a reason that the rollout is for. A node that has none is new.
func (r *WaveLimits) Has(n *candidate.Node) bool {
	for i := range n.Conditions {
		if r.Covers(n.Conditions[i].Reason) {
			return true
		}
	}
	return false
}

// Size returns how many of a number of nodes may be new or in flight until a wave is done, by its position in Waves.
// Where counts and percentages are out of order for that number of nodes, the smaller wave comes first: one more wave
// never lets more go. The last one, behind Waves, is Unlimited. A broken rollout has the size 0.
func (r *WaveLimits) Size(wave, nodes int) (size int) {
	if len(r.Faults) > 0 {
		return 0
	}
	if wave >= len(r.Waves) {
		return Unlimited
	}
	for i, w := range r.Waves {
		size = w.Of(nodes)
		before := 0
		for j, other := range r.Waves {
			if n := other.Of(nodes); n < size || n == size && j < i {
				before++
			}
		}
		if before == wave {
			break
		}
	}
	return size
}

// Begins reports whether a node is one of those that go first.
func (r *WaveLimits) Begins(n *candidate.Node) bool {
	if r.from == nil {
		return false
	}
	first, _ := r.from.Matches(n.Labels) // an invalid selector is a fault
	return first
}
