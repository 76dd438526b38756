package main

import (
	"testing"
	"time"
)

func TestWorkStandsStillWhileItsZoneIsOut(t *testing.T) {
	at := func(minutes int) time.Time {
		return time.Date(2026, 11, 18, 3, 0, 0, 0, time.UTC).Add(time.Duration(minutes) * time.Minute)
	}
	o := outage{zone: "a", from: at(30), to: at(90)}
	for _, test := range []struct {
		rule              string
		zone              string
		start, takes, end int
	}{
		{"it ends before", "a", 0, 30, 30},
		{"it ends within", "a", 0, 31, 91},
		{"it starts within", "a", 50, 10, 100},
		{"it starts with it", "a", 30, 5, 95},
		{"it starts when it ends", "a", 90, 5, 95},
		{"it is in another zone", "b", 0, 31, 31},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := o.end(test.zone, at(test.start), time.Duration(test.takes)*time.Minute)
			if !got.Equal(at(test.end)) {
				t.Errorf("it ends at %s, want %s", clock(got), clock(at(test.end)))
			}
		})
	}
}
