package forecast

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/engine"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// overdue says from when on a node no longer waits for the times of a timeline, and how many go at once then.
func (p *pool) overdue(reason candidate.Reason) string {
	deadline := p.budgets.Deadline(reason)
	if deadline == candidate.Forever || p.As == engine.Guard && candidate.Expired.Covers(reason) { // expiration asks no guard
		return ""
	}
	most := p.budgets.Overdue(p.nodes, reason).Nodes
	if most == 0 {
		return fmt.Sprintf("; overdue after %s, and held back even then, since a budget is broken", short(deadline))
	}
	text := fmt.Sprintf("; overdue after %s: from then on nothing waits for these times or for paces, and %s may go at once", short(deadline),
		sentence.Count(most, "node"))
	if p.As == engine.Guard {
		text += ", as far as Karpenter's own budgets let them"
	}
	return text
}
