package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// podGate is the gate of pods. May each pod be evicted at this time? Do their PodDisruptionBudgets allow one more
// disruption, after those of nodes in flight and of requests that are disrupted?
type podGate struct {
	pods   *candidate.PodGate
	fleet  *fleet
	closes time.Time // when the first window of any pod closes; zero: never
}

// newPodGate returns the gate of a fleet. Nodes in flight use up the PodDisruptionBudgets of their pods.
func newPodGate(f *fleet) *podGate {
	g := &podGate{pods: candidate.OpenPods(f.Rules, f.Now), fleet: f}
	for _, i := range f.InFlight {
		g.pods.Reserve(&f.Nodes[i])
	}
	return g
}

// Read sets what blocks the pods of the node. A node in flight already drains, so nothing does.
func (g *podGate) Read(r *request) {
	if r.Node.InFlight() || g.fleet.AsksNobody(r.Condition.Reason) {
		return
	}
	g.pods.Judge(&r.Pods, r.Node, r.Condition)
	g.closes = schedule.First(g.closes, r.Pods.Until)
	if r.Kind != nil {
		r.Kind.LastingUntil = schedule.First(r.Kind.LastingUntil, r.Pods.Until)
	}
}

// Allows reports whether nothing blocks the pods of the node.
func (g *podGate) Allows(r *request) bool {
	return len(r.Pods.Blockers) == 0 && len(g.Blockers(r)) == 0
}

// Blockers returns what blocks the pods of the node. Time alone lifts a PodDisruptionBudget only when the pods no
// longer block the node at all: at the end of its drain, or once it is overdue (candidate.PodGate.Judge).
func (g *podGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil { // the request is never allowed, so it competes with no other
		return r.Pods.Blockers
	}
	return joined(r.Pods.Blockers, g.pods.Spent(&r.Pods, r.Node, r.Condition))
}

// Until returns when the first window of the pods closes.
func (g *podGate) Until(r *request) time.Time { return r.Pods.Until }

// Count uses up one disruption of each PodDisruptionBudget of the node's pods, or undoes that.
func (g *podGate) Count(r *request, n int, _ bool) { g.pods.Count(&r.Pods, n) }

// NextChange returns when the first window of any pod closes.
func (g *podGate) NextChange() time.Time { return g.closes }
