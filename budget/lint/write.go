package lint

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// changesOnly reports whether two timelines differ only where may allows it.
func changesOnly(before, after []budget.Segment, may func(before, after int) bool) bool {
	for _, both := range together(before, after) {
		if !may(both[0].Nodes, both[1].Nodes) {
			return false
		}
	}
	return true
}

const lintWeek = 7 * 24 * time.Hour

// weekly returns a few budgets in UTC that allow nothing for some reasons while a window is open in the coming week,
// or none. A trial checks the other weeks.
func (l *linter) weekly(open schedule.Window, reasons ...candidate.Reason) []budget.Budget {
	type slot struct {
		minute, hour int
		length       time.Duration
	}
	days := map[slot][]string{}
	var slots []slot
	for span := range open.Spans(l.now, l.now.Add(lintWeek)) {
		_, span = open.State(span.Start)
		if span.Start.Before(l.now) {
			continue // it comes again
		}
		s := slot{span.Start.Minute(), span.Start.Hour(), length(span)}
		if s.length <= 0 || s.length >= lintWeek || len(slots) > 3 {
			return nil
		}
		if days[s] == nil {
			slots = append(slots, s)
		}
		days[s] = append(days[s], strings.ToLower(span.Start.Format("Mon")))
	}
	var budgets []budget.Budget
	for _, s := range slots {
		on := strings.Join(days[s], ",")
		if len(days[s]) == 7 {
			on = "*"
		}
		budgets = append(budgets, budget.Budget{
			Reasons: reasons, Nodes: "0",
			Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: wording.Duration(s.length),
		})
	}
	if len(budgets) > 3 {
		return nil
	}
	return budgets
}

// InUTC returns what to write, in UTC, to hit when a schedule in a time zone does, as its clocks are now: "" if that is
// not some times of days of the week.
func InUTC(text, zone string, now time.Time) (advice string) {
	fields := strings.Fields(text)
	w, wrong := schedule.Parse(text, time.Minute, "")
	in, unknown := time.LoadLocation(zone)
	if wrong != nil || unknown != nil || len(fields) != 5 || fields[2] != "*" || fields[3] != "*" {
		return ""
	}
	_, offset := now.In(in).Zone()
	var hits []schedule.Span
	for s := range w.Spans(now.Add(-2*lintWeek), now.Add(2*lintWeek)) {
		ahead := -time.Duration(offset) * time.Second
		hits = append(hits, schedule.Span{Start: s.Start.Add(ahead), End: s.End.Add(ahead)})
	}
	l := linter{now: now}
	also := "write "
	for _, b := range l.weekly(schedule.Dates(hits...)) {
		advice, also = advice+also+strconv.Quote(b.Schedule), " and, in a budget of its own, "
	}
	if _, change := now.In(in).ZoneBounds(); advice != "" && !change.IsZero() {
		advice += fmt.Sprintf(", and other hours from %s on, when the clocks of %s change",
			change.In(now.Location()).Format("Mon 2006-01-02"), zone)
	}
	return advice
}

// literals returns the JSON of budgets. Their times are in UTC; it says so if lint shows times in another zone.
func (l *linter) literals(budgets ...budget.Budget) string {
	var texts []string
	timed := false
	for _, b := range budgets {
		texts, timed = append(texts, literal(b)), timed || b.Schedule != "" && b.TimeZone == ""
	}
	if zone, _ := l.now.Zone(); timed && zone != "UTC" {
		return strings.Join(texts, ", ") + " (in UTC)"
	}
	return strings.Join(texts, ", ")
}

// aWeek returns for how long nodes are allowed in a week, on average over the whole weeks that are checked, without odd
// days at the end: whole hours, or minutes of less than ten hours.
func (l *linter) aWeek(timeline []budget.Segment) string {
	weeks := max(l.end.Sub(l.now)/lintWeek, 1)
	end, sum := l.now.Add(weeks*lintWeek), time.Duration(0)
	for _, s := range timeline {
		if s.Nodes > 0 && s.Start.Before(end) {
			sum += schedule.First(s.End, end).Sub(s.Start)
		}
	}
	unit := time.Hour
	if sum/weeks < 10*time.Hour {
		unit = time.Minute
	}
	return wording.Duration((sum / weeks).Round(unit))
}

// literal returns the JSON of a budget as people write it.
func literal(b budget.Budget) string {
	fields, _ := differences(budget.Budget{}, b)
	return "{" + strings.Join(fields, ", ") + "}"
}

// difference returns how to make a budget another one.
func difference(from, to budget.Budget, place string) (texts []string) {
	written, left := differences(from, to)
	if len(written) > 0 {
		texts = append(texts, "write "+strings.Join(written, ", ")+" in "+place)
	}
	if len(left) > 0 {
		texts = append(texts, "leave "+enumerate(left)+" out of "+place)
	}
	return texts
}

// differences returns the JSON of the fields of a budget that another one has otherwise, and the names of those that
// only the other has.
func differences(from, to budget.Budget) (written, left []string) {
	had, has := stray.BudgetFields(from), stray.BudgetFields(to)
	for _, name := range stray.BudgetFieldNames {
		switch value, there := has[name]; {
		case there && value != had[name]:
			written = append(written, fmt.Sprintf("%q: %s", name, value))
		case !there && had[name] != "":
			left = append(left, name)
		}
	}
	return written, left
}
