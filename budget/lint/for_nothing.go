package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
)

var ruleForNothing = Rule{
	Code:    CodeForNothing,
	Means:   "A budget names no reason for which Karpenter consults budgets, so it limits nothing in Karpenter.",
	Example: "reasons: [] in Karpenter's API means no reason at all; disruptkit takes it for all reasons.",
	Do:      "Leave out reasons to mean all of them.",
}

// naming says what to do about a budget for no reason.
func (l *linter) naming(i int) string {
	return fmt.Sprintf("%s, or leave reasons out of %s for a budget for all reasons%s", l.deleting(i), l.set.Place(i),
		l.butWhich(l.change(i, func(b *budget.Budget) { b.Reasons = nil })))
}
