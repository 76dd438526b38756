package ical_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/examples/ical"
	"github.com/disruptkit/disruptkit/schedule"
)

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// The files are as calendars export them: with lines that end in CRLF, and are folded.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		file, zone string
		name       string
		want       []string
	}{
		{"germany.ics", "Europe/Berlin", "Feiertage in Deutschland", []string{
			"2026-12-24T23:00Z 2026-12-25T23:00Z Erster Weihnachtstag", "2026-12-25T23:00Z 2026-12-26T23:00Z Zweiter Weihnachtstag",
			"2026-12-31T23:00Z 2027-01-01T23:00Z Neujahr", "2027-03-25T23:00Z 2027-03-26T23:00Z Karfreitag"}},
		{"us.ics", "", "Holidays in United States", []string{"2026-11-26T00:00Z 2026-11-27T00:00Z Thanksgiving Day",
			"2026-12-25T00:00Z 2026-12-26T00:00Z Christmas Day", "2027-01-01T00:00Z 2027-01-02T00:00Z New Year's Day"}},
		{"japan.ics", "Asia/Tokyo", "日本の祝日", []string{"2026-01-11T15:00Z 2026-01-12T15:00Z 成人の日", "2026-11-22T15:00Z 2026-11-23T15:00Z 勤労感謝の日",
			"2026-12-31T15:00Z 2027-01-01T15:00Z 元日", "2027-01-10T15:00Z 2027-01-11T15:00Z 成人の日"}},
		{"team.ics", "", "Team", []string{
			"2026-10-05T07:00Z 2026-10-05T09:00Z Release review, live",         // in summer time
			"2026-10-19T07:00Z 2026-10-19T09:00Z Release review, live",         // the 12th is an exception
			"2026-10-27T12:00Z 2026-10-27T13:00Z Release review, live (moved)", // of the 26th
			"2026-11-02T08:00Z 2026-11-02T10:00Z Release review, live",
			"2026-11-16T08:00Z 2026-11-16T10:00Z Release review, live", // the 9th is an exception, too
			"2026-11-18T18:00Z 2026-11-18T19:30Z Launch with a name that is so long that it does not fit on the line",
			"2026-11-19T23:00Z 2026-11-22T23:00Z Freeze",
			"2026-11-23T08:00Z 2026-11-23T10:00Z Release review, live",
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			file, err := os.ReadFile("testdata/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			o := ical.Options{Zone: c.zone, From: day(2026, 11, 1), To: day(2027, 2, 1)}
			if c.file == "team.ics" {
				o.To = day(2026, 11, 24)
			}
			calendar, err := ical.Read(bytes.NewReader(file), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			const form = "2006-01-02T15:04Z"
			for _, e := range calendar.Events {
				got = append(got, fmt.Sprintf("%s %s %s", e.Start.UTC().Format(form), e.End.UTC().Format(form), e.Name))
			}
			if diff := cmp.Diff(c.want, got); diff != "" || calendar.Name != c.name {
				t.Error(calendar.Name, diff)
			}
			for _, e := range calendar.Events {
				if w := calendar.Window(); !schedule.InWindow(w, e.Start) || !schedule.InWindow(w, e.End.Add(-1)) {
					t.Errorf("%v is not open for %v", w, e)
				}
			}
		})
	}
}

func TestWhenEventsTakePlace(t *testing.T) {
	for _, c := range []struct {
		name, zone string
		lines      []string
		want       string
	}{
		{"a day that ends on itself takes that day", "UTC", []string{"DTSTART;VALUE=DATE:20261121", "DTEND;VALUE=DATE:20261121"}, "2026-11-21T00:00:00Z to 2026-11-22T00:00:00Z"},
		{"two days by their duration", "UTC", []string{"DTSTART;VALUE=DATE:20261121", "DURATION:P2D"}, "2026-11-21T00:00:00Z to 2026-11-23T00:00:00Z"},
		{"a period has a duration of its own", "UTC", []string{"DTSTART:20261120T090000Z", "DTEND:20261120T100000Z", "RDATE;VALUE=PERIOD:20261121T090000Z/PT5H"},
			"2026-11-20T09:00:00Z to 2026-11-20T10:00:00Z, 2026-11-21T09:00:00Z to 2026-11-21T14:00:00Z"},
		{"a period has an end of its own, and needs no other", "UTC", []string{"DTSTART:20261120T090000Z", "RDATE;VALUE=PERIOD:20261121T090000Z/20261121T110000Z,20261122T090000Z/PT1H"},
			"2026-11-21T09:00:00Z to 2026-11-21T11:00:00Z, 2026-11-22T09:00:00Z to 2026-11-22T10:00:00Z"},
		{"UNTIL is a time of the zone", "America/New_York", []string{"DTSTART:20261124T200000", "DTEND:20261124T230000", "RRULE:FREQ=DAILY;UNTIL=20261125T200000"},
			"2026-11-25T01:00:00Z to 2026-11-25T04:00:00Z, 2026-11-26T01:00:00Z to 2026-11-26T04:00:00Z"},
		{"a day on which it does not take place, as the clocks of its zone show it", "America/New_York", []string{"DTSTART:20261124T200000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2", "EXDATE;VALUE=DATE:20261124"},
			"2026-11-26T01:00:00Z to 2026-11-26T02:00:00Z"},
		{"every other hour, at some hours", "UTC", []string{"DTSTART:20261124T090000Z", "DURATION:PT1H", "RRULE:FREQ=HOURLY;INTERVAL=2;BYHOUR=10,13;UNTIL=20261125T000000Z"},
			"2026-11-24T09:00:00Z to 2026-11-24T10:00:00Z, 2026-11-24T13:00:00Z to 2026-11-24T14:00:00Z"},
		{"UNTIL is a day, and the last one", "UTC", []string{"DTSTART:20261124T200000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;UNTIL=20261125"},
			"2026-11-24T20:00:00Z to 2026-11-24T21:00:00Z, 2026-11-25T20:00:00Z to 2026-11-25T21:00:00Z"},
		{"whole days up to a time in UTC, when it is the next day in the zone", "Europe/Berlin", []string{"DTSTART;VALUE=DATE:20261124", "RRULE:FREQ=DAILY;UNTIL=20261124T230000Z"},
			"2026-11-23T23:00:00Z to 2026-11-25T23:00:00Z"},
		{"a day that the zone skipped", "Pacific/Apia", []string{"DTSTART;VALUE=DATE:20111229", "DTEND;VALUE=DATE:20111231"}, "2011-12-29T10:00:00Z to 2011-12-30T10:00:00Z"},
		{"only a day that the zone skipped", "Pacific/Apia", []string{"DTSTART;VALUE=DATE:20111230"}, "never"},
		{"no time at all", "UTC", []string{"DTSTART:20261120T090000Z"}, "never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			calendar, err := ical.Read(strings.NewReader(event(c.lines...)), ical.Options{Zone: c.zone, From: day(2011, 1, 1), To: day(2028, 1, 1)})
			if got := calendar.Window().String(); got != c.want || err != nil {
				t.Errorf("got %s, want %s; %v", got, c.want, err)
			}
		})
	}
}

