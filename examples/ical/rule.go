package ical

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// rule returns when a rule lets an event take place, up to the end of what is looked at.
func (r reader) rule(text string, start time.Time, wholeDays bool) (all []time.Time, err error) {
	option, err := rrule.StrToROptionInLocation(text, start.Location())
	if err != nil {
		return nil, misunderstood(text, err)
	}
	if err := check(text, option, start); err != nil {
		return nil, err
	}
	option.Dtstart = start
	switch until, _ := partOf(text, "UNTIL"); {
	case until == "":
	case wholeDays && len(until) > len(dateForm): // the day that it is then
		day := option.Until.In(r.location)
		option.Until = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	case !wholeDays && len(until) == len(dateForm): // that day is the last
		option.Until = option.Until.AddDate(0, 0, 1).Add(-time.Second)
	}
	if option.Until.IsZero() || option.Until.After(r.To) {
		option.Until = r.To
	}
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, misunderstood(text, err)
	}
	next := rule.Iterator()
	for at, more := next(); more; at, more = next() {
		if r.before(at) {
			continue
		}
		if all = append(all, at); len(all) > mostEvents {
			return nil, fmt.Errorf("RRULE %.100q recurs more than %d times up to %s", text, mostEvents, r.To.Format(time.DateOnly))
		}
	}
	return all, nil
}

// check finds what the library misreads, or would never come to an end with.
func check(text string, option *rrule.ROption, start time.Time) error {
	for _, number := range []struct {
		name string
		n    int // 0 where none is written, too
	}{{"COUNT", option.Count}, {"INTERVAL", option.Interval}} {
		if _, written := partOf(text, number.name); written && (number.n < 1 || number.n > mostEvents) {
			return fmt.Errorf("RRULE %.100q: %s is %d: write a number from 1 to %d", text, number.name, number.n, mostEvents)
		}
	}
	switch hourly := option.Freq == rrule.HOURLY; {
	case option.Freq == rrule.SECONDLY || option.Freq == rrule.MINUTELY:
		return fmt.Errorf("RRULE %.100q recurs every minute or second: write a budget without a calendar", text)
	case start.IsZero(): // the library would begin at the present time
		return fmt.Errorf("RRULE %.100q begins in the year 1: write a later DTSTART", text)
	case hourly && len(option.Bysetpos) > 0:
		return fmt.Errorf("RRULE %.100q recurs hourly with BYSETPOS, which is not understood: write BYMINUTE", text)
	case hourly && len(option.Byhour) > 0 && !slices.ContainsFunc(option.Byhour, func(hour int) bool {
		return (hour-start.Hour())%gcd(max(option.Interval, 1), 24) == 0
	}):
		return fmt.Errorf("RRULE %.100q never recurs: steps of %d hours from %s reach no hour of BYHOUR", text, option.Interval, start.Format("15:04"))
	}
	return nil
}

// gcd returns the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// partOf returns a part of a rule, as it is written.
func partOf(rule, name string) (value string, written bool) {
	for part := range strings.SplitSeq(rule, ";") {
		if key, value, _ := strings.Cut(part, "="); strings.TrimSpace(key) == name {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

func misunderstood(rule string, err error) error {
	return fmt.Errorf("RRULE %.100q is not understood (%w): write one such as FREQ=WEEKLY;BYDAY=MO", rule, err)
}
