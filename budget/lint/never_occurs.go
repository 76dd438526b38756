package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

var ruleNeverOccurs = Rule{
	Code:  CodeNeverOccurs,
	Means: "A budget names only reasons that never occur in the pool, so it limits nothing.",
	Example: "reasons: [Underutilized] with consolidationPolicy: WhenEmpty, or reasons: [Empty] in a pool with " +
		"replicas.",
	Do: "Delete the budget, or change the consolidationPolicy if such nodes should go.",
}

// neverOccurs finds budgets that only name reasons for which no node of the pool goes anyway.
func (l *linter) neverOccurs() {
	for _, b := range l.valid {
		if len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, l.occurs) {
			continue
		}
		l.addFix(Finding{Code: CodeNeverOccurs, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s, and limits nothing, since %s never %s in this pool (%s)", l.name(b.Index),
				reasonsText(b.Reasons), plural(len(b.Reasons), "occurs", "occur"),
				l.excluding(b.Reasons))}, func() remedy {
			deleting := l.deleting(b.Index)
			deleting.raises = true // for when they do
			const keep = "keep it for when they do"
			return remedy{ways: []way{deleting}, tail: ", or " + keep, otherwise: keep}
		})
	}
}

// excluding names what keeps nodes from going for some reasons.
func (l *linter) excluding(reasons []candidate.Reason) string {
	switch spec := l.spec; {
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
