package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
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

// eitherDay finds schedules that name days of the month and days of the week. Cron hits on days that match either, but
// people mean both, as in "0 2 1-7 * sat" for the first Saturday.
func (l *linter) eitherDay(b *budget.Limit) (f Finding, fix func() remedy) {
	year, month, _ := l.now.Date()
	from := time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(1, 0, 0)
	e, ok := l.expression(b)
	if !ok {
		return f, nil
	}
	byDate, byWeekday := e, e
	byDate.weekday, byWeekday.monthDay = "*", "*"
	hits, weekdays := e.days(from, to), byWeekday.days(from, to)
	both := slices.DeleteFunc(slices.Clone(byDate.days(from, to)),
		func(day time.Time) bool { return !slices.Contains(weekdays, day) })
	if len(hits) == len(both) {
		return f, nil // a field is *, or means the same
	}
	f.Message = fmt.Sprintf(": cron needs only one of the two to match, so it hits on %s in the year from %s on, "+
		"while both match on %s", wording.Count(len(hits), "day"), from.Format("January 2006"),
		wording.Count(len(both), "day"))
	return f, func() remedy { return l.oneKind(b, byDate, byWeekday, both) }
}

// oneKind returns which of the two kinds of days to write. A budget for each date is the only way to have both.
func (l *linter) oneKind(b *budget.Limit, byDate, byWeekday cronExpression, both []time.Time) remedy {
	r := remedy{lead: "cron cannot ask for both: ", otherwise: "write days of one kind",
		ways: l.hitting(b, byDate, byWeekday)}
	switch {
	case len(both) == 0: // the combination may never occur
		r.ways = l.hitting(b, byWeekday)
		return r
	case l.list[b.Index].Outside:
		r.tail = fmt.Sprintf("; or, for the times in both, write it twice, with %q and %q", byDate, byWeekday)
		return r
	}
	date := byDate
	date.monthDay, date.month = strconv.Itoa(both[0].Day()), strconv.Itoa(int(both[0].Month()))
	r.tail = fmt.Sprintf("; or a budget for each date, such as %q for %s", date, both[0].Format("Mon 2006-01-02"))
	return r
}

// hitting returns the way to give a budget one of some schedules.
func (l *linter) hitting(b *budget.Limit, schedules ...cronExpression) (ways []way) {
	for _, e := range schedules {
		ways = append(ways, way{raises: true,
			edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Schedule = e.String() })})
	}
	return ways
}

// shortMonths finds schedules for a day of the month that some of their months do not have, such as "0 0 31 * *" for
// the end of the month. It skips schedules for the leap day alone, which neverFires finds.
func (l *linter) shortMonths(b *budget.Limit) (f Finding, fix func() remedy) {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) // no leap year
	to := from.AddDate(1, 0, 0)
	e, ok := l.expression(b)
	if !ok || e.weekday != "*" && e.weekday != "?" {
		return f, nil
	}
	first := e
	first.monthDay = "1"
	hits := e.days(from, to)
	var missed []string
	for _, month := range first.days(from, to) {
		if !slices.ContainsFunc(hits, func(day time.Time) bool { return day.Month() == month.Month() }) {
			missed = append(missed, month.Format("January"))
		}
	}
	if len(missed) > 0 && len(hits) > 0 {
		f.Message = fmt.Sprintf(", and does not hit in %s, which %s no such day", enumerate(missed),
			plural(len(missed), "has", "have"))
	}
	return f, func() remedy { return l.monthEnds(b, e) }
}

// monthEnds returns how to write the last day of each month. Three budgets that are active outside of their windows
// would leave nothing open.
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
	var several []budget.Budget
	for _, e := range []cronExpression{long, short, february} {
		one := l.list[b.Index]
		one.Schedule = e.String()
		several = append(several, one)
	}
	return remedy{ways: []way{{raises: true, edits: l.replacing(b.Index, several...),
		so: ", for the end of each month"}}, otherwise: "write a day that each of its months has, such as 28"}
}

// stepPattern matches a field that is a single step: "*/14", "0/14" or "9-17/20".
var stepPattern = regexp.MustCompile(`^(?:[*?]|([0-9]{1,2})(?:-([0-9]{1,2}))?)/([0-9]{1,9})$`)

