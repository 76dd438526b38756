package lint

import "github.com/disruptkit/disruptkit/budget"

var ruleNoBudgets = Rule{
	Code:    CodeNoBudgets,
	Means:   "The list of budgets is empty, which means no limit. (A missing list means 10%.)",
	Example: "budgets: []",
	Do: `Delete the empty list to get the default of 10%, or write nodes: "100%" to say that no limit is ` +
		"meant.",
}

// noBudgets finds an empty list.
func (l *linter) noBudgets() {
	if len(l.list) == 0 {
		l.addFix(Finding{Code: CodeNoBudgets, Severity: SeverityWarning,
			Message: "the list of budgets is empty, and limits nothing"}, func() remedy {
			ten := budget.Budget{Nodes: "10%"}
			return remedy{lead: "leave budgets out for Karpenter's default of 10%, or ",
				ways:      []way{{does: "add " + l.literals(ten), edits: l.adding(ten)}},
				otherwise: "write one"}
		})
	}
}
