// Package deadline finds the deadline of a condition.
package deadline

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Of returns the deadline of a condition of a node: its own, even one that is before Since, or else that of the
// controls of the node's pool. Zero means none.
func Of(c candidate.Condition, pool budget.Set) time.Time {
	after := pool.Deadline(c.Reason)
	if !c.Deadline.IsZero() || c.Since.IsZero() || after == candidate.Forever {
		return c.Deadline
	}
	return c.Since.Add(after)
}
