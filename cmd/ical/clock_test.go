package ical_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/ical"
)

// Times around each change of a clock in 30 years are compared with what the clocks show, minute by minute, in every
// zone of the tz database. Changes that are alike are looked at once.
func TestTimesAtEveryChangeOfEveryZone(t *testing.T) {
	names, err := os.ReadFile("../../schedule/testdata/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for name := range strings.Lines(string(names)) {
		zone, err := time.LoadLocation(strings.TrimSpace(name))
		if err != nil {
			t.Fatal(err)
		}
		_, at := time.Date(1996, 11, 1, 0, 0, 0, 0, zone).ZoneBounds()
		for ; !at.IsZero() && at.Before(day(2026, 11, 1)); _, at = at.ZoneBounds() {
			_, before := at.Add(-1).Zone()
			_, after := at.Zone()
			key := fmt.Sprint(before, after, at.Format("15:04:05"))
			if before != after && !seen[key] {
				seen[key] = true
				checkTimes(t, zone, at, before)
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d different changes", len(seen))
	}
}

// checkTimes looks at the times from four hours before a change to 26 hours after it: some zones skipped a day.
func checkTimes(t *testing.T, zone *time.Location, change time.Time, before int) {
	t.Helper()
	first := map[int64]int64{} // the first instant that shows a time
	for at := change.Unix() - 60*3600; at < change.Unix()+60*3600; at += 60 {
		_, offset := time.Unix(at, 0).In(zone).Zone()
		if _, known := first[at+int64(offset)]; !known {
			first[at+int64(offset)] = at
		}
	}
	var events []string
	const most, step = 30 * 3600, 900
	for later := range int64(most / step) {
		wall := change.Unix() + int64(before) + step*later - 4*3600
		at, shows := first[wall]
		if !shows {
			at = wall - int64(before)
		}
		events = append(events, strings.Join([]string{"BEGIN:VEVENT", "DTSTART:" + shown(wall), "DURATION:PT1M",
			fmt.Sprint("SUMMARY:", at), "END:VEVENT"}, "\r\n"))
	}
	options := ical.Options{Zone: zone.String(), From: day(2026, 1, 1), To: day(2027, 1, 1)}
	calendar, err := ical.Read(strings.NewReader(calendar(events...)), options)
	if err != nil || len(calendar.Events) != len(events) {
		t.Fatalf("%v: %d events, want %d; %v", zone, len(calendar.Events), len(events), err)
	}
	for _, e := range calendar.Events {
		if got := fmt.Sprint(e.Start.Unix()); got != e.Name {
			t.Errorf("%v: %v is %s, want %s", change, e.Start, got, e.Name)
		}
	}
}
