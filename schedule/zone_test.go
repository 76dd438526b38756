package schedule_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/disruptkit/disruptkit/schedule"
)

// A change is the moment at which a zone moves its clocks.
type change struct {
	at            time.Time
	before, after int // seconds east of UTC
}

// zoneNames returns the names of all zones of the tz database, one a line.
func zoneNames(t *testing.T) string {
	t.Helper()
	names, err := os.ReadFile("testdata/zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(names)
}

func changes(zone *time.Location, from, to time.Time) []change {
	var found []change
	for at := from; ; {
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() || !end.Before(to) {
			return found
		}
		_, before := end.Add(-1).In(zone).Zone()
		_, after := end.In(zone).Zone()
		if before != after {
			found = append(found, change{end.UTC(), before, after})
		}
		at = end
	}
}

// TestEveryChangeOfEveryZone compares changes of a clock in 30 years with the minute-by-minute oracle, in every zone of the tz database:
// one of those that differ in their dates alone, or all with EXHAUSTIVE=1.
func TestEveryChangeOfEveryZone(t *testing.T) {
	t.Parallel()
	from, to := time.Date(1996, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for name := range strings.Lines(zoneNames(t)) {
		zone, err := time.LoadLocation(strings.TrimSpace(name))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range changes(zone, from, to) {
			key := fmt.Sprint(c.before, c.after, c.at.In(zone).Format("15:04:05"))
			if os.Getenv("EXHAUSTIVE") != "" {
				key = fmt.Sprint(c)
			}
			if seen[key] || testing.Short() && i%50 != 0 {
				continue
			}
			seen[key] = true
			checkChange(t, zone, c)
		}
	}
	if !testing.Short() && len(seen) < 100 {
		t.Errorf("only %d changes found", len(seen))
	}
	t.Logf("%d different changes", len(seen))
}

func checkChange(t *testing.T, zone *time.Location, c change) {
	t.Helper()
	shift := time.Duration(c.after-c.before) * time.Second
	// The wall clock in the middle of what is skipped or repeated.
	middle := c.at.Add(time.Duration(c.before)*time.Second + shift/2)
	for _, w := range []struct {
		expr string
		d    time.Duration
	}{
		{"*/20 * * * *", 15 * time.Minute},
		{fmt.Sprintf("%d %d * * *", middle.Minute(), middle.Hour()), time.Hour},
		{fmt.Sprintf("%d %d * * %d", middle.Minute(), middle.Hour(), middle.Weekday()), 90 * time.Minute},
		{"0 0 * * *", 24 * time.Hour},
		{"0 0-22 * * *", time.Hour},
	} {
		spec, err := cron.ParseStandard(w.expr)
		if err != nil {
			t.Fatal(err)
		}
		around := shift.Abs() + 2*time.Hour
		wallOracle{spec.(*cron.SpecSchedule), zone}.agree(t, w.expr, w.d, c.at.Add(-around), c.at.Add(around+w.d))
	}
}

func TestZonesThatMoveTheirClocks(t *testing.T) {
	for _, c := range []struct {
		name, cron string
		d          time.Duration
		zone       string
		at         string
		open       bool
		start, end string
	}{
		{"a window that opens in the hour that is skipped opens at the end of it", "30 2 * * *", time.Hour,
			"America/New_York", "2026-03-08T07:00:00Z", true, "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"},
		{"a window that opens in the hour that is repeated opens twice", "30 1 * * *", 30 * time.Minute,
			"America/New_York", "2026-11-01T06:45:00Z", true, "2026-11-01T06:30:00Z", "2026-11-01T07:00:00Z"},
		{"a day of 25 hours is not covered by a window of 24 hours", "0 0 * * *", 24 * time.Hour,
			"America/New_York", "2026-11-02T04:30:00Z", false, "2026-11-02T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"a day of 23 hours is covered by a window of 24 hours from one autumn to the next", "0 0 * * *", 24 * time.Hour,
			"America/New_York", "2026-03-08T12:00:00Z", true, "2025-11-03T05:00:00Z", "2026-11-02T04:00:00Z"},
		{"a Sunday of 25 hours is too long for every minute of the other days", "* * * * mon-sat", 24*time.Hour + time.Minute,
			"America/New_York", "2026-11-02T04:59:59Z", false, "2026-11-02T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"an hour that is not named is repeated in Havana", "* 1-23 * * *", 61 * time.Minute,
			"America/Havana", "2026-11-01T05:30:00Z", false, "2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"},
		{"half an hour is repeated on Lord Howe Island", "0 * * * *", time.Hour,
			"Australia/Lord_Howe", "2026-04-04T15:15:00Z", false, "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z"},
		{"the repeated half an hour is closed also where hits of a day join", "0 0-12 * * *", time.Hour,
			"Australia/Lord_Howe", "2026-04-04T14:30:00Z", true, "2026-04-04T13:00:00Z", "2026-04-04T15:00:00Z"},
		{"the minute that follows 28 seconds after six minutes are skipped", "0-30,50 0 * * *", time.Minute,
			"Europe/Berlin", "1893-03-31T23:06:40Z", true, "1893-03-31T23:06:32Z", "1893-03-31T23:31:00Z"},
		{"the minutes before it join the one that was skipped", "0-30,50 0 * * *", time.Minute,
			"Europe/Berlin", "1893-03-31T23:08:00Z", true, "1893-03-31T23:06:32Z", "1893-03-31T23:31:00Z"},
		{"the summer time of Shanghai in 1986 is foreseen from 1955 on", "@daily", 24 * time.Hour,
			"Asia/Shanghai", "1955-01-01T00:00:00Z", true, "1949-05-27T16:00:00Z", "1986-09-14T15:00:00Z"},
		{"a change of 1945 is found from 2010 on, since the last one is less than 40 years ago", "@daily", 24 * time.Hour,
			"Asia/Singapore", "2010-01-01T00:00:00Z", true, "1945-09-11T16:30:00Z", ""},
		{"and no longer from 2026 on", "@daily", 24 * time.Hour,
			"Asia/Singapore", "2026-11-20T00:00:00Z", true, "", ""},
		{"minutes began at other seconds in Berlin before 1893", "* * * * *", 10 * time.Second,
			"Europe/Berlin", "1890-01-01T00:00:32Z", true, "1890-01-01T00:00:32Z", "1890-01-01T00:00:42Z"},
		{"half an hour is skipped on Lord Howe Island", "15 2 * * sun", time.Hour,
			"Australia/Lord_Howe", "2026-10-03T15:30:00Z", true, "2026-10-03T15:30:00Z", "2026-10-03T16:30:00Z"},
		{"midnight is skipped in Santiago", "0 0 * * *", time.Hour,
			"America/Santiago", "2026-09-06T04:30:00Z", true, "2026-09-06T04:00:00Z", "2026-09-06T05:00:00Z"},
		{"midnight is skipped in Cairo", "0 0 * * fri", time.Hour,
			"Africa/Cairo", "2026-04-23T22:00:00Z", true, "2026-04-23T22:00:00Z", "2026-04-23T23:00:00Z"},
		{"a whole day is skipped in Apia, and its noon happens at the next midnight", "0 12 * * fri", time.Hour,
			"Pacific/Apia", "2011-12-30T10:00:00Z", true, "2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z"},
		{"what follows the skipped day does not join what happens at the end of it", "0 12,13 * * fri,sat", time.Hour,
			"Pacific/Apia", "2011-12-30T10:00:00Z", true, "2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z"},
		{"every minute of the skipped day happens at once", "* * * * fri", time.Minute,
			"Pacific/Apia", "2011-12-30T10:00:00Z", true, "2011-12-30T10:00:00Z", "2011-12-30T10:01:00Z"},
		{"both times of a repeated hour make one span when Casablanca leaves its summer time for Ramadan", "30 2 * * *", time.Hour,
			"Africa/Casablanca", "2026-02-15T02:45:00Z", true, "2026-02-15T01:30:00Z", "2026-02-15T03:30:00Z"},
		{"every minute of a zone with summer time is always open", "* * * * *", time.Minute,
			"Europe/Berlin", "2026-11-20T00:00:00Z", true, "", ""},
		{"a zone with summer time far in the future", "30 2 * * *", time.Hour,
			"America/New_York", "2096-12-31T12:00:00Z", false, "2096-12-31T08:30:00Z", "2097-01-01T07:30:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := schedule.MustParse(c.cron, c.d, c.zone)
			at := parseTime(t, c.at)
			open, span := w.State(at)
			want := schedule.Span{Start: parseTime(t, c.start), End: parseTime(t, c.end)}
			if open != c.open || span != want || schedule.InWindow(w, at) != c.open {
				t.Errorf("%v at %s: %t %v, want %t %v", w, c.at, open, span, c.open, want)
			}
		})
	}
}

func parseTime(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.UTC()
}
