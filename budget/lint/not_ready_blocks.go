package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

var ruleNotReadyBlocks = Rule{
	Code: CodeNotReadyBlocks,
	Means: "A single node that is not Ready uses up the whole budget, so the pool is blocked until that node " +
		"recovers.",
	Example: `nodes: "1": a node that is not Ready counts as in use.`,
	Do:      "Nothing, if one at a time is intended: node repair, or you, replace the broken node.",
}

// notReadyBlocks finds reasons for which never more than one node may go. A node that is not Ready uses that up, and
// only repair replaces it.
func (l *linter) notReadyBlocks() {
	others := slices.DeleteFunc(slices.Clone(l.reasons), candidate.Unhealthy.Covers)
	l.each(others, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		which := single(l.timelines[r])
		return Finding{Code: CodeNotReadyBlocks, Severity: SeverityInfo, Budgets: which,
			Message: fmt.Sprintf("stopped by a single node that is not Ready, since that counts as in use: %s",
				l.names(which)),
			Advice: "that is safe, but only repair (Unhealthy) replaces the node itself"}, nil, which != 0
	})
}
