package lint

import (
	"fmt"

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
func (l *linter) idleOrder(b *budget.Limit) Finding {
	return Finding{Code: CodeNoEffect, Severity: SeverityWarning, Budgets: only(b.Index),
		Message: l.name(b.Index) + ", and limits nothing: sequential budgets are for drift",
		Advice: fmt.Sprintf("%s, name Drifted, too, or leave sequential out of %s to limit each zone%s",
			l.deleting(b.Index), l.set.Place(b.Index),
			l.butWhich(l.change(b.Index, func(b *budget.Budget) { b.Sequential = false })))}
}
