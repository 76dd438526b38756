package lint

import (
	"github.com/disruptkit/disruptkit/budget"
)

var ruleOver = Rule{
	Code:    CodeOver,
	Means:   "The last date of a budget is past, or its calendar has no known events to come.",
	Example: `from: "2025-12-23", to: "2026-01-02".`,
	Do:      "Delete the budget, write later dates, or provide a calendar with events to come.",
}

// dated reports whether a budget is active on single dates, of its own or of a calendar.
func dated(b budget.Budget) bool { return b.From != "" || b.To != "" || b.Calendar != "" }

// over finds budgets whose dates are past, and those whose calendar has no events to come.
func (l *linter) over() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		if f, found := l.calendarOver(b); found {
			l.add(f)
			continue
		}
		active, until := b.Window.Until(l.now)
		if !dated(written) || !until.IsZero() || b.Constant() || active && !written.Outside {
			continue
		}
		f := Finding{Code: CodeOver, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and its last day has passed: it never restricts again"}
		if active {
			f.Message = l.name(b.Index) + ", and its last day has passed: it is active for ever from now on"
		}
		l.addFix(f, func() remedy {
			deleting := l.deleting(b.Index)
			deleting.obvious, deleting.raises = !active, active
			return remedy{ways: []way{deleting}, tail: ", or write later dates", otherwise: "write later dates"}
		})
	}
}

// calendarOver tells whether the calendar of a budget has no events to come. More may be known later, since recurring
// events are read only up to some time. For the same reason this is no error, even if no events are known at all.
func (l *linter) calendarOver(b *budget.Limit) (f Finding, over bool) {
	written := l.list[b.Index]
	if written.Calendar == "" {
		return f, false
	}
	open, span := l.spec.Calendars[written.Calendar].State(l.now)
	if open || !span.End.IsZero() {
		return f, false
	}
	what, effect := "the last event known of its calendar has passed", "it does not restrict until more are known"
	if span.Start.IsZero() {
		what = "its calendar has no known events"
	}
	if written.Outside {
		effect = "it is active until more are known"
	}
	return Finding{Code: CodeOver, Severity: SeverityWarning, Budgets: only(b.Index),
		Message: l.name(b.Index) + ", and " + what + ": " + effect,
		Advice:  "provide a calendar with events to come, or read further ahead if they recur only after years"}, true
}
