package lint

import (
	"fmt"
)

var ruleNeverFires = Rule{
	Code:    CodeNeverFires,
	Means:   "A budget is never active in the coming year, or its schedule can never hit.",
	Example: `schedule: "0 0 30 2 *": no February has 30 days.`,
	Do:      "Correct the schedule, or delete the budget. While it is not active it limits nothing.",
}

// neverFires finds budgets that are not active in the coming year.
func (l *linter) neverFires() {
	for _, b := range l.valid {
		active, until := b.Window.Until(l.now)
		if dated(l.list[b.Index]) && until.IsZero() {
			continue // over says so
		}
		if active || !until.IsZero() && until.Before(l.now.Add(lintYear)) {
			continue
		}
		f := Finding{Code: CodeNeverFires, Severity: SeverityError, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and never active"}
		if !until.IsZero() {
			f.Severity, f.Span.End = SeverityInfo, until
			f.Message = fmt.Sprintf("%s, and not active before %s", l.name(b.Index), l.time(until))
			f.Advice = "until then it limits nothing: write a schedule that hits sooner, if that is not intended"
			if dated(l.list[b.Index]) {
				f.Advice = "until then it limits nothing: write an earlier date, if that is not intended"
			}
		}
		if f.Severity == SeverityInfo {
			l.add(f)
			continue
		}
		l.addFix(f, func() remedy {
			const other = "write a schedule and a duration that leave some time outside"
			return remedy{lead: "it limits nothing: ", ways: []way{l.deleting(b.Index)}, tail: ", or " + other,
				otherwise: other}
		})
	}
}
