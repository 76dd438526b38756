package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleShortRotation = Rule{
	Code: CodeShortRotation,
	Means: "A short window allows all nodes, but has no time for them. Replacements take minutes to start, and " +
		"Karpenter rolls a few at a time.",
	Example: `nodes: "100%" for ten minutes a day.`,
	Do: "Compare with a plan (kubectl disruption plan), and write a window in which the pool can finish, or " +
		"expect several windows.",
}

// shortRotation is how long a window has to be at least for a pool of more than a few nodes to roll in it: launching a
// replacement and draining a node takes minutes, and Karpenter replaces drifted nodes in small groups.
const shortRotation = time.Hour

// shortRotation finds short windows that allow all nodes. They read as if all of them were replaced in a window.
func (l *linter) shortRotation() {
	if !l.occurs(candidate.Drifted) || l.limits.brokenFor(candidate.Drifted) {
		return
	}
	timeline := l.effective(candidate.Drifted)
	var openings []schedule.Span
	for i, p := range phasesOf(timeline) {
		if p.open && i > 0 && !p.End.Equal(l.end) {
			openings = append(openings, p.Span)
		}
	}
	if len(openings) < 3 || longest(openings) >= shortRotation {
		return
	}
	var which budget.Indexes
	for _, s := range timeline {
		if s.Nodes > 0 && s.Nodes < l.nodes {
			return
		}
		if s.Nodes > 0 {
			which |= s.Binding
		}
	}
	if which == 0 {
		return // unlimitedSpan says so
	}
	l.add(Finding{Code: CodeShortRotation, Severity: SeverityInfo, Budgets: which, Reason: candidate.Drifted,
		Message: fmt.Sprintf("all nodes may go at once, but hardly all of them in the %s that an opening lasts: "+
			"replacements take minutes to start, and Karpenter rolls a few nodes at a time; the others "+
			"wait for the next window: %s", wording.Duration(median(openings)), l.names(which)),
		Advice: "compare with a plan (kubectl disruption plan), and write a longer window"})
}
