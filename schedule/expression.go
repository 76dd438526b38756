package schedule

import (
	"iter"
	"math"
	"math/bits"
)

// An expression is a parsed cron expression. Bit n of a set is 1 if the field names n. An expression matches minutes of
// a wall clock. Wall-clock times are counted in seconds since that clock showed 1970-01-01 00:00.
type expression struct {
	minutes, hours, monthDays, months, weekdays uint64

	eitherDay bool // cron's rule: if both day fields are restricted, a day need match only one of them
	everyDay  bool // no day is excluded
	byWeekday bool // only weekdays exclude days

	first, last int64 // the first and the last match of a day that matches, in seconds from midnight
	widest      int64 // the widest step between two matches on one day
}

// newExpression derives what the searches need. It reports false if no minute can ever match.
func newExpression(e expression, anyMonthDay, anyWeekday bool) (expression, bool) {
	anyMonth := e.months == 1<<13-2
	e.eitherDay = !anyMonthDay && !anyWeekday
	e.everyDay = anyMonth && anyMonthDay && anyWeekday
	e.byWeekday = anyMonth && anyMonthDay && !anyWeekday
	if e.minutes == 0 || e.hours == 0 || !e.hasDay() {
		return e, false
	}
	e.first, _ = e.clockFrom(0)
	e.last, _ = e.clockUntil(daySeconds - 1)
	for clock := e.first; clock < e.last; {
		next, _ := e.clockFrom(clock + 60)
		e.widest = max(e.widest, next-clock)
		clock = next
	}
	return e, true
}

func (e *expression) hasDay() bool {
	for month := 1; month <= 12; month++ {
		if e.days(2000, month, firstDay(2000, month)) != 0 { // a leap year
			return true
		}
	}
	return false
}

// longestMonth returns the number of days in the longest of the expression's months.
func (e *expression) longestMonth() int {
	days := 0
	for month := 1; month <= 12; month++ {
		if e.months>>month&1 != 0 {
			days = max(days, monthDays(2000, month))
		}
	}
	return days
}

// ever as since means: do not give up.
const ever = math.MinInt64 / 2

// prev returns the last match at or before wall. It reports false if it gives up, which it may do if there is no match
// at or after since. Two matches are at most eight years apart: 1896 to 1904.
func (e *expression) prev(wall, since int64) (int64, bool) {
	today := floorDiv(wall, daySeconds)
	clock, ok := e.clockUntil(wall - today*daySeconds)
	if !ok {
		today, clock = today-1, e.last
	}
	if today*daySeconds+clock < since {
		return 0, false
	}
	day, ok := e.dayUntil(today, floorDiv(since, daySeconds))
	if day != today {
		clock = e.last
	}
	return day*daySeconds + clock, ok
}

// next returns the first match at or after wall.
func (e *expression) next(wall int64) int64 {
	today := floorDiv(wall, daySeconds)
	clock, ok := e.clockFrom(wall - today*daySeconds)
	if !ok {
		today, clock = today+1, e.first
	}
	day := e.dayFrom(today)
	if day != today {
		clock = e.first
	}
	return day*daySeconds + clock
}

// clockUntil returns the last match at or before a time of day, if there is one on that day.
func (e *expression) clockUntil(clock int64) (int64, bool) {
	hour, minute := int(clock/3600), int(clock%3600/60)
	if e.hours>>hour&1 != 0 {
		if minutes := e.minutes & (2<<minute - 1); minutes != 0 {
			return clockTime(hour, highest(minutes)), true
		}
	}
	hours := e.hours & (1<<hour - 1)
	if hours == 0 {
		return 0, false
	}
	return clockTime(highest(hours), highest(e.minutes)), true
}

// clockFrom returns the first match at or after a time of day, if there is one on that day.
func (e *expression) clockFrom(clock int64) (int64, bool) {
	clock += 59 // matches are whole minutes
	hour, minute := int(clock/3600), int(clock%3600/60)
	if e.hours>>hour&1 != 0 {
		if minutes := e.minutes >> minute << minute; minutes != 0 {
			return clockTime(hour, lowest(minutes)), true
		}
	}
	hours := e.hours >> (hour + 1) << (hour + 1)
	if hours == 0 {
		return 0, false
	}
	return clockTime(lowest(hours), lowest(e.minutes)), true
}

