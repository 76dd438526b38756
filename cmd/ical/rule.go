package ical

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/disruptkit/disruptkit/schedule"
)

// rule returns when a rule lets an event take place after the first time, up to the end of what is looked at. The library
// only reads the rule. Where a rule never recurs, the library would look for times up to the year 9999.
func (r reader) rule(text string, first occurrence, wholeDays bool) (all []occurrence, err error) {
	x, err := parseRule(strings.ToUpper(strings.TrimSpace(text)), first.begins.wall)
	if err != nil {
		return nil, fmt.Errorf("RRULE %.100q %w", text, err)
	}
	within, err := r.until(partsOf(text)["UNTIL"], first.begins.zone, wholeDays)
	if err != nil {
		return nil, fmt.Errorf("RRULE %.100q: %w", text, err)
	}
	from := first.begins.wall
	if !x.fits() {
		differ, here := "it takes place", "it does"
		if x.Count > 0 {
			differ, here = "COUNT includes it", "it takes place, and COUNT more times"
		}
		r.warn(fmt.Sprintf("RRULE %.100q: DTSTART is none of its times, and programs differ in whether %s: here %s; "+
			"write a DTSTART that fits", text, differ, here))
	}
	if x.Count == 0 { // else all must be counted
		early := add(r.From, -first.length.seconds).AddDate(-1, 0, -first.length.days-2) // by two days, for zones
		from = schedule.Last(from, early.UTC().Truncate(24*time.Hour))
	}
	err = x.each(from, r.To.UTC().AddDate(0, 0, 2), r.work, func(wall time.Time) bool {
		o := occur(local{wall, first.begins.zone}, first.length)
		if !o.at.After(r.To) && within(o.begins) && !r.over(o) {
			all = append(all, o)
		}
		return len(all) <= mostEvents
	})
	if err != nil {
		return nil, fmt.Errorf("RRULE %.100q %w", text, err)
	}
	return all, nil
}

// until returns whether what begins at a time is within the UNTIL of a rule. A day is the last one. For whole days, a
// time is the day that it is then.
func (r reader) until(text string, zone *time.Location, wholeDays bool) (within func(local) bool, err error) {
	if text == "" {
		return func(local) bool { return true }, nil
	}
	last := local{zone: zone}
	for _, form := range []string{dateForm, timeForm, timeFormUTC} {
		if len(text) == len(form) {
			last.wall, err = time.Parse(form, text)
		}
	}
	switch {
	case err != nil || last.wall.IsZero():
		return nil, fmt.Errorf("UNTIL %.100q is not a date or time of a calendar: write one such as 20261224, "+
			"or 20261224T180000Z", text)
	case len(text) == len(timeFormUTC) && wholeDays:
		_, offset := last.wall.In(r.location).Zone()
		last.wall = last.wall.Add(time.Duration(offset) * time.Second)
	case len(text) == len(timeFormUTC):
		return func(at local) bool { return !at.instant().After(last.wall) }, nil
	}
	if wholeDays || len(text) == len(dateForm) {
		return func(at local) bool { return at.day() <= last.day() }, nil
	}
	return func(at local) bool { return !at.wall.After(last.wall) }, nil
}

// parts are those that a rule may have. iCalendar has more (RFC 5545, 3.3.10), which say at which times of a day, or count weeks and days of a year:
// no calendar that people use lets them choose these.
var parts = []string{"FREQ", "UNTIL", "COUNT", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"}

// longestRule is the length of a rule, which bounds how long its lists are.
const longestRule = 1000

// partsOf returns the parts of a rule, as they are written.
func partsOf(text string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(strings.ToUpper(text), ";") {
		key, value, _ := strings.Cut(part, "=")
		all[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return all
}

// parseRule parses a rule for an event that first begins at a time.
func parseRule(text string, start time.Time) (x recurrence, err error) {
	if len(text) > longestRule {
		return x, fmt.Errorf("has %d bytes: write at most %d", len(text), longestRule)
	}
	if err := checkParts(text); err != nil {
		return x, err
	}
	option, err := rrule.StrToROption(text)
	if err == nil {
		option.Dtstart = start
		_, err = rrule.NewRRule(*option) // checks that the numbers are within bounds
	}
	if err != nil {
		return x, fmt.Errorf("is not understood (%w): write one such as FREQ=WEEKLY;BYDAY=MO", err)
	}
	x = recurrence{ROption: *option}
	if err := check(text, x); err != nil {
		return x, err
	}
	x.complete()
	return x, nil
}

// checkParts finds parts that a rule may not have.
func checkParts(text string) error {
	written := partsOf(text)
	if len(written) < strings.Count(text, ";")+1 {
		return errors.New("says the same twice: write each part once")
	}
	for part := range written {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("has %.100q, which is not understood: write a rule of days, with %s", part, strings.Join(parts, ", "))
		}
	}
	return nil
}

// check finds what a rule may not say, or says without any effect. RFC 5545, 3.3.10, has a table of the parts that have no meaning at a frequency.
func check(text string, x recurrence) error {
	written := partsOf(text)
	for _, number := range []struct {
		name string
		n    int // 0 where none is written as well
	}{{"COUNT", x.Count}, {"INTERVAL", x.Interval}} {
		if written[number.name] != "" && (number.n < 1 || number.n > mostEvents) {
			return fmt.Errorf("has %s=%d: write a number from 1 to %d", number.name, number.n, mostEvents)
		}
	}
	numbered, most := 0, 0
	for _, day := range x.Byweekday {
		if day.N() != 0 {
			numbered, most = numbered+1, max(most, day.N(), -day.N())
		}
	}
	switch {
	case x.Freq > rrule.DAILY:
		return errors.New("recurs within a day, which is not understood: write FREQ=DAILY, or a budget without a calendar")
	case numbered > 0 && x.Freq > rrule.MONTHLY:
		return errors.New("has a number before a weekday, which only FREQ=MONTHLY or YEARLY may: leave out the number")
	case most > 5 && (x.Freq == rrule.MONTHLY || len(x.Bymonth) > 0):
		return fmt.Errorf("has weekday %d of a month: write a number up to 5", most)
	case len(x.Bymonthday) > 0 && x.Freq == rrule.WEEKLY:
		return errors.New("has BYMONTHDAY, which FREQ=WEEKLY may not")
	}
	return nil
}
