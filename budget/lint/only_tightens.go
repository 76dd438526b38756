package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleOnlyTightens = Rule{
	Code: CodeOnlyTightens,
	Means: "A window is meant to allow more, but another budget is tighter for a pool of this size. Budgets " +
		"only restrict.",
	Example: `nodes: "20%" at night next to nodes: "5", in a pool of 100 nodes.`,
	Do:      "Give the other budget a schedule for the remaining hours.",
}

// onlyTightens finds windows with a higher limit than the budgets that are always active: people read them as a
// permission, but the tightest budget wins. It finds those for which that depends on the number of nodes; neverBinds
// finds the others.
func (l *linter) onlyTightens() {
	if l.assumed || l.cut || l.limits.MostSpecific() {
		return
	}
	for _, b := range l.limits.pool {
		if b.Constant() || l.list[b.Index].Outside || b.N == 0 || l.idle.Has(b.Index) {
			continue
		}
		rivals := l.rivals(b)
		if rivals == 0 {
			continue
		}
		l.addFix(Finding{Code: CodeOnlyTightens, Severity: SeverityInfo, Budgets: only(b.Index) | rivals,
			Message: fmt.Sprintf("%s, and allows no more in its window: of %s, %s is tighter, and budgets only "+
				"restrict", l.name(b.Index), wording.Count(l.nodes, "node"), l.names(rivals))}, func() remedy {
			return remedy{lead: "if it should allow more, ", ways: l.handing(b.Index, rivals),
				otherwise: "give the others a schedule that leaves its window out"}
		})
	}
}

// rivals returns the budgets that decide while a budget is active, or none if it decides itself at some time.
func (l *linter) rivals(b *budget.Limit) (rivals budget.Indexes) {
	for _, r := range l.reasons {
		if b.Covers(r) && slices.ContainsFunc(l.timelines[r],
			func(s budget.Segment) bool { return s.Binding.Has(b.Index) }) {
			return 0
		}
	}
	for _, r := range l.reasons {
		for _, s := range l.timelines[r][:min(len(l.timelines[r]), lintChanges/50)] {
			if active, _ := b.Window.Until(s.Start); active && b.Covers(r) && s.Nodes > 0 {
				rivals |= s.Binding
			}
		}
	}
	return rivals
}