func (e *expression) matchesDay(day int64) bool { return e.dayFrom(day) == day }

// dayUntil returns the last matching day at or before day. It reports false if it gives up, which it may do if there is
// none at or after since.
func (e *expression) dayUntil(day, since int64) (int64, bool) {
	switch {
	case e.everyDay:
		return day, true
	case e.byWeekday:
		today := weekday(day) + 7
		twoWeeks := e.weekdays | e.weekdays<<7
		return day - int64(today-highest(twoWeeks&(2<<today-1))), true
	}
	year, month, dom := civil(day)
	first := day - int64(dom-1)
	days := e.days(year, month, first) & (2<<dom - 1)
	for days == 0 {
		if first <= since {
			return 0, false
		}
		if earlier := e.months & (1<<month - 1); earlier != 0 {
			month = highest(earlier)
		} else {
			year, month = year-1, highest(e.months)
		}
		first = firstDay(year, month)
		days = e.days(year, month, first)
	}
	return first + int64(highest(days)-1), true
}

// dayFrom returns the first matching day at or after day.
func (e *expression) dayFrom(day int64) int64 {
	switch {
	case e.everyDay:
		return day
	case e.byWeekday:
		today := weekday(day)
		twoWeeks := e.weekdays | e.weekdays<<7
		return day + int64(lowest(twoWeeks>>today))
	}
	year, month, dom := civil(day)
	first := day - int64(dom-1)
	days := e.days(year, month, first) >> dom << dom
	for days == 0 {
		if later := e.months >> (month + 1) << (month + 1); later != 0 {
			month = lowest(later)
		} else {
			year, month = year+1, lowest(e.months)
		}
		first = firstDay(year, month)
		days = e.days(year, month, first)
	}
	return first + int64(lowest(days)-1)
}

// days returns the set of matching days of a month; first is the month's first day.
func (e *expression) days(year int64, month int, first int64) uint64 {
	if e.months>>month&1 == 0 {
		return 0
	}
	const sixWeeks = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28 | 1<<35
	byWeekday := e.weekdays * sixWeeks >> weekday(first) << 1
	days := e.monthDays & byWeekday
	if e.eitherDay {
		days = e.monthDays | byWeekday
	}
	return days & (2<<monthDays(year, month) - 2)
}

// gapless reports whether neighbouring matches are never more than step seconds apart.
func (e *expression) gapless(step int64) bool {
	overnight := daySeconds - e.last + e.first
	if e.widest > step || overnight > step {
		return false
	}
	if e.everyDay {
		return true
	}
	for year := range kindsOfYears(step) {
		for day := e.dayFrom(firstDay(year, 1)); day < firstDay(year+1, 1); {
			next := e.dayFrom(day + 1)
			if (next-day-1)*daySeconds+overnight > step {
				return false
			}
			day = next
		}
	}
	return true
}

// kindsOfYears yields years of the calendar's cycle: one of each kind if the step is shorter than a year, else all of
// them. Two years are of the same kind if they have the same length, begin on the same weekday and are followed by
// years of the same length.
func kindsOfYears(step int64) iter.Seq[int64] {
	type kind struct {
		days, next int64
		begins     int // the weekday
	}
	return func(yield func(int64) bool) {
		seen := map[kind]bool{}
		for year := int64(2000); year < 2400; year++ {
			first, second, third := firstDay(year, 1), firstDay(year+1, 1), firstDay(year+2, 1)
			k := kind{second - first, third - second, weekday(first)}
			if seen[k] && step < 365*daySeconds {
				continue
			}
			seen[k] = true
			if !yield(year) {
				return
			}
		}
	}
}

func (e *expression) everyMinute() bool {
	return e.everyDay && e.hours == 1<<24-1 && e.minutes == 1<<60-1
}

func clockTime(hour, minute int) int64 { return int64(hour*60+minute) * 60 }

func highest(set uint64) int { return bits.Len64(set) - 1 }
func lowest(set uint64) int  { return bits.TrailingZeros64(set) }
