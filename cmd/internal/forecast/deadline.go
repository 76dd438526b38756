package forecast

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// overdue says from when on a node no longer waits for the times of a timeline, and how many go at once then.
func (p *pool) overdue(reason candidate.Reason) string {
	if !p.hasDeadline(reason) {
		return ""
	}
	deadline, most := p.budgets.Deadline(reason), p.budgets.Overdue(p.nodes, reason).Nodes
	if most == 0 {
		return fmt.Sprintf("; overdue after %s, and blocked even then, since a budget is invalid", short(deadline))
	}
	text := fmt.Sprintf("; overdue after %s: from then on nothing waits for these times or for paces, and %s may go at once", short(deadline),
		sentence.Count(most, "node"))
	if p.As.Annotated() {
		text += ", as far as Karpenter's own budgets let them"
	}
	return text
}

// goesOverdue reports whether nodes may go for a reason once they are overdue.
func (p *pool) goesOverdue(reason candidate.Reason) bool {
	return p.hasDeadline(reason) && p.budgets.Overdue(p.nodes, reason).Nodes > 0
}

// hasDeadline reports whether the deadline of a reason applies. Expiration does not ask the guard.
func (p *pool) hasDeadline(reason candidate.Reason) bool {
	return p.budgets.Deadline(reason) != candidate.Forever && (!p.As.Annotated() || !candidate.Expired.Covers(reason))
}
