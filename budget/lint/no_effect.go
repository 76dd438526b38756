package lint

import (
	"github.com/disruptkit/disruptkit/budget"
)

var ruleNoEffect = Rule{
	Code:  CodeNoEffect,
	Means: "A field or an annotation has no effect.",
	Example: "A sequential budget with reasons: [Empty]: only drift takes turns. Or an annotation " +
		"disruptkit.dev/disruption, without the guard or the steward.",
	Do: "Delete it, or give it the reason that it is for. If you run the guard or the steward, write --engine guard " +
		"or --engine steward.",
}

// idleOrder returns the finding that a sequential budget is for reasons that do not take turns.
func (l *linter) idleOrder(b *budget.Limit) (Finding, func() remedy) {
	return Finding{Code: CodeNoEffect, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and limits nothing: sequential budgets are for drift"},
		func() remedy {
			each := way{does: "leave sequential out of " + l.set.Place(b.Index) + " to limit each zone",
				edits: l.edit(b.Index, func(b *budget.Budget) { b.Sequential = false })}
			return remedy{ways: []way{l.deleting(b.Index), each}, tail: ", or name Drifted, too",
				otherwise: "name Drifted, too"}
		}
}
