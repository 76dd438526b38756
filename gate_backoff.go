package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// backoffGate is the gate of pools whose replacements fail: they wait before they try again. A pool waits with all of
// its nodes, so the gate counts nothing.
type backoffGate struct {
	fleet *fleet
	said  [][]candidate.Blocker // by Kind
}

// newBackoffGate returns the gate of a fleet.
func newBackoffGate(f *fleet) *backoffGate { return &backoffGate{fleet: f} }

// Open finds out which pools wait, and with what.
func (g *backoffGate) Open() {
	g.said = make([][]candidate.Blocker, len(g.fleet.Kinds))
	for _, k := range g.fleet.Kinds {
		if !g.waits(k) {
			continue
		}
		w := g.of(k.Pool)
		g.said[k.Index] = []candidate.Blocker{{
			Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: w.Until,
			Message: fmt.Sprintf("replacements of the pool's nodes fail (back-off level %d), "+
				"and the pool waits before it tries again", w.Level),
		}}
	}
}

// of returns the back-off of a pool. In Karpenter's dialect no pool waits: Karpenter has not implemented its RFC.
func (g *backoffGate) of(pool *scope) (none Backoff) {
	if !dialect.Backoff.In(g.fleet.Dialect) {
		return none
	}
	return g.fleet.Memory[pool.MemoryKey()].Backoff.seen(g.fleet.Now)
}

// waits reports whether the pool of a kind waits with its reason.
func (g *backoffGate) waits(k *kind) bool {
	end := g.of(k.Pool).Until
	return !k.Pool.Grouped() && !end.IsZero() && g.fleet.Now.Before(end) && backsOff(k.Pool, k.Reason)
}

// backsOff reports whether failed replacements make the pool wait with a reason, or with one of several ("").
func backsOff(p *scope, reason candidate.Reason) bool {
	return reason == "" || candidate.Drifted.Covers(reason) || candidate.Expired.Covers(reason) ||
		p.RepairBacksOff && candidate.Unhealthy.Covers(reason)
}

// Against returns the blockers of all requests of a kind.
func (g *backoffGate) Against(k *kind) []candidate.Blocker { return g.said[k.Index] }

// Allows reports whether the pool of the request does not wait.
func (g *backoffGate) Allows(r *request) bool { return r.Kind == nil || g.said[r.Kind.Index] == nil }

// Blockers returns what blocks the request while its pool waits.
func (g *backoffGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.said[r.Kind.Index]
}

// AllowsFrom returns when the pool no longer waits, but not before from.
func (g *backoffGate) AllowsFrom(r *request, from time.Time) time.Time {
	if g.Allows(r) {
		return from
	}
	return schedule.Last(from, g.of(r.Pool).Until)
}

// Until returns no time: a back-off begins when a replacement fails.
func (g *backoffGate) Until(*request) (never time.Time) { return never }

// Count does nothing.
func (g *backoffGate) Count(*request, int) {}

// NextChange returns no time: the blocker has it.
func (g *backoffGate) NextChange() (never time.Time) { return never }
