package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// OneOf returns a Takes in which all of the durations are equally likely. Without durations, it takes no time.
func OneOf(durations ...time.Duration) Takes {
	sorted := slices.Sorted(slices.Values(durations))
	return func(_ candidate.Node, _ time.Time, chance float64) time.Duration {
		if len(sorted) == 0 {
			return 0
		}
		return sorted[min(max(int(chance*float64(len(sorted))), 0), len(sorted)-1)]
	}
}

// highest is the greatest chance that there is.
const highest = 1 - 1.0/(1<<53)

// A step is something that happens to a node. Each has a chance of its own.
type step string

const (
	launching  step = "launch"
	draining   step = "drain"
	recovering step = "recovery"
	evicting   step = "eviction"
)

// chance draws uniformly from 0 to less than 1: the same for the same seed, step and name, so that a node has the same
// chances in two plans. (FNV-1a, with the finalizer of MurmurHash3, so that similar names differ.)
func (m Model) chance(s step, n candidate.Node) float64 {
	const basis, prime = 14695981039346656037, 1099511628211
	h := uint64(basis)
	for i := range 8 {
		h = (h ^ (m.Seed >> (8 * i) & 0xff)) * prime
	}
	for _, text := range []string{string(s), n.Name} {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * prime
		}
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return float64(h>>11) / (1 << 53)
}