// event returns a calendar of one event with some lines.
func event(lines ...string) string {
	return strings.Join(append(append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20261101T120000Z", "SUMMARY:e"},
		lines...), "END:VEVENT", "END:VCALENDAR", ""), "\r\n")
}

func TestWhatIsNotUnderstoodRefusesTheFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "there is no calendar in it: an iCalendar file begins with BEGIN:VCALENDAR"},
		{"a web page", "<!doctype html>", "it is not an iCalendar file: "},
		{"10 MB", strings.Repeat("X", 10<<20+1), "the calendar is larger than 10 MB: export fewer events"},
		{"a zone that nobody knows", event("DTSTART;TZID=W. Europe Standard Time:20261224T090000", "DURATION:PT1H"),
			`event "e": time zone "W. Europe Standard Time" is not in the tz database: export the calendar with names such as Europe/Berlin`},
		{"the zone of the host", event("DTSTART;TZID=Local:20261224T090000", "DURATION:PT1H"), `event "e": time zone "Local" is not in the tz database`},
		{"30 February", event("DTSTART;VALUE=DATE:20260230"), `event "e": DTSTART "20260230" is not a date or time of a calendar: write one such as 20261224, or 20261224T180000Z`},
		{"no start", event("DTEND:20261224T090000Z"), `event "e": it has no DTSTART`},
		{"an end before the start", event("DTSTART:20261224T090000Z", "DTEND:20261224T080000Z"), `event "e": DTEND "20261224T080000Z" is before DTSTART "20261224T090000Z": write a later end`},
		{"a day that ends at a time", event("DTSTART;VALUE=DATE:20261124", "DTEND:20261124T180000Z"), `event "e": DTSTART "20261124" and DTEND "20261124T180000Z" are a day and a time: write two days, or two times`},
		{"half a day", event("DTSTART;VALUE=DATE:20261121", "DURATION:PT12H"), `event "e": DTSTART "20261121" is a day, and DURATION "PT12H" is no number of days: write one such as P1D`},
		{"a negative duration", event("DTSTART:20261121T100000Z", "DURATION:-PT1H"), `event "e": DURATION "-PT1H" is not a duration of a calendar: write one such as PT2H, or P1D`},
		{"a period that ends before it begins", event("DTSTART:20261121T100000Z", "RDATE;VALUE=PERIOD:20261122T100000Z/20261122T090000Z"), `event "e": RDATE "20261122T100000Z/20261122T090000Z" is a period that takes no time: write a later end`},
		{"a time at which whole days do not recur", event("DTSTART;VALUE=DATE:20261121", "RRULE:FREQ=DAILY", "EXDATE:20261122T000000Z"), `event "e": EXDATE "20261122T000000Z" is a time, and DTSTART a day: write days for an event of whole days`},
		{"a date that recurs at a time", event("DTSTART;VALUE=DATE:20261121", "RDATE:20261122T100000Z"), `event "e": RDATE "20261122T100000Z" and DTSTART are a day and a time: `},
		{"an event that moves all later ones", event("DTSTART:20261101T200000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261115T200000Z"), `event "e": RECURRENCE-ID with RANGE=THISANDFUTURE moves later events, too, which is not understood: export each event of its own`},
		{"a rule for exceptions", event("DTSTART:20261101T200000Z", "EXRULE:FREQ=DAILY"), `event "e": EXRULE "FREQ=DAILY" is not understood, and no longer part of iCalendar: write EXDATE`},
		{"a calendar that is cut off", strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a second calendar that is cut off", event("DTSTART:20261101T200000Z") + strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a second calendar that begins within the first", strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n") + event("DTSTART:20261101T200000Z"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a line that is cut off", event("DTSTART;VALUE=DATE"), `it is not an iCalendar file: line "DTSTART;VALUE=DATE" is not in the form NAME:value, or NAME;PARAMETER=value:value`},
		{"no times", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=0"), `event "e": RRULE "FREQ=DAILY;COUNT=0" has COUNT=0: write a number from 1 to 100000`},
		{"hours that never come", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=HOURLY;INTERVAL=2;BYHOUR=10"), `event "e": RRULE "FREQ=HOURLY;INTERVAL=2;BYHOUR=10" never recurs: steps of 2 hours from 09:00 reach no hour of BYHOUR`},
		{"one of one time of each hour", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=HOURLY;BYSETPOS=2"), `event "e": RRULE "FREQ=HOURLY;BYSETPOS=2" recurs hourly with BYSETPOS, which is not understood: write BYMINUTE`},
		{"every so many years that no number has them", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;INTERVAL=9223372036854775807"), `event "e": RRULE "FREQ=YEARLY;INTERVAL=9223372036854775807" has INTERVAL=9223372036854775807: write a number from 1 to 100000`},
		{"since the year 1", event("DTSTART:00010101T000000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY"), `event "e": DTSTART "00010101T000000Z" is too long ago: write a year from 0002 on`},
		{"every zeroth day", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;INTERVAL=0"), `event "e": RRULE "FREQ=DAILY;INTERVAL=0" has INTERVAL=0: write a number from 1 to 100000`},
		{"a rule that is none", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=OFTEN"), `event "e": RRULE "FREQ=OFTEN" is not understood (undefined frequency: OFTEN): write one such as FREQ=WEEKLY;BYDAY=MO`},
		{"every second", event("DTSTART:20261224T090000Z", "DURATION:PT1S", "RRULE:FREQ=SECONDLY"), `event "e": RRULE "FREQ=SECONDLY" recurs every minute or second`},
		{"an exception that is none", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "EXDATE:tomorrow"), `event "e": EXDATE "tomorrow" is not a date or time`},
	} {
		t.Run(c.name, func(t *testing.T) {
			calendar, err := ical.Read(strings.NewReader(c.text), ical.Options{From: day(2026, 1, 1), To: day(2028, 1, 1)})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || len(calendar.Events) > 0 {
				t.Errorf("%d events, %v", len(calendar.Events), err)
			}
		})
	}
}

func TestAFileThatIsCutOffAnywhereIsRefused(t *testing.T) {
	file, err := os.ReadFile("testdata/team.ics")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.TrimRight(string(file), "\r\n")
	for n := range len(whole) {
		if calendar, err := ical.Read(strings.NewReader(whole[:n]), ical.Options{From: day(2026, 11, 1), To: day(2026, 11, 24)}); err == nil {
			t.Fatalf("%d events of the first %d bytes, which end with %q", len(calendar.Events), n, whole[max(0, n-30):n])
		}
	}
}

// Whatever a file says, its events take some time, or the file is refused.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"germany.ics", "us.ics", "japan.ics", "team.ics"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file))
	}
	f.Add(event("DTSTART;VALUE=DATE:20261121", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYSETPOS=2", "EXDATE;VALUE=DATE:20261121"))
	f.Add(event("DTSTART;TZID=Europe/Berlin:20261121T090000", "DURATION:PT1H", "RDATE;VALUE=PERIOD:20261122T090000Z/PT5H"))
	f.Add(event("DTSTART;VALUE=DATE"))
	f.Fuzz(func(t *testing.T, text string) {
		calendar, err := ical.Read(strings.NewReader(text), ical.Options{From: day(2026, 1, 1), To: day(2027, 1, 1)})
		if err != nil && len(calendar.Events) > 0 {
			t.Errorf("%d events and an error: %v", len(calendar.Events), err)
		}
		for _, e := range calendar.Events {
			if !e.Start.Before(e.End) {
				t.Errorf("%v takes no time", e)
			}
		}
	})
}

func TestEndlessRulesAreLookedAtUpToTheEnd(t *testing.T) {
	for _, c := range []struct {
		rule string
		want int
	}{
		{"FREQ=DAILY", 2 * 365}, // a year before, since what began then may last until now
		{"FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", 0},
		{"FREQ=DAILY;COUNT=3", 0},
		{"FREQ=DAILY;UNTIL=20260105T000000Z", 5 + 365},
	} {
		start := time.Now()
		calendar, err := ical.Read(strings.NewReader(event("DTSTART:19700101T000000Z", "DURATION:PT1H", "RRULE:"+c.rule)), ical.Options{From: day(2026, 1, 1), To: day(2026, 12, 31)})
		if err != nil || len(calendar.Events) < c.want || len(calendar.Events) > c.want+2 || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %d events in %v, %v", c.rule, len(calendar.Events), time.Since(start), err)
		}
	}
}

func TestEventsThatOverlapAreOneSpanOfTheWindow(t *testing.T) {
	text := event("DTSTART:20261224T090000Z", "DURATION:PT3H", "END:VEVENT", "BEGIN:VEVENT", "UID:2", "DTSTAMP:20261101T120000Z", "SUMMARY:f", "DTSTART:20261224T100000Z", "DURATION:PT3H")
	calendar, err := ical.Read(strings.NewReader(text), ical.Options{From: day(2026, 1, 1), To: day(2028, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := calendar.Window().String(), "2026-12-24T09:00:00Z to 2026-12-24T13:00:00Z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	within := schedule.Span{Start: day(2026, 12, 24).Add(12 * time.Hour), End: day(2026, 12, 25)}
	if got := calendar.Window().Events(within); len(got) != 1 || got[0].Name != "f" {
		t.Error(got)
	}
}
