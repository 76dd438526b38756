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
	when, most := "after "+short(p.budgets.Deadline(reason)), p.budgets.Overdue(p.nodes, reason).Nodes
	if p.byAge(reason) {
		when = "at the age of " + short(p.Expires.Deadline)
	}
	if most == 0 {
		return fmt.Sprintf("; overdue %s, and blocked even then, since a budget is invalid", when)
	}
	text := fmt.Sprintf("; overdue %s: from then on nothing waits for these times or for paces, and %s may go at once", when,
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

// hasDeadline reports whether a node is ever overdue for a reason.
func (p *pool) hasDeadline(reason candidate.Reason) bool {
	return p.byAge(reason) || p.budgets.Deadline(reason) != candidate.Forever && !p.unasked(reason)
}

// byAge reports whether the age of a node says when it is overdue for a reason.
func (p *pool) byAge(reason candidate.Reason) bool {
	return candidate.Expired.Covers(reason) && p.Expires.Deadline > 0
}
