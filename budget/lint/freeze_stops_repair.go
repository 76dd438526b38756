package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
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
	if l.limits.brokenFor(r) || l.cut || !l.occurs(r) {
		return
	}
	timeline := l.effective(r)
	if openFor(timeline) == 0 {
		return // never-repaired, or never-disruptable
	}
	first, every := l.stopsRepair(timeline, r)
	if first.blocking == 0 {
		return
	}
	f := Finding{
		Code: CodeFreezeStopsRepair, Severity: SeverityInfo, Budgets: first.blocking, Reason: r, Span: first.Span,
		Message: fmt.Sprintf("broken nodes are not repaired %s, for %s: %s, for all reasons", l.span(first.Span),
			roughly(length(first.Span)), l.names(first.blocking)),
	}
	if slices.Contains(l.reasons, r) {
		f.Severity = SeverityWarning
	}
	l.addFix(f, func() remedy {
		return remedy{lead: "if repair should continue: ", ways: l.mending(r, every),
			otherwise: "name the reasons of the freeze"}
	})
}

// stopsRepair returns the first closure of a timeline that freezes for all reasons cause alone, and every such freeze
// that closes, be it alone or not: to repair nodes at all times, all of them have to be changed. It skips short
// closures if no budget names repair.
func (l *linter) stopsRepair(timeline []budget.Segment, r candidate.Reason) (first phase, every budget.Indexes) {
	all := l.which(func(b *budget.Limit) bool { return b.N == 0 && len(b.Reasons) == 0 }) // for all reasons
	named := slices.Contains(l.reasons, r)
	for _, p := range phasesOf(timeline) {
		if p.open || !named && length(p.Span) < longFreeze {
			continue
		}
		every |= p.blocking & all
		if first.blocking == 0 && p.blocking&^all == 0 {
			first = p
		}
	}
	return first, every
}
