package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleOnlyOverdue = Rule{
	Code:    CodeOnlyOverdue,
	Means:   "Budgets always block a reason, so its nodes are disrupted only once they are overdue.",
	Example: `nodes: "0" without a schedule, and deadline: 336h.`,
	Do:      "Nothing, if that is intended; or write a schedule and a duration, or more nodes.",
}

// onlyOverdue says how nodes go for a reason for which budgets never let any go: once they are overdue. Budgets for
// single zones hold overdue nodes back, too.
func (l *linter) onlyOverdue(f Finding, r candidate.Reason) Finding {
	deadline := l.limits.Deadline(r)
	scoped := l.which(func(b *budget.Limit) bool { return b.Key != "" })
	if f.Budgets&scoped != 0 || deadline == candidate.Forever {
		return f
	}
	most := l.limits.Overdue(l.nodes, r).Nodes
	f.Code, f.Severity = CodeOnlyOverdue, SeverityInfo
	f.Message = fmt.Sprintf("allowed only once overdue, %s after the reason began to hold (deadline), and then %d "+
		"at once: %s", wording.Duration(deadline), most, l.names(f.Budgets))
	f.Advice = "if that is not intended, write a schedule and a duration, or more nodes"
	return f
}
