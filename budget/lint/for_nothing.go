package lint

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var ruleForNothing = Rule{
	Code:    CodeForNothing,
	Means:   "A budget names no reason for which Karpenter consults budgets, so it limits nothing in Karpenter.",
	Example: "reasons: [] in Karpenter's API means no reason at all; disruptkit takes it for all reasons.",
	Do:      "Leave out reasons to mean all of them.",
}

func (l *linter) forNothing(i int, b budget.Budget) {
	consulted := func(r candidate.Reason) bool {
		return r == candidate.Underutilized || r == candidate.Empty || r == candidate.Drifted ||
			r == candidate.Unhealthy
	}
	switch {
	case b.Reasons == nil || slices.ContainsFunc(b.Reasons, consulted):
	case len(b.Reasons) == 0:
		l.addFix(Finding{Code: CodeForNothing, Severity: SeverityError, Budgets: only(i),
			Message: l.set.Place(i) + " has an empty list of reasons, which in Karpenter means no reason at all",
		}, func() remedy { return l.naming(i) })
	default:
		l.quirk(i, CodeForNothing, l.naming(i), ", and Karpenter consults no budget for that")
	}
}

// naming says what to do about a budget for no reason.
func (l *linter) naming(i int) remedy {
	return remedy{ways: []way{l.deleting(i), {
		does:  "leave reasons out of " + l.set.Place(i) + " for a budget for all reasons",
		edits: l.edit(i, func(b *budget.Budget) { b.Reasons = nil }),
	}}, tail: ", or name its reasons", otherwise: "name its reasons"}
}
