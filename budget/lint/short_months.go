package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

var ruleShortMonths = Rule{
	Code:    CodeShortMonths,
	Means:   "A schedule is for a day that some of its months do not have. There it does not hit.",
	Example: `schedule: "0 0 31 * *" hits in seven months of the year.`,
	Do:      "Write a day that every month has, such as 28.",
}

// shortMonths finds schedules for a day of the month that some of their months do not have, such as "0 0 31 * *" for
// the end of the month. It skips schedules for the leap day alone, which neverFires finds.
func (l *linter) shortMonths() {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) // no leap year
	to := from.AddDate(1, 0, 0)
	for _, b := range l.valid {
		e, ok := l.expression(b)
		if !ok || e.weekday != "*" && e.weekday != "?" {
			continue
		}
		first := e
		first.monthDay = "1"
		hits, months := e.days(from, to), first.days(from, to)
		var missed []string
		for _, month := range months {
			if !slices.ContainsFunc(hits, func(day time.Time) bool { return day.Month() == month.Month() }) {
				missed = append(missed, month.Format("January"))
			}
		}
		if len(missed) == 0 || len(hits) == 0 {
			continue
		}
		l.addFix(Finding{Code: CodeShortMonths, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s, and does not hit in %s, which %s no such day", l.name(b.Index),
				enumerate(missed), plural(len(missed), "has", "have"))}, func() remedy { return l.monthEnds(b, e) })
	}
}

// monthEnds says how to write the last day of each month. Three budgets that are active outside of their windows would
// leave nothing open.
func (l *linter) monthEnds(b *budget.Limit, e cronExpression) remedy {
	switch {
	case l.list[b.Index].Outside:
		return remedy{otherwise: "write a day that each of its months has, such as 28"}
	case e.month != "*":
		return remedy{otherwise: "write the last day of each of these months in a budget of its own"}
	}
	long, short, february := e, e, e
	long.monthDay, long.month = "31", "1,3,5,7,8,10,12"
	short.monthDay, short.month = "30", "4,6,9,11"
	february.monthDay, february.month = "28,29", "2"
	thrice := l.repeated(b, long, short, february)
	thrice.does = fmt.Sprintf("for the end of each month, write %s three times, with %q, %q and %q",
		l.set.Place(b.Index), long, short, february)
	return remedy{ways: []way{thrice}, otherwise: "write a day that each of its months has, such as 28"}
}
