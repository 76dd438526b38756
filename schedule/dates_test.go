package schedule_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A window of dates is open exactly in its spans, whatever their order, and whether they overlap or not.
func TestDatesAreOpenInTheirSpansAndAtNoOtherTime(t *testing.T) {
	check(t, func(t *rapid.T) {
		spans := rapid.SliceOfN(testkit.Arbitrary(generate.Span), 0, 5).Draw(t, "spans")
		w := schedule.Dates(spans...)
		for _, at := range instants(spans) {
			want := slices.ContainsFunc(spans, func(s schedule.Span) bool { return s.Contains(at) })
			if got := schedule.InWindow(w, at); got != want {
				t.Fatalf("%v at %v: %t", w, at, got)
			}
		}
	})
}

// instants returns the bounds of spans, and the times just before them.
func instants(spans []schedule.Span) []time.Time {
	all := []time.Time{time.Unix(1<<61, 0), time.Unix(-1<<61, 0)}
	for _, s := range spans {
		for _, bound := range []time.Time{s.Start, s.End} {
			if !bound.IsZero() {
				all = append(all, bound, bound.Add(-1))
			}
		}
	}
	return all
}

func TestTheTextOfDates(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name  string
		spans []schedule.Span
		want  string
	}{
		{"nothing", nil, "never"},
		{"a span that is empty", []schedule.Span{{Start: day(2), End: day(2)}, {Start: day(3), End: day(2)}}, "never"},
		{"all time", []schedule.Span{{}}, "always"},
		{"all time, in two spans", []schedule.Span{{Start: day(2)}, {End: day(2)}}, "always"},
		{"two spans", []schedule.Span{{Start: day(5), End: day(6)}, {Start: day(2), End: day(3)}}, "2026-12-02T00:00:00Z to 2026-12-03T00:00:00Z, 2026-12-05T00:00:00Z to 2026-12-06T00:00:00Z"},
		{"two spans that touch", []schedule.Span{{Start: day(3), End: day(4)}, {Start: day(2), End: day(3)}}, "2026-12-02T00:00:00Z to 2026-12-04T00:00:00Z"},
		{"a span inside another", []schedule.Span{{Start: day(3), End: day(4)}, {Start: day(2), End: day(9)}}, "2026-12-02T00:00:00Z to 2026-12-09T00:00:00Z"},
		{"no end", []schedule.Span{{Start: day(2)}, {Start: day(5), End: day(6)}}, "from 2026-12-02T00:00:00Z on"},
		{"no beginning", []schedule.Span{{End: day(2)}}, "up to 2026-12-02T00:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := schedule.Dates(c.spans...).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	var many []schedule.Span
	for i := range 1000 {
		many = append(many, schedule.Span{Start: day(2 * i), End: day(2*i + 1)})
	}
	if text := schedule.Dates(many...).String(); strings.Count(text, " to ") != 20 || !strings.HasSuffix(text, ", …") {
		t.Errorf("of a thousand spans: %s", text)
	}
}

func TestParseDatesSaysWhatToWriteInstead(t *testing.T) {
	const form = ": write a day such as 2026-12-23, or a time such as 2026-12-23T18:00:00+01:00"
	for _, c := range []struct{ name, from, to, zone, want string }{
		{"nothing", "", "", "", `dates have neither a first nor a last day: write at least one, such as "2026-12-23"`},
		{"30 February", "2026-02-30", "", "", `date "2026-02-30" does not exist` + form},
		{"a 25th hour", "", "2026-02-03T25:00:00Z", "", `date "2026-02-03T25:00:00Z" does not exist` + form},
		{"a leap second", "2016-12-31T23:59:60Z", "", "", `date "2016-12-31T23:59:60Z" is a leap second, which computers do not count: write the second after it`},
		{"the year 10000", "10000-01-01", "", "", `date "10000-01-01" is not valid` + form},
		{"the year 1", "0001-01-01", "", "", `date "0001-01-01" is too long ago` + form},
		{"a time without an offset", "2026-12-23T18:00:00", "", "", `date "2026-12-23T18:00:00" is not valid` + form},
		{"a time with a space", "2026-12-23 18:00", "", "", `date "2026-12-23 18:00" is not valid` + form},
		{"a hour of one digit", "2026-12-23T8:00:00Z", "", "", `date "2026-12-23T8:00:00Z" is not valid` + form},
		{"a holiday by its name", "Christmas", "New Year", "", `date "Christmas" is not valid` + form + "\n" + `date "New Year" is not valid` + form},
		{"an unknown zone", "2026-12-23", "", "Mars", `time zone "Mars" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`},
		{"the last day before the first", "2026-12-23", "2026-12-22", "", `dates from "2026-12-23" to "2026-12-22" cover no time: write a later end`},
		{"no time between two times", "2026-12-23T18:00:00+01:00", "2026-12-23T17:00:00Z", "", `dates from "2026-12-23T18:00:00+01:00" to "2026-12-23T17:00:00Z" cover no time: write a later end`},
		{"the day that Samoa skipped", "2011-12-30", "2011-12-30", "Pacific/Apia", `dates from "2011-12-30" to "2011-12-30" cover no time: write a later end`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := schedule.ParseDates(c.from, c.to, c.zone)
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if open, until := w.Until(parseTime(t, "2026-12-23T12:00:00Z")); open || !until.IsZero() {
				t.Errorf("it is open: %t, until %v", open, until)
			}
		})
	}
}

