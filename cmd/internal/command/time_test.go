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
