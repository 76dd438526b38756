package ical

import (
	"fmt"
	"slices"
	"strings"

	ical "github.com/emersion/go-ical"
)

// components are those of RFC 5545, 7953 and 9073. Only events say when something takes place. Others may be in a file,
// as may those whose names begin with X-.
var components = []string{ical.CompEvent, ical.CompToDo, ical.CompJournal, ical.CompFreeBusy, ical.CompTimezone,
	ical.CompTimezoneStandard, ical.CompTimezoneDaylight, ical.CompAlarm, "VAVAILABILITY", "AVAILABLE", "PARTICIPANT",
	"VLOCATION", "VRESOURCE"}

// misplaced returns an error if there is an event where nobody looks for it: within another component, or as one that
// nobody knows.
func misplaced(parent *ical.Component) error {
	for _, c := range parent.Children {
		switch {
		case c.Name == ical.CompEvent && parent.Name != ical.CompCalendar:
			return fmt.Errorf("event %.100q is within a %.100s: end that with END:%.100s first",
				nameOf(c), parent.Name, parent.Name)
		case !slices.Contains(components, c.Name) && !strings.HasPrefix(c.Name, "X-"):
			return fmt.Errorf("component %.100q is not part of iCalendar, and may be an event: leave it out, or "+
				"write %s", c.Name, ical.CompEvent)
		}
		if err := misplaced(c); err != nil {
			return err
		}
	}
	return nil
}
