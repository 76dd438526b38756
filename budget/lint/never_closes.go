package lint

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleNeverCloses = Rule{
	Code: CodeNeverCloses,
	Means: "Each window lasts until the next one begins, so the budget is always active and its schedule makes " +
		"no difference.",
	Example: `schedule: "@daily" with duration: 24h.`,
	Do: "Leave out schedule and duration, which changes nothing, or shorten the duration if the window is to " +
		"end.",
}

// neverCloses finds budgets that are always active in spite of a schedule.
func (l *linter) neverCloses() {
	for _, b := range l.valid {
		if !l.endless(b) {
			continue
		}
		f := Finding{Code: CodeNeverCloses, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and always active: each window lasts until the next begins"}
		tail := ", or write a shorter duration, if it should end in between"
		written := l.list[b.Index]
		if shortest, err := schedule.Parse(written.Schedule, time.Minute, written.TimeZone); err == nil &&
			l.alwaysOpen(shortest) {
			tail = ", or write a schedule that hits less often"
		}
		l.addFix(f, func() remedy {
			untimed := l.untimed(b.Index)
			untimed.obvious = true
			return remedy{ways: []way{untimed}, tail: tail, otherwise: "correct its schedule or its duration"}
		})
	}
}

func (l *linter) endless(b *budget.Limit) bool {
	return !b.Constant() && !dated(l.list[b.Index]) && l.alwaysOpen(b.Window)
}

func (l *linter) alwaysOpen(w schedule.Window) bool {
	isOpen, until := w.Until(l.now)
	return isOpen && until.IsZero()
}
