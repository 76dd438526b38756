package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/evict"
)

// Pods is the gate of the pods. May each pod be evicted at this time? Do their PodDisruptionBudgets allow one more disruption, after
// those for nodes in flight and for older requests that go? See evict.Gate.
type Pods struct {
	*evict.Gate
	Closes time.Time // when the first window of any pod closes; zero: never
}

func openPods(in Input, inFlight []int32) *Pods {
	g := &Pods{Gate: evict.Open(in.Rules, in.Now)}
	for _, i := range inFlight {
		g.Reserve(&in.Nodes[i])
	}
	return g
}

// Judge returns what holds back the pods of the node.
func (g *Pods) Judge(r *Request) []candidate.Blocker {
	if r.Kind == nil { // the request never goes, so it competes with no other
		return r.Pods.Blockers
	}
	return joined(r.Pods.Blockers, g.Spent(&r.Pods, r.Node))
}

// Go uses up one disruption of each PodDisruptionBudget of the node's pods.
func (g *Pods) Go(r *Request) { g.Take(&r.Pods) }

// Return undoes Go.
func (g *Pods) Return(r *Request) { g.Release(&r.Pods) }
