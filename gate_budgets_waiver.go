package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Waives reports whether an overdue request may go, whatever windows and paces of the layer say, and, of pools,
// back-offs: while few nodes are in flight at once.
func (g *budgetGate) Waives(r *request) bool {
	return g.passes(r) || g.mayBeOverdue(&g.quotas[g.kind(r).Index])
}

// Refuse returns the blocker of an overdue request that has to wait for others. Requests of a kind share the answer.
func (g *budgetGate) Refuse(r *request) []candidate.Blocker {
	q := &g.quotas[g.kind(r).Index]
	u := &g.used[q.Pool.Index]
	if q.waiting == nil || q.waitingAt != u.changes {
		q.waiting, q.waitingAt = []candidate.Blocker{q.tooMany(g.now, u.TotalFor(q.Reason), u.going)}, u.changes
	}
	return q.waiting
}

// mayBeOverdue reports whether one more overdue request may go, given the nodes in flight and the requests that go.
func (b *book) mayBeOverdue(q *quota) bool {
	return q.Overdue.Remaining(b.used[q.Pool.Index].TotalFor(q.Reason)) > 0
}

// tooMany returns the blocker of an overdue request that has to wait for others.
func (q *quota) tooMany(now time.Time, inUse, going int) candidate.Blocker {
	b := candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Source: q.source(q.Overdue.Binding),
	}
	if q.Overdue.Nodes == 0 { // broken
		b.Code, b.Source = q.code(), q.source(q.Allowance.Binding)
		b.Message = q.sentence(now, going)
		return b
	}
	b.Message = q.Pool.Of() + fmt.Sprintf("the node is overdue, and %d of %s may be disrupted at once then",
		q.Overdue.Nodes, wording.Count(q.Pool.Nodes, "node"))
	if inUse -= going; inUse > 0 {
		b.Message += fmt.Sprintf(", %d %s", inUse, q.users())
	}
	if going > 0 {
		b.Message += fmt.Sprintf(", %d allowed now", going)
	}
	if which := q.Overdue.Binding; which != 0 {
		b.Message += ": " + q.Describe(now, which)
	}
	return b
}
