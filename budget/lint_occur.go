package budget

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// needless finds budgets that only name reasons for which no node of the pool goes anyway.
func (l *linter) needless() {
	for _, b := range l.budgets() {
		if len(b.reasons) == 0 || slices.ContainsFunc(b.reasons, l.occurs) {
			continue
		}
		verb := plural(len(b.reasons), "occurs", "occur")
		l.add(Finding{Code: FindingNeverOccurs, Severity: SeverityInfo, Budgets: only(b.index),
			Message: fmt.Sprintf("%s, and limits nothing, since %s never %s in this pool (%s)", l.name(b.index),
				reasonsText(b.reasons), verb, l.excluding(b.reasons)),
			Advice: l.deleting(b.index) + ", or keep it for when they do"})
	}
}

// excluding names what keeps nodes from going for some reasons.
func (l *linter) excluding(reasons []candidate.Reason) string {
	switch spec := l.set.spec; {
	case l.pool.Replicas > 0:
		return "it has replicas"
	case spec.ConsolidateAfter == "Never":
		return "consolidateAfter is Never"
	case spec.ConsolidationPolicy == "WhenEmpty" || spec.Consolidation.ConsolidationPolicy == "WhenEmpty":
		return "consolidationPolicy is WhenEmpty"
	case slices.ContainsFunc(reasons, l.pool.excludes):
		return "its consolidation settings keep them out"
	}
	return "disruptAfter is Never"
}