// A cycle is the range of a cron field. Steps start again with each cycle.
type cycle struct {
	names   string // the unit, plural
	of      string // the cycle, such as "hour"
	min     int
	lengths []int // units in a cycle; months have different lengths
	advice  string
}

var cycles = [5]cycle{
	{"minutes", "hour", 0, []int{60}, "write a step that divides 60, such as */30, or list the minutes"},
	{"hours", "day", 0, []int{24}, "write a step that divides 24, such as */8, or list the hours"},
	{"days", "month", 1, []int{28, 29, 30, 31},
		"list the days, such as 1,15, or write a day of the week: cron cannot count days across months"},
	{"months", "year", 1, []int{12}, "write a step that divides 12, such as */3, or list the months"},
	{"days", "week", 0, []int{7}, "list the days, such as mon,wed,fri"},
}

// unevenSteps finds fields whose steps are not what they seem: */90 minutes hits once an hour, and */14 days hits on
// the 29th and again on the 1st.
func (l *linter) unevenSteps(b *budget.Limit) (f Finding, fix func() remedy) {
	e, _ := l.expression(b)
	for i, field := range []string{e.minute, e.hour, e.monthDay, e.month, e.weekday} {
		if severity, what := cycles[i].uneven(field); what != "" && (f.Message == "" || worse(severity, f.Severity)) {
			f.Severity, f.Advice = severity, cycles[i].advice
			f.Message = fmt.Sprintf(": the steps of %s start again with each %s, so that %s", field, cycles[i].of, what)
		}
	}
	return f, nil
}

// uneven returns what is wrong with a field's steps, if anything.
func (c cycle) uneven(field string) (severity Severity, what string) {
	m := stepPattern.FindStringSubmatch(field)
	if m == nil {
		return "", ""
	}
	most := slices.Max(c.lengths)
	first, last := c.min, c.min+most-1
	if m[1] != "" {
		first, _ = strconv.Atoi(m[1])
	}
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	step, _ := strconv.Atoi(m[3])
	switch {
	case step < 2 || step == most:
		return "", "" // once in each cycle, as written
	case first+step > last:
		return SeverityWarning, fmt.Sprintf("it hits only once in each, at %d", first)
	case last < c.min+most-1:
		return "", "" // a range that ends on purpose
	}
	shortest := step
	for _, length := range c.lengths {
		end := c.min + length - 1
		shortest = min(shortest, length-(end-first)/step*step)
	}
	if shortest == step {
		return "", ""
	}
	severity = SeverityInfo
	if 2*shortest < step {
		severity = SeverityWarning
	}
	return severity, fmt.Sprintf("the last hit and the next may be only %d of the %d %s apart", shortest, step, c.names)
}

// fixedOffset finds time zones that look as if they had summer time but have none, or that are on the other side of
// UTC than they look. (HST, for Hawaii, rightly has no summer time. Zones such as EST5EDT do have it.)
func (l *linter) fixedOffset(b *budget.Limit) (f Finding, fix func() remedy) {
	zone := l.list[b.Index].TimeZone
	name := strings.ToUpper(zone)
	local := map[string]string{"EST": "America/New_York", "MST": "America/Denver"}[name]
	in, err := time.LoadLocation(zone)
	if err != nil || local == "" && !strings.HasPrefix(name, "ETC/GMT") {
		return f, nil
	}
	switch _, seconds := l.now.In(in).Zone(); {
	case seconds > 0:
		f.Message = fmt.Sprintf(": %s is %s ahead of UTC all year", zone, wording.Count(seconds/3600, "hour"))
	case seconds < 0:
		f.Message = fmt.Sprintf(": %s is %s behind UTC all year", zone, wording.Count(-seconds/3600, "hour"))
	}
	if local == "" {
		f.Advice = "its sign is the opposite of the usual one, and it has no summer time: write the zone of a city, " +
			"such as Europe/Berlin"
		return f, nil
	}
	return f, func() remedy {
		return remedy{lead: "it has no summer time: ", otherwise: "write the zone of a city, such as " + local,
			ways: []way{{raises: true, so: " for its local time",
				edits: l.edit(only(b.Index), func(b *budget.Budget) { b.TimeZone = local })}}}
	}
}

