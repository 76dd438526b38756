package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Digested returns the input with a digest of each node's pods. Decisions on it say the same without reading the pods.
// That takes half the time or so, and a quarter where many PodDisruptionBudgets are used up. Use it if you decide on
// the same nodes many times, and keep its Nodes.
//
// Decisions ignore a digest that does not fit: one by other Rules, or of another slice of pods. If you change a pod in
// place, call Digested again.
func (in Input) Digested() Input {
	in.Nodes = slices.Clone(in.Nodes)
	candidate.Digest(in.Rules, in.Nodes)
	return in
}
