package timetable

import (
	"testing"
	"time"
)

// On the last day of a leap year, package time says of a zone that follows a rule that its offset ended before.
func TestTheLastDayOfALeapYearIsDrawn(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Sydney"} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, year := range []int{2028, 2040} {
			date := time.Date(year, time.December, 27, 0, 0, 0, 0, time.UTC)
			at := time.Date(year, time.December, 27, 0, 0, 0, 0, location)
			for _, r := range runs(date, span{at, at.AddDate(0, 0, 7)}) {
				if !r.span.from.Equal(at) || !r.span.to.After(at) {
					t.Fatalf("%s: %v after %v", zone, r.span, at)
				}
				at = r.span.to
			}
		}
	}
}
