package ical_test

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// The oracle reads nothing: it gets the content of a file, and finds the times of events slowly and obviously. It shares
// no code with the package. Times of clocks are seconds since 1970, as if the clocks were in UTC. So are instants.

// A dial is what the clocks of a zone show: their offset in each quarter of an hour, within which none of them changes.
type dial struct {
	zone    *time.Location
	offsets []int64
}

const quarter = 15 * 60

var (
	dialFrom, dialTo = day(2014, 1, 1).Unix(), day(2031, 1, 1).Unix()
	dials            sync.Map
)

func dialOf(zone string) dial {
	if d, ok := dials.Load(zone); ok {
		return d.(dial)
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	d := dial{zone: location}
	for at := dialFrom; at < dialTo; at += quarter {
		_, offset := time.Unix(at, 0).In(location).Zone()
		d.offsets = append(d.offsets, int64(offset))
	}
	dials.Store(zone, d)
	return d
}

// changes returns the instants at which the clocks change.
func (d dial) changes() (all []int64) {
	for i := 1; i < len(d.offsets); i++ {
		if d.offsets[i] != d.offsets[i-1] {
			all = append(all, dialFrom+int64(i)*quarter)
		}
	}
	return all
}

// instant looks at the clocks in each quarter of an hour, until they show a time, or a later one.
func (d dial) instant(wall int64) int64 {
	for i := (wall - 30*3600 - dialFrom) / quarter; ; i++ {
		begins := dialFrom + i*quarter
		switch shown := wall - (begins + d.offsets[i]); {
		case 0 <= shown && shown < quarter:
			return begins + shown
		case shown < 0:
			return wall - d.offsets[i-1] // skipped
		}
	}
}

// days returns the spans in which the clocks show one of some days.
func (d dial) days(first, count int64) (spans [][2]int64) {
	for i := (first - 30*3600 - dialFrom) / quarter; i < (first+(count+2)*86400-dialFrom)/quarter; i++ {
		begins := dialFrom + i*quarter
		shown := begins + d.offsets[i]
		if shown < first || shown >= first+count*86400 {
			continue
		}
		if last := len(spans) - 1; last >= 0 && spans[last][1] == begins {
			spans[last][1] += quarter
		} else {
			spans = append(spans, [2]int64{begins, begins + quarter})
		}
	}
	return spans
}

// A said is what a rule says.
type said struct {
	freq                      string
	interval, count           int
	until                     func(wall int64) bool // nil: for ever
	months, monthDays, setPos []int
	weekdays                  []saidDay
	weekStart                 time.Weekday
}

// A saidDay is such as -1SU; n is 0 for SU.
type saidDay struct {
	n   int
	day time.Weekday
}

// times returns the times of a rule: all of a period, and then those of the next, from the one of the start.
func (s said) times(start, to int64) []int64 {
	all, count := []int64{start}, s.count+1 // the first one counts only if it is one of the times of the rule
	for n := 0; ; n += s.interval {
		days := s.period(time.Unix(start, 0).UTC(), n)
		if days[0].Unix() > to {
			return all
		}
		var set []int64
		for _, day := range days {
			if s.listed(day, time.Unix(start, 0).UTC()) {
				set = append(set, day.Unix()+start%86400)
			}
		}
		if len(s.setPos) > 0 {
			var picked []int64
			for i, at := range set {
				if slices.Contains(s.setPos, i+1) || slices.Contains(s.setPos, i-len(set)) {
					picked = append(picked, at)
				}
			}
			set = picked
		}
		for _, at := range set {
			switch {
			case at == start:
				count = s.count
				continue
			case at < start:
				continue
			case s.count > 0 && len(all) == count, at > to, s.until != nil && !s.until(at):
				return all
			}
			all = append(all, at)
		}
	}
}

// period returns the days of the nth period.
func (s said) period(start time.Time, n int) (days []time.Time) {
	midnight := time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, time.UTC)
	first, next := midnight, midnight
	switch s.freq {
	case "DAILY":
		first = midnight.AddDate(0, 0, n)
		next = first.AddDate(0, 0, 1)
	case "WEEKLY":
		first = s.week(midnight).AddDate(0, 0, 7*n)
		next = first.AddDate(0, 0, 7)
	case "MONTHLY":
		first = time.Date(start.Year(), start.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		next = first.AddDate(0, 1, 0)
	case "YEARLY":
		first = time.Date(start.Year()+n, 1, 1, 0, 0, 0, 0, time.UTC)
		next = first.AddDate(1, 0, 0)
	}
	for day := first; day.Before(next); day = day.AddDate(0, 0, 1) {
		days = append(days, day)
	}
	return days
}

// week returns the first day of a week.
func (s said) week(day time.Time) time.Time {
	for day.Weekday() != s.weekStart {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// listed reports whether a day of a period is one of a rule.
func (s said) listed(day, start time.Time) bool {
	yearBegins := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	nextYear := yearBegins.AddDate(1, 0, 0)
	monthBegins := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	nextMonth := monthBegins.AddDate(0, 1, 0)
	// A number counts from the first day, or back from the end.
	has := func(list []int, begins, ends time.Time) bool {
		for _, n := range list {
			if n > 0 && begins.AddDate(0, 0, n-1).Equal(day) || n < 0 && ends.AddDate(0, 0, n).Equal(day) {
				return true
			}
		}
		return len(list) == 0
	}
	if !has(s.monthDays, monthBegins, nextMonth) ||
		len(s.months) > 0 && !slices.Contains(s.months, int(day.Month())) {
		return false
	}
	if len(s.weekdays) > 0 {
		from, to := monthBegins, nextMonth
		if s.freq == "YEARLY" && len(s.months) == 0 {
			from, to = yearBegins, nextYear
		}
		return slices.ContainsFunc(s.weekdays, func(w saidDay) bool {
			var same []time.Time
			for d := from; d.Before(to); d = d.AddDate(0, 0, 1) {
				if d.Weekday() == w.day {
					same = append(same, d)
				}
			}
			switch {
			case day.Weekday() != w.day:
				return false
			case w.n == 0:
				return true
			case w.n > 0:
				return w.n <= len(same) && same[w.n-1].Equal(day)
			}
			return -w.n <= len(same) && same[len(same)+w.n].Equal(day)
		})
	}
	if len(s.monthDays) > 0 {
		return true
	}
	switch { // what the rule does not say is as at the start
	case s.freq == "WEEKLY":
		return day.Weekday() == start.Weekday()
	case s.freq == "MONTHLY":
		return day.Day() == start.Day()
	case s.freq == "YEARLY":
		return day.Day() == start.Day() && (len(s.months) > 0 || day.Month() == start.Month())
	}
	return true
}

// String writes the rule.
func (s said) String() string {
	text := "FREQ=" + s.freq
	list := func(name string, numbers []int) {
		for i, n := range numbers {
			text += []string{",", ";" + name + "="}[min(1, max(0, 1-i))] + fmt.Sprint(n)
		}
	}
	if s.interval > 1 {
		text += fmt.Sprint(";INTERVAL=", s.interval)
	}
	if s.count > 0 {
		text += fmt.Sprint(";COUNT=", s.count)
	}
	list("BYMONTH", s.months)
	list("BYMONTHDAY", s.monthDays)
	list("BYSETPOS", s.setPos)
	for i, w := range s.weekdays {
		text += []string{",", ";BYDAY="}[min(1, max(0, 1-i))]
		if w.n != 0 {
			text += fmt.Sprint(w.n)
		}
		text += weekdayNames[w.day]
	}
	if s.weekStart != time.Monday {
		text += ";WKST=" + weekdayNames[s.weekStart]
	}
	return text
}

var weekdayNames = [7]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}
