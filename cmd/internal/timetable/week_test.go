package timetable

import (
	"testing"
	"time"
)

// time.Date is in a zone of either side where there is no 00:00.
func TestADayWithoutMidnightBeginsWhereItsFirstTimeIs(t *testing.T) {
	for _, c := range []struct {
		zone       string
		year       int
		month      time.Month
		day        int
		want, last string // and a second before
	}{
		{"America/Sao_Paulo", 2018, time.November, 4, "Sun 01:00:00", "Sat 23:59:59"},
		{"America/Havana", 2026, time.March, 8, "Sun 01:00:00", "Sat 23:59:59"},
		{"Asia/Beirut", 2026, time.March, 29, "Sun 01:00:00", "Sat 23:59:59"},
		{"Asia/Tehran", 2021, time.March, 22, "Mon 01:00:00", "Sun 23:59:59"},
		{"Europe/Berlin", 2026, time.March, 29, "Sun 00:00:00", "Sat 23:59:59"},
	} {
		t.Run(c.zone, func(t *testing.T) {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			const layout = "Mon 15:04:05"
			got := begins(time.Date(c.year, c.month, c.day, 0, 0, 0, 0, zone), c.day)
			if first, last := got.Format(layout), got.Add(-time.Second).Format(layout); first != c.want || last != c.last {
				t.Errorf("it begins at %s, after %s; want %s, after %s", first, last, c.want, c.last)
			}
		})
	}
}

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
