package shared

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// WaitToExpire holds what has expired as drift is held while a pool waits: it is replaced in the same way.
func WaitToExpire(in *disruptkit.Input) {
	expired := func(c candidate.Condition) bool { return candidate.Expired.Covers(c.Reason) }
	overdue := func(c candidate.Condition) bool { return c.Overdue(in.Now) }
	for i := range in.Nodes {
		n := &in.Nodes[i]
		until := in.Memory[n.Pool].Backoff.Until
		if until.After(in.Now) && slices.ContainsFunc(n.Conditions, expired) && !slices.ContainsFunc(n.Conditions, overdue) {
			n.Blockers = append(n.Blockers, candidate.Blocker{
				Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: until,
				Message: "replacements of the pool's nodes fail, and the pool waits before it tries again",
			})
		}
	}
}
