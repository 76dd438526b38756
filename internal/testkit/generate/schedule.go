package generate

import (
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// Cron generates expressions that parse and hit, descriptors among them.
func Cron(s Source) string { return oneOf(s, knownCron, anyCron) }

func knownCron(s Source) string {
	return pick(s, "@yearly", "@monthly", "@weekly", "@daily", "@hourly", "* * * * *", "0 0 29 2 *",
		"0 0 31 * *", "0 9 * * mon-fri", "0 0 13 * fri", "59 23 31 12 ?", "*/7 */5 * * *", "0 0 1 1 sun")
}

func anyCron(s Source) string {
	days, months := cronField(s, 1, 28), cronField(s, 1, 12, "jan", "FEB", "Dec")
	if s(4) == 3 { // not every month has these days
		days, months = cronField(s, 1, 31), pick(s, "*", "1-3", "oct,feb")
	}
	minutes, hours := cronField(s, 0, 59), cronField(s, 0, 23)
	return strings.Join([]string{minutes, hours, days, months, cronField(s, 0, 6, "sun", "Wed", "SAT")}, " ")
}

func cronField(s Source, low, high int, names ...string) string {
	if s.Bool() {
		return pick(s, "*", "?")
	}
	parts := several(s, 1, 3, func(s Source) string {
		a := s.Between(low, high)
		b := s.Between(a, high)
		step := s.Between(1, high)
		switch s(6) {
		case 0:
			if names != nil {
				return pick(s, names...)
			}
		case 1:
			return fmt.Sprintf("%d-%d", a, b)
		case 2:
			return fmt.Sprintf("%d-%d/%d", a, b, step)
		case 3:
			return fmt.Sprintf("*/%d", step)
		case 4:
			return fmt.Sprintf("%d/%d", a, step)
		}
		return fmt.Sprint(a)
	})
	return strings.Join(parts, ",")
}

// Duration generates durations of windows: mostly whole minutes, some as long as years, some with odd nanoseconds.
func Duration(s Source) time.Duration {
	const day = 24 * time.Hour
	longest := pick(s, day, day, 10*day, 9*366*day, 0, -1)
	switch longest {
	case 0:
		return time.Duration(s.Between(1, 48)) * time.Hour
	case -1:
		return time.Duration(s.Between(1, int(2*day)))
	}
	return time.Duration(s.Between(1, int(longest/time.Minute))) * time.Minute
}

// Zone generates time zones, unusual ones more often.
func Zone(s Source) string {
	return pick(s, "", "UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
		"America/Santiago", "Africa/Cairo", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "America/St_Johns",
		"Pacific/Chatham", "Asia/Tehran", "Antarctica/Troll", "America/Havana", "Asia/Beirut")
}

// Window generates windows that Parse returns.
func Window(s Source) schedule.Window { return schedule.MustParse(Cron(s), Duration(s), Zone(s)) }

// Span generates spans of some days or hours of our time, some without a bound, and some that are empty.
func Span(s Source) schedule.Span {
	start := time.Unix(int64(s.Between(20*365*24, 90*365*24))*3600, pick[int64](s, 0, 0, 0, 1)).UTC()
	span := schedule.Span{Start: start, End: start.Add(time.Duration(s.Between(-3, 500)) * time.Hour)}
	switch s(8) {
	case 6:
		span.Start = time.Time{}
	case 7:
		span.End = time.Time{}
	}
	return span
}

// Dates generates windows of single dates.
func Dates(s Source) schedule.Window { return schedule.Dates(several(s, 1, 3, Span)...) }

// AnyWindow generates windows of every kind: parsed ones, dates, the zero Window, and nested unions and complements.
func AnyWindow(s Source) schedule.Window {
	return oneOf(s, simpleWindow, union, outside, nested, func(s Source) schedule.Window { return nested(s).Outside() })
}

func simpleWindow(s Source) schedule.Window {
	switch s(9) {
	case 6:
		return schedule.Window{}
	case 7:
		return schedule.Union()
	case 8:
		return Dates(s)
	}
	return Window(s)
}

func union(s Source) schedule.Window { return schedule.Union(several(s, 0, 3, simpleWindow)...) }

func outside(s Source) schedule.Window { return oneOf(s, simpleWindow, union).Outside() }

func nested(s Source) schedule.Window {
	one := func(s Source) schedule.Window { return oneOf(s, simpleWindow, outside) }
	return schedule.Union(several(s, 0, 3, one)...)
}

// Time generates times: mostly in our days, at or next to a whole second, and some far away. It never generates the
// zero time.
func Time(s Source) time.Time {
	var second int
	switch s(4) {
	case 0:
		first, last := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC)
		second = s.Between(int(first.Unix()), int(last.Unix()))
	case 1:
		second = s.Between(20*365*24*60, 90*365*24*60) * 60
	case 2:
		second = s.Between(20*365*24, 90*365*24) * 3600
	default:
		second = s.Between(-1<<36, 1<<36)
	}
	at := time.Unix(int64(second), pick[int64](s, 0, 0, 0, 1, 999_999_999)).UTC()
	if at.IsZero() {
		return at.Add(time.Second)
	}
	return at
}

// Now generates the time of a decision, and is Time but for times before the year 2. The zero time is of the year 1.
// It means never or at once, and whatever compares times takes all others to be later.
func Now(s Source) time.Time {
	at := Time(s)
	if at.Year() < 2 {
		return time.Unix(-at.Unix(), int64(at.Nanosecond())).UTC()
	}
	return at
}
