package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var ruleNothingToCombine = Rule{
	Code: CodeNothingToCombine,
	Means: "Consolidation may take one node at a time, so Karpenter never replaces several nodes of the pool " +
		"with one.",
	Example: `nodes: "1" with reasons: [Underutilized].`,
	Do:      "Write 2 or more, if Karpenter should do that.",
}

// nothingToCombine finds a budget for Underutilized that never lets more than one node go. Karpenter saves most when it
// replaces several nodes with one. (Karpenter: MultiNodeConsolidation.ComputeCommands.)
func (l *linter) nothingToCombine() {
	const r = candidate.Underutilized
	if !slices.Contains(l.reasons, r) {
		return
	}
	// Others are a slow pace for everything.
	ones := l.which(func(b *budget.Limit) bool { return b.Names(r) && b.Amount == budget.Amount{N: 1} })
	which := single(l.effective(r)) & ones
	if which == 0 {
		return
	}
	l.addFix(Finding{Code: CodeNothingToCombine, Severity: SeverityInfo, Budgets: which, Reason: r,
		Message: fmt.Sprintf("%s, and Karpenter never replaces several nodes of the pool with one: that needs two "+
			"at once", l.names(which))}, func() remedy {
		w := way{raises: true,
			does: `write "nodes": "2" in ` + l.places(which) + " if consolidation is to combine nodes"}
		for i := range which.All() {
			w.edits = append(w.edits, l.edit(i, func(b *budget.Budget) { b.Nodes = "2" })...)
		}
		return remedy{ways: []way{w}, otherwise: "allow two at once if consolidation is to combine nodes"}
	})
}
