package manifest_test

import (
	"io"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/schedule"
)

// The team's review is on Mondays at 09:00 in Berlin, for ever.
func TestCalendarsAreReadForAYearAndUntilTheEnd(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name       string
		end        time.Time
		known, not time.Time // Mondays
	}{
		{"a year and a week", now, time.Date(2027, 11, 22, 8, 30, 0, 0, time.UTC), time.Date(2027, 12, 6, 8, 30, 0, 0, time.UTC)},
		{"until an end that is later", now.AddDate(2, 0, 0), time.Date(2028, 11, 13, 8, 30, 0, 0, time.UTC), time.Date(2028, 11, 27, 8, 30, 0, 0, time.UTC)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p manifest.Policy
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			flags.SetOutput(io.Discard)
			p.PoolFlags(flags)
			if err := flags.Parse([]string{"--engine", "disruptkit", "--calendar", "../ical/testdata/team.ics"}); err != nil {
				t.Fatal(err)
			}
			if err := p.ReadCalendars("", now, c.end); err != nil {
				t.Fatal(err)
			}
			w, there := p.Calendars["team"]
			if !there || !schedule.InWindow(w, c.known) || schedule.InWindow(w, c.not) {
				t.Errorf("of %d calendars, team is open on %v: %t, and on %v: %t", len(p.Calendars), c.known, schedule.InWindow(w, c.known), c.not, schedule.InWindow(w, c.not))
			}
		})
	}
}

func TestACalendarNeedsANameOfItsOwn(t *testing.T) {
	const team = "../ical/testdata/team.ics"
	for _, c := range []struct {
		calendars []string
		want      string
	}{
		{[]string{team, "team=" + team}, "--calendar team=" + team + `: another calendar is called "team": write a name of its own, such as freeze=` + team},
		{[]string{"=" + team}, "--calendar =" + team + ": it has no name: write one, such as freeze=" + team},
		{[]string{".ics"}, "--calendar .ics: it has no name: write one, such as freeze=.ics"},
	} {
		var p manifest.Policy
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		p.PoolFlags(flags)
		for _, calendar := range c.calendars {
			if err := flags.Set("calendar", calendar); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.ReadCalendars("", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), time.Time{}); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v", c.calendars, err)
		}
	}
}
