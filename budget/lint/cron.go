package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// A cronExpression is the five fields of a schedule.
type cronExpression struct{ minute, hour, monthDay, month, weekday string }

func (e cronExpression) String() string {
	return strings.Join([]string{e.minute, e.hour, e.monthDay, e.month, e.weekday}, " ")
}

// expression returns the fields of a budget's schedule. Descriptors such as @daily have none, and need no check.
func (l *linter) expression(b *budget.Limit) (e cronExpression, ok bool) {
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

// repeated writes a budget once for each of some schedules.
func (l *linter) repeated(b *budget.Limit, schedules ...cronExpression) way {
	var several []budget.Budget
	for _, s := range schedules {
		one := l.list[b.Index]
		one.Schedule = s.String()
		several = append(several, one)
	}
	return way{raises: true, edits: l.replacing(b.Index, several...)}
}
