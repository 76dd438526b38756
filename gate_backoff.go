package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// backoffGate blocks all nodes of a pool while it waits after failed replacements.
type backoffGate struct {
	still
	said [][]candidate.Blocker // by Kind
}

func openBackoff(f *fleet) *backoffGate {
	g := &backoffGate{said: make([][]candidate.Blocker, len(f.Kinds))}
	for _, k := range f.Kinds {
		w := f.Memory[k.Pool.MemoryKey()].Backoff.seen(f.Now)
		if k.Pool.Grouped() || !f.Now.Before(w.Until) || !backsOff(k.Pool, k.Reason) {
			continue
		}
		g.said[k.Index] = []candidate.Blocker{{
			Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: w.Until,
			Message: fmt.Sprintf("replacements of the pool's nodes fail (back-off level %d), "+
				"and the pool waits before it tries again", w.Level),
		}}
	}
	return g
}

// backsOff reports whether failed replacements make the pool wait with a reason, or with one of several ("").
func backsOff(p *scope, reason candidate.Reason) bool {
	switch reason.Method() {
	case "", candidate.Drifted, candidate.Expired, candidate.Requested:
		return true
	}
	return p.RepairBacksOff && candidate.Unhealthy.Covers(reason)
}

// Against returns the blockers of all requests of a kind.
func (g *backoffGate) Against(k *kind) []candidate.Blocker { return g.said[k.Index] }

// Allows reports whether the pool of the request does not wait.
func (g *backoffGate) Allows(r *request) bool { return len(g.Blockers(r)) == 0 }

// Blockers returns what blocks the request while its pool waits.
func (g *backoffGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.said[r.Kind.Index]
}

// AllowsFrom returns when the pool no longer waits, but not before from.
func (g *backoffGate) AllowsFrom(r *request, from time.Time) time.Time {
	for _, b := range g.Blockers(r) {
		from = schedule.Last(from, b.Until)
	}
	return from
}
