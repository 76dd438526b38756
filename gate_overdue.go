package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// overdueGate is a gate of budgets for requests with a deadline. Windows, paces, soaks and back-offs no longer block an
// overdue node while few nodes are in flight ([budgetGate.Waives]).
//
// The pools' gate decides that for back-off as well. If it does not excuse an overdue request from both, it alone has
// the blocker, and lifts it once both gates allow the request.
type overdueGate struct {
	*budgetGate
	backoff *backoffGate
}

// Allows reports whether the budgets allow the request, or excuse it.
func (g overdueGate) Allows(r *request) bool {
	return g.budgetGate.Allows(r) || r.Overdue && r.Kind != nil && g.Waives(r)
}

// Blockers returns what blocks the request at most until it is overdue and excused.
func (g overdueGate) Blockers(r *request) []candidate.Blocker {
	switch due := r.Deadline(); {
	case due.IsZero() || r.Kind == nil:
		return g.budgetGate.Blockers(r)
	case !r.Overdue:
		return g.before(due, r)
	case g.Waives(r) || g.budgetGate.Allows(r) && (g.layer > 0 || g.backoff.Allows(r)):
		return nil
	}
	return liftingAt(g.allowsFrom(r, g.now), g.Refuse(r))
}

// before returns what blocks a request that is not overdue yet.
func (g overdueGate) before(due time.Time, r *request) []candidate.Blocker {
	said := g.budgetGate.Blockers(r)
	if len(said) == 0 {
		return nil
	}
	lifts := said[0].Until // all of them lift together
	switch {
	case !lifts.IsZero() && lifts.Before(due), g.unsure(r, lifts):
		return said
	case g.Waives(r):
		lifts = due
	case !lifts.IsZero():
		lifts = g.allowsFrom(r, lifts)
	}
	return liftingAt(lifts, said)
}

// allowsFrom returns the first time at or after from at which the budgets allow one more request of its kind, and, in
// the layer of pools, the pool no longer waits. Zero is never.
func (g overdueGate) allowsFrom(r *request, from time.Time) time.Time {
	if g.layer == 0 {
		from = g.backoff.AllowsFrom(r, from)
	}
	return g.AllowsFrom(r, from)
}
