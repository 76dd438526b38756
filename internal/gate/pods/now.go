// Package pods is the gate of the pods. May each pod be evicted at this time? Do their PodDisruptionBudgets allow one
// more disruption, after those for nodes in flight and for requests ahead of it in line? See evict.Gate.
package pods

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/evict"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// Gate is the gate of pods.
type Gate struct {
	pods   *evict.Gate
	fleet  *gate.Fleet
	closes time.Time // when the first window of any pod closes; zero: never
}

// New returns the gate of a fleet. Nodes in flight use up the PodDisruptionBudgets of their pods.
func New(f *gate.Fleet) *Gate {
	g := &Gate{pods: evict.Open(f.Rules, f.Now), fleet: f}
	for _, i := range f.InFlight {
		g.pods.Reserve(&f.Nodes[i])
	}
	return g
}

// Read finds out what holds back the pods of the node. A node in flight drains already: whether its pods may go is no
// longer asked.
func (g *Gate) Read(r *gate.Request) {
	n := r.Node
	if n.InFlight() || len(n.Pods) == 0 && !g.pods.Stopped() || g.fleet.AsksNobody(r.Condition.Reason) {
		return
	}
	g.pods.Judge(&r.Pods, n, r.Condition)
	g.closes = until.First(g.closes, r.Pods.Until)
	if r.Kind != nil {
		r.Kind.Lasts = until.First(r.Kind.Lasts, r.Pods.Until)
	}
}

// Judge returns what holds back the pods of the node.
func (g *Gate) Judge(r *gate.Request) []candidate.Blocker {
	if r.Kind == nil { // the request never goes, so it competes with no other
		return r.Pods.Blockers
	}
	return gate.Joined(r.Pods.Blockers, g.pods.Spent(&r.Pods, r.Node))
}

// Go uses up one disruption of each PodDisruptionBudget of the node's pods.
func (g *Gate) Go(r *gate.Request) { g.pods.Take(&r.Pods) }

// Return undoes Go.
func (g *Gate) Return(r *gate.Request) { g.pods.Release(&r.Pods) }

// Close leaves memory to the next decision.
func (g *Gate) Close() { g.pods.Close() }
