package disruptkit

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Gate is a limit of the caller's own, such as at most two nodes of a rack row at once. It is open for one session:
// see Input.Gates. Its answers must depend only on the Input and on what Count has counted.
type Gate interface {
	// Blockers returns what blocks a candidate now, given the candidates that are counted; nothing: it is allowed. Each
	// blocker has a Gate and a Code of the caller's own, and the time when time alone lifts it. It is called at least
	// once for each candidate, so it should be fast.
	Blockers(c candidate.Candidate, n *candidate.Node) []candidate.Blocker
	// Count counts a candidate that the session disrupts: by is 1, or -1 to undo that, in any order.
	Count(c candidate.Candidate, n *candidate.Node, by int)
	// NextChange returns a time before which time alone changes no answer of the gate, or zero for never.
	NextChange() time.Time
}

// callersGate is all gates of the caller as one, so that their order makes no difference.
type callersGate []Gate

func openCallers(f *fleet) (g callersGate) {
	for _, open := range f.Gates {
		g = append(g, open(f.Input))
	}
	return g
}

// Allows reports whether all gates allow the request.
func (g callersGate) Allows(r *request) bool {
	for _, one := range g {
		if len(one.Blockers(r.candidate(), r.Node)) > 0 {
			return false
		}
	}
	return true
}

// Blockers returns the blockers of all gates.
func (g callersGate) Blockers(r *request) (blockers []candidate.Blocker) {
	for _, one := range g {
		blockers = slices.Concat(blockers, one.Blockers(r.candidate(), r.Node))
	}
	slices.SortStableFunc(blockers, func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
	})
	return blockers
}

// Until returns when the answer of a gate may next change.
func (g callersGate) Until(*request) time.Time { return g.NextChange() }

// Count counts the request in all gates, unless it was in flight when they opened.
func (g callersGate) Count(r *request, n int) {
	if r.InFlight() {
		return
	}
	for _, one := range g {
		one.Count(r.candidate(), r.Node, n)
	}
}

// NextChange returns when the answer of a gate may next change.
func (g callersGate) NextChange() (next time.Time) {
	for _, one := range g {
		next = schedule.First(next, one.NextChange())
	}
	return next
}
