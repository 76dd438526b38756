package gate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Backoff is the gate of pools whose replacements fail: they wait before they try again.
type Backoff struct {
	said [][]candidate.Blocker // by Kind
}

// A Wait is what the memory of a pool says of its replacements: disruptkit.Backoff.
type Wait struct {
	Level int
	Until time.Time
}

func openBackoff(kinds []*Kind, in Input) *Backoff {
	g := &Backoff{make([][]candidate.Blocker, len(kinds))}
	for _, k := range kinds {
		if k.Overdue {
			continue // they wait no longer, but Budgets lets few of them go at once
		}
		if !in.waits(k) {
			continue
		}
		w := in.Waits[k.Pool.Name]
		g.said[k.Index] = []candidate.Blocker{{
			Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: w.Until,
			Message: fmt.Sprintf("replacements of the pool's nodes fail (back-off level %d), and the pool waits before it tries again", w.Level),
		}}
	}
	return g
}

// waits reports whether the pool of a kind waits with its reason.
func (in *Input) waits(k *Kind) bool {
	end := in.Waits[k.Pool.Name].Until
	return !end.IsZero() && in.Now.Before(end) && k.Pool.backsOff(k.Reason)
}

// backsOff reports whether failed replacements make the pool wait with a reason, or with one of several ("").
func (p *Pool) backsOff(reason candidate.Reason) bool {
	return reason == "" || candidate.Drifted.Covers(reason) || p.RepairBacksOff && candidate.Unhealthy.Covers(reason)
}

// Against returns the blockers of all requests of a kind.
func (g *Backoff) Against(k *Kind) []candidate.Blocker { return g.said[k.Index] }

// Judge returns what holds the request back while its pool waits.
func (g *Backoff) Judge(r *Request) []candidate.Blocker {
	if r.Kind == nil {
		return nil
	}
	return g.said[r.Kind.Index]
}

// Go and Return change nothing: a pool waits with all of its nodes.
func (g *Backoff) Go(*Request)     {}
func (g *Backoff) Return(*Request) {}
