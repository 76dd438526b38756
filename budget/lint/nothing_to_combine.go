package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
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
	var which limit.Indexes
	for _, s := range l.effective(r) {
		if s.Nodes > 1 {
			return
		}
		if s.Nodes == 1 {
			which |= s.Binding
		}
	}
	for _, b := range l.budgets() {
		if !b.Names(r) || b.Limit != (limit.Limit{N: 1}) {
			which &^= limit.Only(b.Index) // a slow pace for everything
		}
	}
	if which == 0 {
		return
	}
	l.add(finding{Code: CodeNothingToCombine, Severity: SeverityInfo, Budgets: which, Reason: r,
		Message: fmt.Sprintf("%s, and Karpenter never replaces several nodes of the pool with one: that needs two "+
			"at once", l.names(which)),
		Advice: "write 2 or more if consolidation is to combine nodes"})
}
