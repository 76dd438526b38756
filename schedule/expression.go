package schedule

import (
	"math/bits"
	"time"
)

const daySeconds = 24 * 60 * 60

// An expression is a parsed cron expression. Bit n of a set is 1 if the field names n. An expression matches minutes of
// a wall clock. Wall-clock times are counted in seconds since that clock showed 1970-01-01 00:00, and days from that
// date.
type expression struct {
	minutes, hours, monthDays, months, weekdays uint64

	eitherDay bool // cron's rule: if both day fields are restricted, a day need match only one of them
	anyDate   bool // only weekdays exclude days

	first, last int64 // the first and the last match of a day that matches, in seconds from midnight
	widest      int64 // the widest step between two matches on one day
}

// star is the bit that robfig/cron sets for a field of * or ?.
const star = 1 << 63

// newExpression makes an expression of the sets of robfig/cron. It reports false if no minute can ever match.
func newExpression(sets [5]uint64) (expression, bool) {
	anyMonthDay, anyWeekday := sets[2]&star != 0, sets[4]&star != 0
	e := expression{
		minutes: sets[0] &^ star, hours: sets[1] &^ star,
		monthDays: sets[2] &^ star, months: sets[3] &^ star, weekdays: sets[4] &^ star,
		eitherDay: !anyMonthDay && !anyWeekday,
		anyDate:   anyMonthDay && sets[3]&^star == 1<<13-2,
	}
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
	for day := firstDay(2000, 1); day < firstDay(2001, 1); day++ {
		if _, month, dom := civil(day); e.matches(day, month, dom) {
			return true
		}
	}
	return false
}

// matches reports whether a day matches, given its date.
func (e *expression) matches(day int64, month time.Month, dom int) bool {
	byDate, byWeekday := e.monthDays>>dom&1 != 0, e.weekdays>>weekday(day)&1 != 0
	return e.months>>month&1 != 0 && (byDate && byWeekday || e.eitherDay && (byDate || byWeekday))
}

func (e *expression) longestMonth() int64 {
	var days int64
	for month := time.January; month <= time.December; month++ {
		if e.months>>month&1 != 0 {
			days = max(days, firstDay(2000, month+1)-firstDay(2000, month))
		}
	}
	return days
}

// prev returns the last match at or before wall.
func (e *expression) prev(wall int64) int64 {
	today := floorDiv(wall, daySeconds)
	clock, ok := e.clockUntil(wall - today*daySeconds)
	if !ok {
		today, clock = today-1, e.last
	}
	day := e.seek(today, -1)
	if day < today {
		clock = e.last
	}
	return day*daySeconds + clock
}

// next returns the first match at or after wall.
func (e *expression) next(wall int64) int64 {
	today := floorDiv(wall, daySeconds)
	clock, ok := e.clockFrom(wall - today*daySeconds)
	if !ok {
		today, clock = today+1, e.first
	}
	day := e.seek(today, 1)
	if day > today {
		clock = e.first
	}
	return day*daySeconds + clock
}

// seek returns the first matching day from a day on, forward (1) or backward (-1).
func (e *expression) seek(day, direction int64) int64 {
	for {
		if e.anyDate && e.weekdays>>weekday(day)&1 != 0 { // needs no date
			return day
		}
		year, month, dom := civil(day)
		switch {
		case e.matches(day, month, dom):
			return day
		case e.months>>month&1 == 0:
			day = e.otherMonth(year, month, direction)
		case e.eitherDay:
			day += direction
		case direction < 0: // to the day before that may match by its date, or to the month before
			day -= int64(dom - max(0, highest(e.monthDays&(1<<dom-1))))
		default: // to the next day that may match by its date, and no further than to the next month
			day += int64(max(1, min(29, dom+1+lowest(e.monthDays>>(dom+1)))-dom))
		}
	}
}

// otherMonth returns the first day of the expression's next month, or the last day of the one before.
func (e *expression) otherMonth(year int, month time.Month, direction int64) int64 {
	twoYears := e.months | e.months<<12
	if direction > 0 {
		return firstDay(year, month+time.Month(lowest(twoYears>>month)))
	}
	earlier := twoYears & (1<<(month+12) - 1) // counted from the year before
	return firstDay(year-1, time.Month(highest(earlier))+1) - 1
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

// gapless reports whether neighbouring matches are never more than step seconds apart.
func (e *expression) gapless(step int64) bool {
	overnight := daySeconds - e.last + e.first
	if e.widest > step || overnight > step {
		return false
	}
	years := 400 // the calendar's cycle
	if step < 365*daySeconds {
		years = 28 // has all years that differ by length, first weekday, and the length of the next
	}
	for day := e.seek(firstDay(2000, 1), 1); day < firstDay(2000+years, 1); {
		next := e.seek(day+1, 1)
		if (next-day-1)*daySeconds+overnight > step {
			return false
		}
		day = next
	}
	return true
}

func clockTime(hour, minute int) int64 { return int64(hour*60+minute) * 60 }

func highest(set uint64) int { return bits.Len64(set) - 1 }       // -1: it is empty
func lowest(set uint64) int  { return bits.TrailingZeros64(set) } // 64: it is empty

func civil(day int64) (year int, month time.Month, dom int) {
	return time.Unix(day*daySeconds, 0).UTC().Date()
}

// firstDay returns the first day of a month; months from 13 on are of the next years.
func firstDay(year int, month time.Month) int64 {
	return floorDiv(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Unix(), daySeconds)
}

// weekday returns the day of the week; 0 is Sunday.
func weekday(day int64) int { return int(day + 4 - floorDiv(day+4, 7)*7) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
