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
	// Others are a slow pace for everything.
	ones := l.which(func(b *limit.Budget) bool { return b.Names(r) && b.Limit == limit.Limit{N: 1} })
	which := single(l.effective(r)) & ones
	if which == 0 {
		return
	}
	l.add(finding{Code: CodeNothingToCombine, Severity: SeverityInfo, Budgets: which, Reason: r,
		Message: fmt.Sprintf("%s, and Karpenter never replaces several nodes of the pool with one: that needs two "+
			"at once", l.names(which)),
		Advice: "write 2 or more if consolidation is to combine nodes"})
}
