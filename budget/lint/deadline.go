package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// moot finds deadlines that come before the next window does: nodes go outside of the windows as a rule, not as an
// exception.
func (l *linter) moot() {
	l.eachDeadline(l.reasons, l.each, func(r candidate.Reason) (f finding, found bool) {
		deadline, after := l.limits.Deadlines.OrNever(r), l.limits.After.Of(r)
		openings, closures, blocking := openingsOf(l.effective(r))
		if deadline == candidate.Forever || len(openings) == 0 || l.limits.BrokenFor(r) {
			return f, false
		}
		gap := longest(closures)
		if gap <= deadline-after {
			return f, false
		}
		waits := ""
		if after > 0 {
			waits = fmt.Sprintf(" and may go after %s (disruptAfter)", duration.Text(after))
		}
		longer := (after + gap).Truncate(time.Hour) + 24*time.Hour
		advice := fmt.Sprintf("write a deadline that is longer than the time between windows, such as %dh", longer/time.Hour)
		if longer > limit.LongestPeriod {
			advice = "write windows that come more often: a deadline is a year at most"
		}
		return finding{Code: CodeShortDeadline, Severity: SeverityWarning, Budgets: blocking,
			Message: fmt.Sprintf("overdue after %s (deadline)%s, but allowed in windows that are up to %s apart, so nodes are disrupted outside of them: %s",
				duration.Text(deadline), waits, duration.Text(gap), l.names(blocking)),
			Advice: advice}, true
	})
}

// A check finds something for a reason.
type check func(r candidate.Reason) (f finding, found bool)

// eachDeadline calls each for reasons with the same deadline at a time: it checks reasons once that the same budgets
// concern.
func (l *linter) eachDeadline(reasons []candidate.Reason, each func([]candidate.Reason, check), check check) {
	for len(reasons) > 0 {
		deadline := l.limits.Deadlines.OrNever(reasons[0])
		var alike, others []candidate.Reason
		for _, r := range reasons {
			if l.limits.Deadlines.OrNever(r) == deadline {
				alike = append(alike, r)
			} else {
				others = append(others, r)
			}
		}
		each(alike, check)
		reasons = others
	}
}

// longest returns the length of the longest span.
func longest(spans []schedule.Span) (most time.Duration) {
	for _, s := range spans {
		most = max(most, length(s))
	}
	return most
}

// onlyOverdue says how nodes go for a reason for which budgets never let any go: once they are overdue. Budgets for
// single zones hold overdue nodes back, too.
func (l *linter) onlyOverdue(f finding, r candidate.Reason) finding {
	deadline := l.limits.Deadlines.OrNever(r)
	for i := range l.limits.Scoped {
		if f.Budgets.Has(l.limits.Scoped[i].Index) {
			return f
		}
	}
	if deadline == candidate.Forever {
		return f
	}
	most := l.limits.Overdue(l.nodes, r).Nodes
	f.Code, f.Severity = CodeOnlyOverdue, SeverityInfo
	f.Message = fmt.Sprintf("allowed only once overdue, %s after the reason began to hold (deadline), and then %d at once: %s",
		duration.Text(deadline), most, l.names(f.Budgets))
	f.Advice = "if that is not intended, write a schedule and a duration, or more nodes"
	return f
}
