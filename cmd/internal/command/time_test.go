package command

import (
	"testing"
	"time"
)

func TestADateBeginsWhenTheClocksFirstShowIt(t *testing.T) {
	for _, test := range []struct{ zone, date, want string }{
		{"UTC", "2026-03-08", "2026-03-08T00:00:00Z"},
		{"America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00"}, // there is no midnight
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"},
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"}, // which comes twice
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"},
	} {
		zone, err := ParseZone(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Time("--now", test.date, zone)
		if err != nil || got.Format(time.RFC3339) != test.want {
			t.Errorf("%s in %s: %s, %v; want %s", test.date, test.zone, got.Format(time.RFC3339), err, test.want)
		}
	}
}

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
			got := Day(c.year, c.month, c.day, zone)
			if first, last := got.Format(layout), got.Add(-time.Second).Format(layout); first != c.want || last != c.last {
				t.Errorf("it begins at %s, after %s; want %s, after %s", first, last, c.want, c.last)
			}
		})
	}
}
