package budget

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// combining finds a budget for Underutilized that never lets more than one node go. Karpenter saves most when it
// replaces several nodes with one. (Karpenter: MultiNodeConsolidation.ComputeCommands.)
func (l *linter) combining() {
	const r = candidate.Underutilized
	if !slices.Contains(l.reasons, r) {
		return
	}
	var which Indexes
	for _, s := range l.effective(r) {
		if s.Nodes > 1 {
			return
		}
		if s.Nodes == 1 {
			which |= s.Binding
		}
	}
	for _, b := range l.budgets() {
		if !b.names(r) || b.limit != (limit{n: 1}) {
			which &^= only(b.index) // a slow pace for everything
		}
	}
	if which == 0 {
		return
	}
	l.add(Finding{Code: FindingNothingToCombine, Severity: SeverityInfo, Budgets: which, Reason: r,
		Message: fmt.Sprintf("%s, and Karpenter never replaces several nodes of the pool with one: that needs two at once", l.names(which)),
		Advice:  "write 2 or more if consolidation is to combine nodes"})
}