func TestParseDatesIncludesBothDays(t *testing.T) {
	for _, c := range []struct{ from, to, zone, text, start, end string }{
		{"2026-12-23", "2027-01-02", "Europe/Berlin", "2026-12-23 to 2027-01-02, Europe/Berlin", "2026-12-22T23:00:00Z", "2027-01-02T23:00:00Z"},
		{"2026-12-23", "2026-12-23", "", "2026-12-23 to 2026-12-23, UTC", "2026-12-23T00:00:00Z", "2026-12-24T00:00:00Z"},
		{"2026-12-23T18:00:00+01:00", "2027-01-02", "Europe/Berlin", "2026-12-23T18:00:00+01:00 to 2027-01-02, Europe/Berlin", "2026-12-23T17:00:00Z", "2027-01-02T23:00:00Z"},
		{"2026-12-23T18:00:00+01:00", "2027-01-02T06:00:00Z", "", "2026-12-23T18:00:00+01:00 to 2027-01-02T06:00:00Z", "2026-12-23T17:00:00Z", "2027-01-02T06:00:00Z"},
		{"2026-12-23", "", "Asia/Kathmandu", "from 2026-12-23 on, Asia/Kathmandu", "2026-12-22T18:15:00Z", ""},
		{"", "2026-12-23", "America/New_York", "up to 2026-12-23, America/New_York", "", "2026-12-24T05:00:00Z"},
		{"9999-12-31", "9999-12-31", "", "9999-12-31 to 9999-12-31, UTC", "9999-12-31T00:00:00Z", "10000-01-01T00:00:00Z"},
		{"2026-09-06", "2026-09-06", "America/Santiago", "2026-09-06 to 2026-09-06, America/Santiago", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"}, // its midnight is skipped
	} {
		w, err := schedule.ParseDates(c.from, c.to, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var ends schedule.Span
		for _, at := range []string{c.start, c.end} {
			if at == "" {
				continue
			}
			bound, err := time.Parse(time.RFC3339, strings.Replace(at, "10000-01-01T00:00:00", "9999-12-31T23:59:59", 1))
			if err != nil {
				t.Fatal(err)
			}
			if _, span := w.State(bound.Add(-time.Second)); at == c.start {
				ends.Start = span.End
			}
			if open, span := w.State(bound.Add(-time.Second)); at != c.start && open {
				ends.End = span.End
			}
		}
		for _, bound := range []time.Time{ends.Start, ends.End} {
			if bound.IsZero() {
				got = append(got, "")
			} else {
				got = append(got, bound.Format(time.RFC3339))
			}
		}
		if want := []string{c.start, c.end}; !slices.Equal(got, want) || w.String() != c.text {
			t.Errorf("%v: got %v, want %v", w, got, want)
		}
	}
}

// Package time ends some years a day too early where it goes by a zone's rule.
func TestTheLastDaysOfLeapYearsHaveAnEnd(t *testing.T) {
	for year := 2026; year < 2126; year++ {
		for _, zone := range []string{"Europe/Berlin", "America/Santiago", "Africa/Cairo"} {
			for day := 29; day <= 31; day++ {
				text := fmt.Sprintf("%d-12-%d", year, day)
				if w, err := schedule.ParseDates(text, text, zone); err != nil {
					t.Error(w, err)
				}
			}
		}
	}
}

// TestDaysAtEveryChangeOfEveryZone compares the days around each change of a clock in 30 years with what the clocks show, minute by
// minute, in every zone of the tz database.
func TestDaysAtEveryChangeOfEveryZone(t *testing.T) {
	t.Parallel()
	from, to := time.Date(1996, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for name := range strings.Lines(zoneNames(t)) {
		zone, err := time.LoadLocation(strings.TrimSpace(name))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range changes(zone, from, to) {
			midnight := c.at.In(zone).Truncate(time.Second)
			key := fmt.Sprint(c.before, c.after, midnight.Format("15:04:05")) // days are alike but for their date
			if seen[key] && (os.Getenv("EXHAUSTIVE") == "" || i%50 != 0) || testing.Short() && i%50 != 0 {
				continue
			}
			seen[key] = true
			checkDays(t, zone, c)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d different changes", len(seen))
	}
	t.Logf("%d different changes", len(seen))
}

// checkDays checks all windows of up to three days that include a day next to the change.
func checkDays(t *testing.T, zone *time.Location, c change) {
	t.Helper()
	type minute struct {
		at    time.Time
		shown string
	}
	var minutes []minute
	for at := c.at.Add(-50 * time.Hour); at.Before(c.at.Add(50 * time.Hour)); at = at.Add(time.Minute) {
		minutes = append(minutes, minute{at, at.In(zone).Format(time.DateOnly)})
	}
	first := c.at.Add(time.Duration(min(c.before, c.after))*time.Second - 24*time.Hour).UTC()
	for i := range 4 {
		for days := range 3 {
			from, to := first.AddDate(0, 0, i).Format(time.DateOnly), first.AddDate(0, 0, i+days).Format(time.DateOnly)
			w, err := schedule.ParseDates(from, to, zone.String())
			if err != nil && !strings.Contains(err.Error(), "cover no time") {
				t.Fatal(err)
			}
			for _, m := range minutes {
				if open := schedule.InWindow(w, m.at); open != (from <= m.shown && m.shown <= to) {
					t.Fatalf("%v is open at %v: %t", w, m.at.In(zone), open)
				}
			}
		}
	}
}
