package lint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/schedule"
)

// inUTC returns the schedules that an advice has.
func inUTC(text, zone string, now time.Time) (schedules []string) {
	for i, part := range strings.Split(lint.InUTC(text, zone, now), `"`) {
		if i%2 == 1 {
			schedules = append(schedules, part)
		}
	}
	return schedules
}

func TestAScheduleOfAZoneIsGivenInUTC(t *testing.T) {
	for _, c := range []struct {
		text, zone string
		want       []string
	}{
		{"0 9 * * mon-fri", "Europe/Berlin", []string{"0 8 * * mon,tue,wed,thu,fri"}},
		{"30 22 * * *", "America/New_York", []string{"30 3 * * *"}},
		{"0 20 * * fri", "America/Los_Angeles", []string{"0 4 * * sat"}},
		{"0 3 * * mon,thu", "Asia/Tokyo", []string{"0 18 * * wed,sun"}},
		{"0 9 * * *", "Asia/Kolkata", []string{"30 3 * * *"}},
		{"0 9,17 * * sun", "Europe/Berlin", []string{"0 8 * * sun", "0 16 * * sun"}},
		{"0 9 1 * *", "Europe/Berlin", nil},
		{"0 9 * 12 *", "Europe/Berlin", nil},
		{"0 9 * * *", "Europe/Berlln", nil},
		{"nine", "Europe/Berlin", nil},
		{"@daily", "Europe/Berlin", nil},
		{"* * * * *", "Europe/Berlin", nil},
	} {
		if got := inUTC(c.text, c.zone, lintNow); !slices.Equal(got, c.want) {
			t.Errorf("%s in %s: %q, want %q", c.text, c.zone, got, c.want)
		}
	}
}

// In UTC, it hits at the same times, up to the change of the clocks.
func TestAScheduleInUTCHitsAtTheSameTimes(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "America/St_Johns", "Africa/Accra"} {
		for _, text := range []string{"0 9 * * mon-fri", "59 23 * * sun", "0 0 * * *", "15 5,22 * * tue,sat"} {
			for _, day := range []int{0, 6} {
				now := lintNow.AddDate(0, 0, day).Add(5 * time.Hour)
				want, _ := schedule.Parse(text, time.Minute, zone)
				var windows []schedule.Window
				for _, one := range inUTC(text, zone, now) {
					w, _ := schedule.Parse(one, time.Minute, "")
					windows = append(windows, w)
				}
				got := schedule.Union(windows...)
				for at := now; at.Before(now.AddDate(0, 0, 8)); at = at.Add(time.Minute) {
					if is, should := schedule.InWindow(got, at), schedule.InWindow(want, at); is != should {
						t.Fatalf("%s in %s at %s: %t, want %t", text, zone, at, is, should)
					}
				}
			}
		}
	}
}
