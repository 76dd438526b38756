package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// A cronExpression is the five fields of a schedule.
type cronExpression struct{ minute, hour, monthDay, month, weekday string }

func (e cronExpression) String() string {
	return strings.Join([]string{e.minute, e.hour, e.monthDay, e.month, e.weekday}, " ")
}

// expression returns the fields of a budget's schedule. Descriptors such as @daily have none, and need no check.
func (l *linter) expression(b *limit.Budget) (e cronExpression, ok bool) {
	fields := strings.Fields(l.list[b.Index].Schedule)
	if len(fields) != 5 {
		return e, false
	}
	return cronExpression{fields[0], fields[1], fields[2], fields[3], fields[4]}, true
}

// days returns the days between two times on which an expression hits, in order.
func (e cronExpression) days(from, to time.Time) (days []time.Time) {
	w, err := schedule.Parse(fmt.Sprintf("0 0 %s %s %s", e.monthDay, e.month, e.weekday), time.Hour, "")
	if err != nil {
		return nil // the days of one kind alone may never occur
	}
	for span := range w.Spans(from, to) {
		days = append(days, span.Start)
	}
	return days
}

// eitherDay finds schedules that name days of the month and days of the week. Cron hits on days that match either, but
// people mean both, as in "0 2 1-7 * sat" for the first Saturday.
func (l *linter) eitherDay() {
	year, month, _ := l.now.Date()
	from := time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(1, 0, 0)
	for _, b := range l.budgets() {
		e, ok := l.expression(b)
		if !ok {
			continue
		}
		byDate, byWeekday := e, e
		byDate.weekday, byWeekday.monthDay = "*", "*"
		hits, dates := e.days(from, to), byDate.days(from, to)
		weekdays := byWeekday.days(from, to)
		both := slices.DeleteFunc(slices.Clone(dates), func(day time.Time) bool { return !slices.Contains(weekdays, day) })
		if len(hits) == len(both) {
			continue // a field is *, or means the same
		}
		example := hits[0]
		if len(both) > 0 {
			example = both[0]
		}
		f := finding{Code: CodeEitherDay, Severity: SeverityWarning, Budgets: limit.Only(b.Index),
			Message: fmt.Sprintf("%s: cron needs only one of the two to match, so it hits %s", l.name(b.Index), inMonth(hits, example, "never"))}
		f.Message += fmt.Sprintf(", while both match %s", inMonth(both, example, "on no day"))
		if l.list[b.Index].Outside {
			f.Advice = l.eitherOutside(b, byDate, byWeekday, both)
		} else {
			f.Advice = l.oneKind(b, byDate, byWeekday, both)
		}
		l.add(f)
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
func (l *linter) oneKind(b *limit.Budget, byDate, byWeekday cronExpression, both []time.Time) string {
	if len(both) == 0 { // the combination may never occur
		return "cron cannot ask for both: write " + l.hitting(b, byWeekday)
	}
	date := byDate
	date.monthDay, date.month = strconv.Itoa(both[0].Day()), strconv.Itoa(int(both[0].Month()))
	return fmt.Sprintf("cron cannot ask for both: write %s; or %s; or a budget for each date, such as %q for %s",
		l.hitting(b, byDate), l.hitting(b, byWeekday), date, both[0].Format("Mon 2006-01-02"))
}

// eitherOutside says what to write for a budget that is active outside of its windows. Two of them, each with one kind
// of days, leave open only the time in both windows.
func (l *linter) eitherOutside(b *limit.Budget, byDate, byWeekday cronExpression, both []time.Time) string {
	list := l.repeated(b, byDate, byWeekday)
	if !l.meet(b, list, both) {
		return fmt.Sprintf("if days of one kind are meant, write %s; or %s", l.hitting(b, byDate), l.hitting(b, byWeekday))
	}
	return fmt.Sprintf("if only days that match both are meant, write %s twice, with %q and %q%s", l.set.Place(b.Index), byDate, byWeekday, l.butWhich(list))
}

// hitting says to give a budget another schedule.
func (l *linter) hitting(b *limit.Budget, e cronExpression) string {
	return fmt.Sprintf(`"schedule": %q in %s%s`, e, l.set.Place(b.Index), l.butWhich(l.change(b.Index, func(b *budget.Budget) { b.Schedule = e.String() })))
}

// repeated returns the list with a budget in it once for each of some schedules.
func (l *linter) repeated(b *limit.Budget, schedules ...cronExpression) (list []budget.Budget) {
	list = slices.Clone(l.list[:b.Index])
	for _, e := range schedules {
		one := l.list[b.Index]
		one.Schedule = e.String()
		list = append(list, one)
	}
	return append(list, l.list[b.Index+1:]...)
}

// meet reports whether a list in which a budget that is active outside of its windows stands twice leaves open exactly
// the days that match both schedules.
func (l *linter) meet(b *limit.Budget, list []budget.Budget, both []time.Time) bool {
	if len(both) == 0 || !l.proves(list, l.reasons, func(candidate.Reason, []limit.Segment, []limit.Segment) bool { return true }) {
		return false
	}
	first, second := list[b.Index], list[b.Index+1]
	d, _ := time.ParseDuration(first.Duration) // it is valid: the budget is not broken
	a, errA := schedule.Parse(first.Schedule, d, "")
	c, errC := schedule.Parse(second.Schedule, d, "")
	if errA != nil || errC != nil {
		return false
	}
	n := 0
	for span := range schedule.Union(a.Outside(), c.Outside()).Outside().Spans(both[0], both[len(both)-1].Add(d+24*time.Hour)) {
		if n++; n > len(both) || !slices.Contains(both, span.Start.Truncate(24*time.Hour)) {
			return false
		}
	}
	return n == len(both)
}

// shortMonths finds schedules for a day of the month that some of their months do not have, such as "0 0 31 * *" for
// the end of the month. It skips schedules for the leap day alone; see sleepers.
func (l *linter) shortMonths() {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) // no leap year
	to := from.AddDate(1, 0, 0)
	for _, b := range l.budgets() {
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
		f := finding{Code: CodeShortMonths, Severity: SeverityWarning, Budgets: limit.Only(b.Index), Advice: l.monthEnds(b, e),
			Message: fmt.Sprintf("%s, and does not hit in %s, which %s no such day", l.name(b.Index), enumerate(missed), plural(len(missed), "has", "have"))}
		l.add(f)
	}
}

// monthEnds says how to write the last day of each month. Three budgets that are active outside of their windows would
// leave nothing open.
func (l *linter) monthEnds(b *limit.Budget, e cronExpression) string {
	switch {
	case l.list[b.Index].Outside:
		return "write a day that each of its months has, such as 28"
	case e.month != "*":
		return "write the last day of each of these months in a budget of its own"
	}
	long, short, february := e, e, e
	long.monthDay, long.month = "31", "1,3,5,7,8,10,12"
	short.monthDay, short.month = "30", "4,6,9,11"
	february.monthDay, february.month = "28,29", "2"
	list := l.repeated(b, long, short, february)
	if len(list) > mostBudgets {
		return "write a day that each of its months has, such as 28"
	}
	return fmt.Sprintf("for the end of each month, write %s three times, with %q, %q and %q%s", l.set.Place(b.Index), long, short, february, l.butWhich(list))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
