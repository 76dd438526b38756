package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
)

var ruleFreezeStopsRepair = Rule{
	Code:    CodeFreezeStopsRepair,
	Means:   "A freeze for all reasons keeps broken nodes from being repaired, too.",
	Example: `nodes: "0" for two weeks in December, next to nodes: "1" with reasons: [Unhealthy].`,
	Do:      "Name the reasons of the freeze: [Drifted, Empty, Underutilized].",
}

// longFreeze is how long a freeze is at least that is worth a word about broken nodes, even if no budget speaks of
// them.
const longFreeze = 7 * 24 * time.Hour

// freezeStopsRepair finds freezes for all reasons, which stop the repair of broken nodes, too. Karpenter repairs nodes
// only where the feature gate NodeRepair is on. Where a budget names Unhealthy, somebody counts on it.
func (l *linter) freezeStopsRepair() {
	const r = candidate.Unhealthy
	if l.limits.BrokenFor(r) || l.cut || !l.occurs(r) {
		return
	}
	named := slices.Contains(l.reasons, r)
	timeline := l.open(l.limits, r)
	if openFor(timeline) == 0 {
		return // never-repaired, or never-disruptable
	}
	var all limit.Indexes // freezes for all reasons
	for _, b := range l.budgets() {
		if b.Limit.N == 0 && len(b.Reasons) == 0 {
			all.Add(b.Index)
		}
	}
	for _, p := range phasesOf(timeline) {
		which := p.blocking & all
		if p.open || which == 0 || which != p.blocking || !named && length(p.Span) < longFreeze {
			continue
		}
		f := finding{Code: CodeFreezeStopsRepair, Severity: SeverityInfo, Budgets: which, Reason: r, Span: p.Span,
			Message: fmt.Sprintf("broken nodes are not repaired %s, for %s: %s, for all reasons", l.span(p.Span),
				duration.Text(length(p.Span)), l.names(which)),
			Advice: "if repair should continue: " + l.mending(r, which)}
		if named {
			f.Severity = SeverityWarning
		}
		l.add(f)
		return
	}
}
