package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleShortDeadline = Rule{
	Code:    CodeShortDeadline,
	Means:   "Nodes become overdue before the next window opens, so most are disrupted outside of windows.",
	Example: "deadline: 100h, and nodes may go on Sunday nights.",
	Do:      "Write a deadline that is longer than the time between windows.",
}

// shortDeadline finds deadlines that come before the next window does: nodes go outside of the windows as a rule, not
// as an exception.
func (l *linter) shortDeadline() {
	l.eachDeadline(l.reasons, l.each, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		deadline, after := l.limits.Deadline(r), l.limits.DisruptAfter(r)
		openings, closures, blocking := openingsOf(l.effective(r))
		if deadline == candidate.Forever || len(openings) == 0 || l.limits.brokenFor(r) {
			return f, nil, false
		}
		gap := longest(closures)
		if gap <= deadline-after {
			return f, nil, false
		}
		waits := ""
		if after > 0 {
			waits = fmt.Sprintf(" and may go after %s (disruptAfter)", wording.Duration(after))
		}
		longer := (after + gap).Truncate(time.Hour) + 24*time.Hour
		advice := fmt.Sprintf("write a deadline that is longer than the time between windows, such as %dh",
			longer/time.Hour)
		if longer > budget.LongestPeriod {
			advice = "write windows that come more often: a deadline is a year at most"
		}
		return Finding{Code: CodeShortDeadline, Severity: SeverityWarning, Budgets: blocking,
			Message: fmt.Sprintf("overdue after %s (deadline)%s, but allowed in windows that are up to %s apart, "+
				"so nodes are disrupted outside of them: %s",
				wording.Duration(deadline), waits, wording.Duration(gap), l.names(blocking)),
			Advice: advice}, nil, true
	})
}

// eachDeadline calls each for reasons with the same deadline at a time: it checks reasons once that the same budgets
// concern.
func (l *linter) eachDeadline(reasons []candidate.Reason, each func([]candidate.Reason, check), check check) {
	for len(reasons) > 0 {
		deadline := l.limits.Deadline(reasons[0])
		var alike, others []candidate.Reason
		for _, r := range reasons {
			if l.limits.Deadline(r) == deadline {
				alike = append(alike, r)
			} else {
				others = append(others, r)
			}
		}
		each(alike, check)
		reasons = others
	}
}
