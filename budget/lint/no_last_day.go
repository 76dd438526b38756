package lint

import ()

var ruleNoLastDay = Rule{
	Code:    CodeNoLastDay,
	Means:   "A budget begins on a date, and never ends.",
	Example: `from: "2026-12-23" without to.`,
	Do:      "Write to, the last day, if the budget is to end.",
}

// noLastDay finds budgets that begin on a date, and never end.
func (l *linter) noLastDay() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		if written.From == "" || written.To != "" || written.Outside {
			continue
		}
		l.add(Finding{Code: CodeNoLastDay, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and has no last day: from its first day on it is always active",
			Advice:  `write "to", the last day, if that is not intended`})
	}
}
