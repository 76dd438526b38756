package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var ruleLimitsNothing = Rule{
	Code:    CodeLimitsNothing,
	Means:   "A budget lets all nodes of the pool go at once.",
	Example: `nodes: "100%", or nodes: "50" in a pool of 20 nodes.`,
	Do:      "Delete it, or write a smaller number. It is fine as a way to say that there is no limit.",
}

// mostNodes is the greatest number of nodes that Kubernetes supports. ("Considerations for large clusters".)
const mostNodes = 5000

// limitsNothing finds budgets that let all nodes go at once, or start within the time of a pace: 100 %, or a count of
// all nodes. For empty nodes, which run nothing, that is intended.
func (l *linter) limitsNothing() {
	for _, b := range l.valid {
		all, nodes := l.nodes, fmt.Sprintf("all %d nodes", l.nodes)
		switch {
		case b.Percent:
			all, nodes = 100, "all nodes"
		case l.assumed:
			all, nodes = mostNodes, "all nodes of any pool"
		}
		if b.N < all || !l.decides(b) {
			continue
		}
		what := "go at once"
		if b.Per > 0 {
			what = "start within that time"
		}
		l.addFix(Finding{Code: CodeLimitsNothing, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s, and limits nothing: %s may %s", l.name(b.Index), nodes, what)}, func() remedy {
			return remedy{tail: " if that is not intended", otherwise: "write a lower number, if that is not intended",
				ways: []way{{does: `write "nodes": "10%" in ` + l.set.Place(b.Index),
					edits: l.edit(b.Index, func(b *budget.Budget) { b.Nodes = "10%" })}}}
		})
	}
}

// decides reports whether a budget decides at some time for a reason other than Empty.
func (l *linter) decides(b *budget.Limit) bool {
	if b.Key != "" {
		return !b.Sequential && slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
			return r != candidate.Empty && b.Covers(r)
		})
	}
	return slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool {
		return r != candidate.Empty && slices.ContainsFunc(l.timelines[r],
			func(s budget.Segment) bool { return (s.Binding | s.Paces).Has(b.Index) })
	})
}
