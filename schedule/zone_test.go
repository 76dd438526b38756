package schedule_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
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

// TestEveryChangeOfEveryZone compares each change of a clock in 30 years with the minute-by-minute oracle, in every
// zone of the tz database. Changes that are the same in several zones are looked at once.
func TestEveryChangeOfEveryZone(t *testing.T) {
	t.Parallel()
	from, to := time.Date(1996, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	seen := map[change]bool{}
	for name := range strings.Lines(zoneNames(t)) {
		zone, err := time.LoadLocation(strings.TrimSpace(name))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range changes(zone, from, to) {
			if seen[c] || testing.Short() && i%50 != 0 {
				continue
			}
			seen[c] = true
			checkChange(t, zone, c)
		}
	}
	if len(seen) < 100 {
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
