package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var rulePaceAlone = Rule{
	Code: CodePaceAlone,
	Means: "Only a pace limits a reason. A pace limits how many nodes start, not how many are in flight at " +
		"once.",
	Example: `{"nodes": "2", "per": "1h"}, and each drain takes five hours: ten are in flight.`,
	Do:      `Add a budget without per, such as {"nodes": "10%"}.`,
}

// paceAlone finds reasons that only paces limit. If nodes take long, many may be in flight at once.
func (l *linter) paceAlone() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		limiting, _ := l.limiting(r)
		paces := l.pacesOf(r)
		if limiting != 0 || paces == 0 || l.limits.brokenFor(r) {
			return f, nil, false
		}
		return Finding{Code: CodePaceAlone, Severity: SeverityWarning, Budgets: paces,
				Message: fmt.Sprintf("limited only by a pace, which says how many nodes start, not how many are in "+
					"flight at once: %s", l.names(paces))}, func(reasons []candidate.Reason) remedy {
				return remedy{lead: "nodes that take longer than that pile up: ", otherwise: "add a budget without per",
					ways: l.capping("add a budget without per, such as ", reasons)}
			}, true
	})
}

// pacesOf returns the paces that cover a reason.
func (l *linter) pacesOf(r candidate.Reason) budget.Indexes {
	return l.which(func(b *budget.Limit) bool { return b.Per > 0 && b.Covers(r) })
}
