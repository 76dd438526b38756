package ical

import (
	"errors"
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// A recurrence finds the times of a rule, day by day, as clocks show them: the rule says on which days, and DTSTART at which time. All its times
// are in UTC, whatever the zone of the event.
type recurrence struct{ rrule.ROption }

// A work is what may still be done for a file: how many days of rules may be looked at.
type work struct{ left int }

const mostWork = 10_000_000 // takes a second or two

var errWork = errors.New("is one of so many that finding the times takes too long: " +
	"export fewer events, or begin them later")

// complete adds what a rule leaves to DTSTART: "Information, not contained in the rule, necessary to determine the
// various recurrence instance start time and dates are derived from the Start Time (DTSTART)" (RFC 5545, 3.3.10).
func (x *recurrence) complete() {
	x.Interval = max(1, x.Interval)
	start := x.Dtstart
	weekdays := [...]rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}
	noDay := len(x.Bymonthday) == 0 && len(x.Byweekday) == 0
	switch {
	case noDay && x.Freq == rrule.WEEKLY:
		x.Byweekday = []rrule.Weekday{weekdays[start.Weekday()]}
	case noDay && (x.Freq == rrule.YEARLY || x.Freq == rrule.MONTHLY):
		x.Bymonthday = []int{start.Day()}
		if x.Freq == rrule.YEARLY && len(x.Bymonth) == 0 {
			x.Bymonth = []int{int(start.Month())}
		}
	}
}

// each calls a function with the times after the first one, in order, until it returns false. Times before from may be
// left out, if the rule has no COUNT, and those after to.
//
// A rule whose DTSTART is none of its times is undefined: "The DTSTART property value always counts as the first
// occurrence", and "SHOULD be synchronized with the recurrence rule" (RFC 5545, 3.3.10 and 3.8.5.3). Some programs count
// it, and others do not. Both readings hold together: it takes place, and COUNT more times.
func (x recurrence) each(from, to time.Time, w *work, call func(time.Time) bool) error {
	count := x.Count
	if x.fits() {
		count--
	}
	if len(x.Bysetpos) > 0 {
		to = to.AddDate(1, 0, 7) // the last period is complete as well
	}
	var period int
	var times []time.Time // of the period
	emit := func() bool {
		for _, at := range x.positions(times) {
			if !at.After(x.Dtstart) {
				continue
			}
			if x.Count > 0 && count == 0 || !call(at) {
				return false
			}
			count--
		}
		return true
	}
	// A period takes up to a year: all those that end after from are complete.
	for day := from.Truncate(24*time.Hour).AddDate(-1, 0, -7); !day.After(to); day = day.AddDate(0, 0, 1) {
		if n := x.period(day); n != period {
			if !emit() {
				return nil
			}
			period, times = n, times[:0]
		}
		if period%x.Interval == 0 && x.matches(day) {
			times = append(times, x.on(day))
		}
		if w.left--; w.left < 0 {
			return errWork
		}
	}
	emit()
	return nil
}

// fits reports whether DTSTART is one of the times of the rule.
func (x recurrence) fits() bool {
	var times []time.Time
	of := x.period(x.Dtstart)
	for day := x.Dtstart.Truncate(24*time.Hour).AddDate(-1, 0, -7); !day.After(x.Dtstart.AddDate(1, 0, 7)); day = day.AddDate(0, 0, 1) {
		if x.period(day) == of && x.matches(day) {
			times = append(times, x.on(day))
		}
	}
	return slices.ContainsFunc(x.positions(times), x.Dtstart.Equal)
}

// on returns the time of a day.
func (x recurrence) on(day time.Time) time.Time {
	return day.Add(x.Dtstart.Sub(x.Dtstart.Truncate(24 * time.Hour)))
}

// positions returns the times of a period that BYSETPOS picks.
func (x recurrence) positions(times []time.Time) []time.Time {
	if len(x.Bysetpos) == 0 {
		return times
	}
	var picked []int
	for _, n := range x.Bysetpos {
		if n < 0 {
			n += len(times) + 1
		}
		if 1 <= n && n <= len(times) {
			picked = append(picked, n-1)
		}
	}
	slices.Sort(picked)
	var some []time.Time
	for _, i := range slices.Compact(picked) {
		some = append(some, times[i])
	}
	return some
}

// period numbers the years, months, weeks or days that INTERVAL counts. That of DTSTART is 0.
func (x recurrence) period(day time.Time) int {
	start := x.Dtstart
	switch x.Freq {
	case rrule.YEARLY:
		return day.Year() - start.Year()
	case rrule.MONTHLY:
		return 12*(day.Year()-start.Year()) + int(day.Month()) - int(start.Month())
	case rrule.WEEKLY:
		return (x.weekStart(day) - x.weekStart(start)) / 7
	}
	return dayNumber(day) - dayNumber(start)
}

// dayNumber counts days from 1970-01-01.
func dayNumber(t time.Time) int { return int(t.Truncate(24*time.Hour).Unix() / daySeconds) }

// weekStart returns the number of the day on which the week of a day starts.
func (x recurrence) weekStart(day time.Time) int {
	return dayNumber(day) - (fromMonday(day)-x.Wkst.Day()+7)%7
}

// fromMonday returns the weekday, as the library counts: Monday is 0.
func fromMonday(day time.Time) int { return (int(day.Weekday()) + 6) % 7 }

// matches reports whether the days that a rule lists contain a day.
func (x recurrence) matches(day time.Time) bool {
	if !listed(x.Bymonth, int(day.Month()), 12) || !listed(x.Bymonthday, day.Day(), daysIn(day)) {
		return false
	}
	return len(x.Byweekday) == 0 || slices.ContainsFunc(x.Byweekday, func(w rrule.Weekday) bool {
		return w.Day() == fromMonday(day) && x.nth(w.N(), day)
	})
}

// listed reports whether numbers contain one of 1 to last, or count to it from the end. No numbers contain all.
func listed(numbers []int, n, last int) bool {
	return len(numbers) == 0 || slices.Contains(numbers, n) || slices.Contains(numbers, n-last-1)
}

// nth reports whether a day is the nth of its weekday, in its month, or in its year if the rule knows no months.
func (x recurrence) nth(n int, day time.Time) bool {
	at, last := day.Day(), daysIn(day)
	if x.Freq == rrule.YEARLY && len(x.Bymonth) == 0 {
		at, last = day.YearDay(), yearDays(day)
	}
	return n == 0 || n == (at-1)/7+1 || n == -((last-at)/7+1)
}

func daysIn(day time.Time) int {
	return time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
func yearDays(day time.Time) int {
	return time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
}
