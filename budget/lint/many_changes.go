package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleManyChanges = Rule{
	Code:    CodeManyChanges,
	Means:   "Budgets change too often for lint to check the whole year.",
	Example: `schedule: "* * * * *" with duration: 30s.`,
	Do:      "Use windows of hours rather than of minutes.",
}

// manyChanges returns the finding that lint checked a reason only up to a time.
func (l *linter) manyChanges(r candidate.Reason, message string, upTo time.Time) Finding {
	return Finding{Code: CodeManyChanges, Severity: SeverityInfo, Reason: r, Span: schedule.Span{Start: upTo},
		Message: fmt.Sprintf(message, l.time(upTo)), Advice: "write schedules that hit less often"}
}
