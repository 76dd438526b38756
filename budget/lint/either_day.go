package lint

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleEitherDay = Rule{
	Code:  CodeEitherDay,
	Means: "A schedule names days of the month and days of the week. Cron hits on either, not on both.",
	Example: `schedule: "0 2 1-7 * sat" hits on each Saturday and on each of the first seven days of a month, not ` +
		"on the first Saturday.",
	Do: "Leave one of the two fields as *, or write a budget for each date. With outside: true, write the " +
		"budget twice.",
}

// eitherDay finds schedules that name days of the month and days of the week. Cron hits on days that match either, but
// people mean both, as in "0 2 1-7 * sat" for the first Saturday.
func (l *linter) eitherDay() {
	year, month, _ := l.now.Date()
	from := time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(1, 0, 0)
	for _, b := range l.valid {
		e, ok := l.expression(b)
		if !ok {
			continue
		}
		byDate, byWeekday := e, e
		byDate.weekday, byWeekday.monthDay = "*", "*"
		hits, dates := e.days(from, to), byDate.days(from, to)
		weekdays := byWeekday.days(from, to)
		both := slices.DeleteFunc(slices.Clone(dates),
			func(day time.Time) bool { return !slices.Contains(weekdays, day) })
		if len(hits) == len(both) {
			continue // a field is *, or means the same
		}
		example := hits[0]
		if len(both) > 0 {
			example = both[0]
		}
		f := Finding{Code: CodeEitherDay, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: fmt.Sprintf("%s: cron needs only one of the two to match, so it hits %s, while both match %s",
				l.name(b.Index), inMonth(hits, example, "never"), inMonth(both, example, "on no day"))}
		l.addFix(f, func() remedy {
			if l.list[b.Index].Outside {
				return l.eitherOutside(b, byDate, byWeekday, both)
			}
			return l.oneKind(b, byDate, byWeekday, both)
		})
	}
}

// inMonth returns "on 10 days of December 2026 (1 to 7, 12, 19 and 26)", for the month of example.
func inMonth(days []time.Time, example time.Time, none string) string {
	var numbers []int
	for _, day := range days {
		if day.Year() == example.Year() && day.Month() == example.Month() {
			numbers = append(numbers, day.Day())
		}
	}
	switch month := example.Format("January 2006"); len(numbers) {
	case 0:
		return none + " of " + month
	case 1:
		return fmt.Sprintf("on 1 day of %s (%d)", month, numbers[0])
	default:
		return fmt.Sprintf("on %d days of %s (%s)", len(numbers), month, ranges(numbers))
	}
}

// ranges returns "1 to 7, 12 and 19".
func ranges(numbers []int) string {
	var words []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		word := strconv.Itoa(numbers[i])
		if last > i+1 {
			word += " to " + strconv.Itoa(numbers[last])
		} else {
			last = i
		}
		words, i = append(words, word), last+1
	}
	return enumerate(words)
}

// oneKind says which of the two kinds of days to write. A budget for each date is the only way to have both.
func (l *linter) oneKind(b *budget.Limit, byDate, byWeekday cronExpression, both []time.Time) remedy {
	r := remedy{lead: "cron cannot ask for both: ", otherwise: "write days of one kind",
		ways: l.hitting(b, byDate, byWeekday)}
	if len(both) == 0 { // the combination may never occur
		r.ways = l.hitting(b, byWeekday)
		return r
	}
	date := byDate
	date.monthDay, date.month = strconv.Itoa(both[0].Day()), strconv.Itoa(int(both[0].Month()))
	r.tail = fmt.Sprintf("; or a budget for each date, such as %q for %s", date, both[0].Format("Mon 2006-01-02"))
	return r
}

// eitherOutside says what to write for a budget that is active outside of its windows. Two of them, each with one kind
// of days, leave open only the time in both windows.
func (l *linter) eitherOutside(b *budget.Limit, byDate, byWeekday cronExpression, both []time.Time) remedy {
	twice := l.repeated(b, byDate, byWeekday)
	if !meet(twice.edits[0].With, both) {
		return remedy{lead: "if days of one kind are meant, ", otherwise: "write days of one kind",
			ways: l.hitting(b, byDate, byWeekday)}
	}
	twice.does = fmt.Sprintf("write %s twice, with %q and %q", l.set.Place(b.Index), byDate, byWeekday)
	return remedy{lead: "if only days that match both are meant, ", otherwise: "write days of one kind",
		ways: []way{twice}}
}

// hitting says to give a budget one of some schedules.
func (l *linter) hitting(b *budget.Limit, schedules ...cronExpression) (ways []way) {
	for _, e := range schedules {
		ways = append(ways, way{raises: true, does: fmt.Sprintf(`write "schedule": %q in %s`, e, l.set.Place(b.Index)),
			edits: l.edit(b.Index, func(b *budget.Budget) { b.Schedule = e.String() })})
	}
	return ways
}

// meet reports whether two budgets that are active outside of their windows leave open exactly the days that match both
// schedules.
func meet(two []budget.Budget, both []time.Time) bool {
	if len(both) == 0 {
		return false
	}
	first, second := two[0], two[1]
	d, _ := time.ParseDuration(first.Duration) // it is valid: the budget is not broken
	a, errA := schedule.Parse(first.Schedule, d, "")
	c, errC := schedule.Parse(second.Schedule, d, "")
	if errA != nil || errC != nil {
		return false
	}
	n := 0
	for span := range schedule.Union(a.Outside(), c.Outside()).Outside().Spans(both[0],
		both[len(both)-1].Add(d+24*time.Hour)) {
		if n++; n > len(both) || !slices.Contains(both, span.Start.Truncate(24*time.Hour)) {
			return false
		}
	}
	return n == len(both)
}
