package ical

import (
	"fmt"
	"strconv"
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
	for _, name := range []string{"COUNT", "INTERVAL"} {
		if value, written := partOf(text, name); written {
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				return nil, fmt.Errorf("RRULE %.100q: %s is %.20s: write a number from 1", text, name, value)
			}
		}
	}
	if option.Freq == rrule.SECONDLY || option.Freq == rrule.MINUTELY {
		return nil, fmt.Errorf("RRULE %.100q recurs every minute or second: write a budget without a calendar", text)
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