// utcSchedule finds schedules in UTC that name hours, and hit both before and after clocks change in the zone in which
// lint shows times.
func (l *linter) utcSchedule() {
	var found []Finding // without advice, each for another change
	for _, b := range l.valid {
		at, direction := l.shift(b)
		if at.IsZero() {
			continue
		}
		is := func(f Finding) bool { return f.Span.Start.Equal(at) && f.Message == direction }
		i := slices.IndexFunc(found, is)
		if i < 0 {
			i, found = len(found), append(found, Finding{Span: schedule.Span{Start: at}, Message: direction})
		}
		found[i].Budgets.Add(b.Index)
	}
	zone := l.now.Location().String()
	for _, f := range found {
		f.Message = fmt.Sprintf("schedules are in UTC, and clocks change in %s: from %s on these hit at a time that "+
			"is %s there: %s", zone, l.time(f.Span.Start), f.Message, l.names(f.Budgets))
		f.Advice = fmt.Sprintf("if the hours of %[1]s are meant, write \"timeZone\": %[1]q with them: Karpenter has "+
			"no such field, but the guard and the steward read it in the annotation disruptkit.dev/disruption", zone)
		for _, b := range l.valid {
			if text := l.allYear(b); text != "" && f.Budgets.Has(b.Index) {
				f.Advice += "; " + text
				break
			}
		}
		l.add(f, nil)
	}
}

// allYear describes a schedule in UTC that covers the hours that a budget writes, as hours of the zone in which times
// are shown, before and after each change of the clocks. If they are on another day in UTC, not one time of day, or
// almost a day, it is "".
func (l *linter) allYear(b *budget.Limit) string {
	e, _ := l.expression(b)
	minute, noMinute := strconv.Atoi(e.minute)
	hour, noHour := strconv.Atoi(e.hour)
	lasts, noDuration := time.ParseDuration(l.list[b.Index].Duration)
	least, most := l.offsets()
	start := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	begin := start - most
	const day = 24 * time.Hour
	if noMinute != nil || noHour != nil || noDuration != nil {
		return ""
	}
	if begin < 0 || start-least >= day || lasts+most-least >= day {
		return ""
	}
	e.minute, e.hour = strconv.Itoa(int(begin.Minutes())%60), strconv.Itoa(int(begin.Hours()))
	return fmt.Sprintf("for Karpenter, schedule %q with duration %s covers %s to %s there all year", e,
		wording.Duration(lasts+most-least), clock(start), clock(start+lasts))
}

// clock returns the time of day that is so long after midnight.
func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours())%24, int(d.Minutes())%60)
}

// offsets returns the least and the greatest offset of the zone from UTC within the year.
func (l *linter) offsets() (least, most time.Duration) {
	least, most = 24*time.Hour, -24*time.Hour
	for at := l.now; !at.IsZero() && at.Before(l.end); _, at = at.ZoneBounds() {
		_, seconds := at.Zone()
		offset := time.Duration(seconds) * time.Second
		least, most = min(least, offset), max(most, offset)
	}
	return least, most
}

// shift returns the change of the clocks from which on a schedule in UTC hits at another time of day than before, and
// whether that is "later" or "earlier". Zero: there is none within the year, such as for a day of each November.
func (l *linter) shift(b *budget.Limit) (at time.Time, direction string) {
	e, ok := l.expression(b)
	hits, err := schedule.Parse(l.list[b.Index].Schedule, time.Second, "")
	if !ok || err != nil || e.hour == "*" || l.list[b.Index].TimeZone != "" || l.endless(b) {
		return at, ""
	}
	var before time.Time // has the offset of the hits so far; zero: there are none
	var end time.Time
	for at = l.now; at.Before(l.end); at = end {
		if _, end = at.ZoneBounds(); end.IsZero() || end.After(l.end) {
			end = l.end
		}
		hit, next := hits.Until(at)
		if !hit && (next.IsZero() || !next.Before(end)) {
			continue // it hits under another offset
		}
		_, was := before.Zone()
		switch _, offset := at.Zone(); {
		case before.IsZero():
			before = at
		case offset > was:
			return at, "later"
		case offset < was:
			return at, "earlier"
		}
	}
	return time.Time{}, ""
}
