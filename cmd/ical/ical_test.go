package ical_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/cmd/ical"
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
			"2026-11-16T08:00Z 2026-11-16T10:00Z Release review, live", // the 9th is an exception as well
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

// calendar returns a calendar of some lines.
func calendar(lines ...string) string {
	return strings.Join(append(append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x"}, lines...), "END:VCALENDAR", ""), "\r\n")
}

// event returns a calendar of one event with some lines.
func event(lines ...string) string {
	return calendar(append(append([]string{"BEGIN:VEVENT", "UID:1", "DTSTAMP:20261101T120000Z", "SUMMARY:e"}, lines...), "END:VEVENT")...)
}

// An event replaces only an occurrence of the one that it names.
func TestAnEventReplacesOnlyWhatItNames(t *testing.T) {
	for _, c := range []struct{ name, uid, replaces, want string }{
		{"the same UID", "a", "a", "2026-07-01T00:00:00Z to 2026-07-01T01:00:00Z"},
		{"another UID", "a", "b", "both"},
		{"another UID, by what follows a comma", "a,b", "a,c", "both"},
		{"UIDs with a backslash that means nothing", `a\x`, `b\x`, "both"},
		{"no UID", "", "b", "both"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := calendar("BEGIN:VEVENT", "UID:"+c.uid, "DTSTART:20260601T000000Z", "DURATION:PT1H", "END:VEVENT",
				"BEGIN:VEVENT", "UID:"+c.replaces, "RECURRENCE-ID:20260601T000000Z", "DTSTART:20260701T000000Z", "DURATION:PT1H", "END:VEVENT")
			if c.uid == "" {
				text = strings.Replace(text, "UID:\r\n", "", 1)
			}
			if c.want == "both" {
				c.want = "2026-06-01T00:00:00Z to 2026-06-01T01:00:00Z, 2026-07-01T00:00:00Z to 2026-07-01T01:00:00Z"
			}
			calendar, err := ical.Read(strings.NewReader(text), ical.Options{From: day(2026, 1, 1), To: day(2028, 1, 1)})
			if got := calendar.Window().String(); got != c.want || err != nil {
				t.Errorf("got %s, want %s; %v", got, c.want, err)
			}
		})
	}
}

// The name of an event is all of its text.
func TestANameIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		`Freeze\, all teams`: "Freeze, all teams", "Freeze, all teams": "Freeze, all teams", `a\\b\;c\nd`: "a\\b;c\nd", `100 \%`: `100 \%`,
	} {
		file := strings.Replace(event("DTSTART:20260601T000000Z", "DURATION:PT1H"), "SUMMARY:e", "SUMMARY:"+text, 1)
		calendar, err := ical.Read(strings.NewReader(file), ical.Options{From: day(2026, 1, 1), To: day(2028, 1, 1)})
		if err != nil || len(calendar.Events) != 1 || calendar.Events[0].Name != want {
			t.Errorf("%s: %v, %v", text, calendar.Events, err)
		}
	}
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
		{"an end before the start, in another zone", event("DTSTART;TZID=America/New_York:20261224T090000", "DTEND;TZID=Europe/Berlin:20261224T100000"), `event "e": DTEND "20261224T100000" is before DTSTART "20261224T090000": write a later end`},
		{"a day that ends at a time", event("DTSTART;VALUE=DATE:20261124", "DTEND:20261124T180000Z"), `event "e": DTSTART "20261124" and DTEND "20261124T180000Z" are a day and a time: write two days, or two times`},
		{"half a day", event("DTSTART;VALUE=DATE:20261121", "DURATION:PT12H"), `event "e": DTSTART "20261121" is a day, and DURATION "PT12H" is no number of days: write one such as P1D`},
		{"a negative duration", event("DTSTART:20261121T100000Z", "DURATION:-PT1H"), `event "e": DURATION "-PT1H" is not a duration of a calendar: write one such as PT2H, or P1D`},
		{"a period that ends before it begins", event("DTSTART:20261121T100000Z", "RDATE;VALUE=PERIOD:20261122T100000Z/20261122T090000Z"), `event "e": RDATE "20261122T100000Z/20261122T090000Z" is a period that takes no time: write a later end`},
		{"a time at which whole days do not recur", event("DTSTART;VALUE=DATE:20261121", "RRULE:FREQ=DAILY", "EXDATE:20261122T000000Z"), `event "e": EXDATE "20261122T000000Z" is a time, and DTSTART a day: write days for an event of whole days`},
		{"a date that recurs at a time", event("DTSTART;VALUE=DATE:20261121", "RDATE:20261122T100000Z"), `event "e": RDATE "20261122T100000Z" and DTSTART are a day and a time: `},
		{"an event that moves all later ones", event("DTSTART:20261101T200000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20261115T200000Z"), `event "e": RECURRENCE-ID with RANGE=THISANDFUTURE moves later events as well, which is not understood: export each event of its own`},
		{"a rule for exceptions", event("DTSTART:20261101T200000Z", "EXRULE:FREQ=DAILY"), `event "e": EXRULE "FREQ=DAILY" is not understood, and no longer part of iCalendar: write EXDATE`},
		{"a calendar that is cut off", strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a second calendar that is cut off", event("DTSTART:20261101T200000Z") + strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a second calendar that begins within the first", strings.TrimSuffix(event("DTSTART:20261101T200000Z"), "END:VCALENDAR\r\n") + event("DTSTART:20261101T200000Z"), "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"a line that is cut off", event("DTSTART;VALUE=DATE"), `it is not an iCalendar file: line "DTSTART;VALUE=DATE" is not in the form NAME:value, or NAME;PARAMETER=value:value`},
		{"no times", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=0"), `event "e": RRULE "FREQ=DAILY;COUNT=0" has COUNT=0: write a number from 1 to 100000`},
		{"times of a day", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;BYHOUR=9,17"), `event "e": RRULE "FREQ=DAILY;BYHOUR=9,17" has "BYHOUR", which is not understood: write a rule of days, with FREQ, UNTIL, COUNT, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST`},
		{"every hour", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=HOURLY;INTERVAL=2"), `event "e": RRULE "FREQ=HOURLY;INTERVAL=2" recurs within a day, which is not understood: write FREQ=DAILY, or a budget without a calendar`},
		{"every so many years that no number has them", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;INTERVAL=9223372036854775807"), `event "e": RRULE "FREQ=YEARLY;INTERVAL=9223372036854775807" has INTERVAL=9223372036854775807: write a number from 1 to 100000`},
		{"since the year 1", event("DTSTART:00010101T000000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY"), `event "e": DTSTART "00010101T000000Z" is too long ago: write a year from 0002 on`},
		{"every zeroth day", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;INTERVAL=0"), `event "e": RRULE "FREQ=DAILY;INTERVAL=0" has INTERVAL=0: write a number from 1 to 100000`},
		{"a rule that is none", event("DTSTART:20261224T090000Z", "DURATION:PT1H", "RRULE:FREQ=OFTEN"), `event "e": RRULE "FREQ=OFTEN" is not understood (undefined frequency: OFTEN): write one such as FREQ=WEEKLY;BYDAY=MO`},
		{"a list of starts", event("DTSTART:20260601T000000Z,20260701T000000Z", "DURATION:PT1H"), `event "e": DTSTART "20260601T000000Z,20260701T000000Z" is not a date or time of a calendar`},
		{"a start in two zones", event("DTSTART;TZID=Europe/Berlin,America/New_York:20260601T000000"), `event "e": DTSTART has TZID ["Europe/Berlin" "America/New_York"]: write one`},
		{"half a second", event("DTSTART:20261224T180000.5", "DURATION:PT1H"), `event "e": DTSTART "20261224T180000.5" is not a date or time of a calendar`},
		{"two starts", event("DTSTART:20260601T000000Z", "DTSTART:20260701T000000Z", "DURATION:PT1H"), `event "e": it has DTSTART "20260601T000000Z" and "20260701T000000Z": write one`},
		{"two ends", event("DTSTART:20260601T000000Z", "DTEND:20260701T000000Z", "DTEND:20260801T000000Z"), `event "e": it has DTEND "20260701T000000Z" and "20260801T000000Z": write one`},
		{"two durations", event("DTSTART:20260601T000000Z", "DURATION:PT1H", "DURATION:P1D"), `event "e": it has DURATION "PT1H" and "P1D": write one`},
		{"two states", event("DTSTART:20260601T000000Z", "DURATION:PT1H", "STATUS:CANCELLED", "STATUS:CONFIRMED"), `event "e": it has STATUS "CANCELLED" and "CONFIRMED": write one`},
		{"two names", event("UID:2", "DTSTART:20260601T000000Z"), `event "e": it has UID "1" and "2": write one`},
		{"two occurrences replaced by one", event("DTSTART:20260601T000000Z", "RECURRENCE-ID:20260601T000000Z,20260602T000000Z"), `event "e": RECURRENCE-ID "20260601T000000Z,20260602T000000Z" is not a date or time`},
		{"an end and a duration", event("DTSTART:20260601T000000Z", "DTEND:20260601T010000Z", "DURATION:P9D"), `event "e": it has DTEND "20260601T010000Z" and DURATION "P9D": write one of them`},
		{"an occurrence of nobody knows what", calendar("BEGIN:VEVENT", "DTSTART:20260601T000000Z", "RECURRENCE-ID:20260701T000000Z", "END:VEVENT"),
			`event "20260601T000000Z": it has RECURRENCE-ID "20260701T000000Z" and no UID, so that nobody knows what it replaces: write the UID of that event`},
		{"an event in an event", event("DTSTART:20260601T000000Z", "BEGIN:VEVENT", "SUMMARY:f", "DTSTART:20260701T000000Z", "END:VEVENT"), `event "f" is within a VEVENT: end that with END:VEVENT first`},
		{"an event in an alarm", event("DTSTART:20260601T000000Z", "BEGIN:VALARM", "BEGIN:VEVENT", "SUMMARY:f", "END:VEVENT", "END:VALARM"), `event "f" is within a VALARM: end that with END:VALARM first`},
		{"a component that may be an event", calendar("BEGIN:EVENT", "DTSTART:20260601T000000Z", "END:EVENT"), `component "EVENT" is not part of iCalendar, and may be an event: leave it out, or write VEVENT`},
		{"a blank before the colon", event("DTSTART:20260601T000000Z", "RRULE :FREQ=DAILY"), `it is not an iCalendar file: line "RRULE :FREQ=DAILY" is not in the form NAME:value`},
		{"a name of a group", event("DTSTART:20260601T000000Z", "item1.RRULE:FREQ=DAILY"), `it is not an iCalendar file: line "item1.RRULE:FREQ=DAILY" is not in the form NAME:value`},
		{"a line without a name", event("DTSTART:20260601T000000Z", "20260701T000000Z"), `it is not an iCalendar file: line "20260701T000000Z" is not in the form NAME:value`},
		{"a second calendar that is cut off, and folded", event("DTSTART:20261101T200000Z") + "BEGIN:VCAL\r\n ENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\n", "it is cut off: each calendar in it ends with END:VCALENDAR"},
		{"an end too many", event("DTSTART:20261101T200000Z") + "END:VCALENDAR\r\n", "it is not an iCalendar file: "},
		{"a zone of the host", event("DTSTART;TZID=posixrules:20261224T090000", "DURATION:PT1H"), `event "e": time zone "posixrules" is not in the tz database`},
		{"a zone without a name", event("DTSTART;TZID=/:20261224T090000", "DURATION:PT1H"), `event "e": time zone "" is not in the tz database`},
		{"a calendar in two zones", calendar("X-WR-TIMEZONE:Europe/Berlin", "X-WR-TIMEZONE:UTC"), `the calendar: it has X-WR-TIMEZONE "Europe/Berlin" and "UTC": write one`},
		{"another calendar than ours", calendar("CALSCALE:CHINESE"), `CALSCALE "CHINESE" is not understood: export the calendar as a GREGORIAN one`},
		{"a period of days", event("DTSTART;VALUE=DATE:20261121", "RDATE;VALUE=DATE:20261122/PT12H"), `event "e": RDATE "20261122/PT12H" is a period, and DTSTART a day: write days`},
		{"the year 1", event("DTSTART:00001231T000000Z", "DTEND:00010101T000000Z"), `event "e": DTSTART "00001231T000000Z" is too long ago: write a year from 0002 on`},
		{"a duration that no number has", event("DTSTART:20260601T000000Z", "DURATION:P99999999999999999999D"), `event "e": DURATION "P99999999999999999999D" is not a duration of a calendar`},
		{"a duration of nothing", event("DTSTART:20260601T000000Z", "DURATION:P1DT"), `event "e": DURATION "P1DT" is not a duration of a calendar`},
		{"no duration", event("DTSTART:20260601T000000Z", "DURATION:"), `event "e": DURATION "" is not a duration of a calendar`},
		{"two ends of a rule", event("DTSTART:20260601T090000Z", "RRULE:FREQ=DAILY;UNTIL=20260603T090000Z;UNTIL=20260602T090000Z"), `event "e": RRULE "FREQ=DAILY;UNTIL=20260603T090000Z;UNTIL=20260602T090000Z" says the same twice: write each part once`},
		{"a rule about Easter", event("DTSTART:20260601T090000Z", "RRULE:FREQ=YEARLY;BYEASTER=400"), `event "e": RRULE "FREQ=YEARLY;BYEASTER=400" has "BYEASTER", which is not understood: `},
		{"the 53rd Monday of a month", event("DTSTART:20260601T090000Z", "RRULE:FREQ=MONTHLY;BYDAY=53MO"), `event "e": RRULE "FREQ=MONTHLY;BYDAY=53MO" has weekday 53 of a month: write a number up to 5`},
		{"the 53rd Monday before the end of a month", event("DTSTART:20260601T090000Z", "RRULE:FREQ=YEARLY;BYMONTH=6;BYDAY=-53MO"), `event "e": RRULE "FREQ=YEARLY;BYMONTH=6;BYDAY=-53MO" has weekday 53 of a month: write a number up to 5`},
		{"the first Monday of a week", event("DTSTART:20260601T090000Z", "RRULE:FREQ=WEEKLY;BYDAY=1MO"), `event "e": RRULE "FREQ=WEEKLY;BYDAY=1MO" has a number before a weekday`},
		{"a week of the year", event("DTSTART:20260601T090000Z", "RRULE:FREQ=YEARLY;BYWEEKNO=20"), `event "e": RRULE "FREQ=YEARLY;BYWEEKNO=20" has "BYWEEKNO", which is not understood: `},
		{"a day of the month in each week", event("DTSTART:20260601T090000Z", "RRULE:FREQ=WEEKLY;BYMONTHDAY=20"), `event "e": RRULE "FREQ=WEEKLY;BYMONTHDAY=20" has BYMONTHDAY, which`},
		{"a rule that ends tomorrow", event("DTSTART:20260601T090000Z", "RRULE:FREQ=DAILY;UNTIL=tomorrow"), `event "e": RRULE "FREQ=DAILY;UNTIL=tomorrow" is not understood`},
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
	f.Add("\uFEFF" + event("DTSTART;TZID=Australia/Lord_Howe:20400401T014500", "DURATION:P1W2DT3H", "RRULE:FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=9"))
	f.Add(calendar("BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "TZOFFSETTO:+0100", "END:STANDARD", "END:VTIMEZONE",
		"BEGIN:VEVENT", "DTSTART;TZID=Europe/Berlin:20260329T023000", "DTEND;TZID=Europe/Berlin:20260329T033000", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU", "END:VEVENT"))
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
		{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", 0},
		{"FREQ=DAILY;COUNT=3", 0},
		{"FREQ=DAILY;UNTIL=20260105T000000Z", 5 + 365},
	} {
		text, before := event("DTSTART:19700101T000000Z", "DURATION:PT1H", "RRULE:"+c.rule), allocated()
		calendar, err := ical.Read(strings.NewReader(text), ical.Options{From: day(2026, 1, 1), To: day(2026, 12, 31)})
		took := allocated() - before
		if err != nil || len(calendar.Events) < c.want || len(calendar.Events) > c.want+2 || took > mostAllocated(text) {
			t.Errorf("%s: %d events, %d MB allocated, %v", c.rule, len(calendar.Events), took>>20, err)
		}
	}
}

// mostAllocated is how much memory, garbage included, it may take to read a file: a measure of work that does not depend on what else the
// machine does. How long rules are looked at is measured by the reader itself: it refuses what takes more.
func mostAllocated(file string) uint64 { return 256<<20 + 100*uint64(len(file)) }

// allocated returns how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A file may be as large as it likes, and as odd: it is read with bounded work, or refused.
func TestWorkIsBounded(t *testing.T) {
	if testing.Short() { // the race detector runs so: with it, programs allocate several times as much
		t.Skip("what is allocated says how much work it is, but not beside the race detector")
	}
	times := func(n int, step time.Duration) string {
		all := make([]string, n)
		for i := range all {
			all[i] = day(2025, 1, 1).Add(time.Duration(i) * step).Format("20060102T150405Z")
		}
		return strings.Join(all, ",")
	}
	many := func(n int, lines ...string) string {
		one := append(append([]string{"BEGIN:VEVENT", "UID:1", "SUMMARY:e"}, lines...), "END:VEVENT")
		return calendar(strings.Repeat(strings.Join(one, "\r\n")+"\r\n", n))
	}
	daily := []string{"DTSTART:20200101T000000Z", "DURATION:PT10M", "RRULE:FREQ=DAILY"}
	tooLong := `event "e": RRULE `
	for _, c := range []struct {
		name, text string
		events     int
		err        string
	}{
		{"200,000 exceptions of 20,000 times", event("DTSTART:20250101T000000Z", "DURATION:PT10M", "RDATE:"+times(20_000, time.Hour), "EXDATE:"+times(200_000, time.Second)),
			20_000 - 56, ""},
		{"a list of 500,000 times", event("DTSTART:20250101T000000Z", "DURATION:PT1H", "RDATE:"+times(500_000, time.Hour)), 0, "the calendar has more than 100000 events"},
		{"20,000 events, each of which replaces an occurrence of each", many(10_000, "DTSTART:20260601T000000Z", "DURATION:PT1H") +
			many(10_000, "DTSTART:20260701T000000Z", "RECURRENCE-ID:20260601T000000Z", "DURATION:PT1H"), 20_000, ""},
		{"rules that never recur", many(2000, "DTSTART:20260601T000000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"), 2000, ""},
		{"more rules that never recur", many(50_000, "DTSTART:20260601T000000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"), 0, tooLong},
		{"rules that count from long ago", many(20_000, "DTSTART:00020601T000000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=9;BYMONTHDAY=31;BYMONTH=2"), 0, tooLong},
		{"rules for events that are as long as the calendar", many(20_000, "DTSTART:00020601T000000Z", "DURATION:P999999D", "RRULE:FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2"), 0, tooLong},
		{"many rules of one event", many(1, append([]string{"DTSTART:20200101T000000Z", "DURATION:PT1H"}, slices.Repeat(daily[2:], 9999)...)...), 0, `event "e": it takes place more than 100000 times`},
		{"numbers that are listed many times", event("DTSTART:20260601T010101Z", "DURATION:PT1S", "RRULE:FREQ=DAILY;COUNT=2;BYMONTHDAY=1"+strings.Repeat(",1", 1e5)), 0, tooLong},
		{"parameters without an end", event("DTSTART;X=" + strings.Repeat("x", 2<<20) + ":20260601T000000Z"), 0, `line "DTSTART;X=xxx`},
		{"components in components", calendar(strings.Repeat("BEGIN:X-A\n", 900_000)), 0, "it is not an iCalendar file: more than 20 components are within each other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := allocated()
			calendar, err := ical.Read(strings.NewReader(c.text), ical.Options{From: day(2026, 1, 1), To: day(2027, 1, 1)})
			took := allocated() - before
			switch {
			case len(calendar.Events) != c.events || took > mostAllocated(c.text):
				t.Errorf("%d events, %d MB allocated, %v", len(calendar.Events), took>>20, err)
			case (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err):
				t.Errorf("%.300v", err)
			}
		})
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

// Programs differ in whether such a start takes place, and whether COUNT includes it. What takes place in either reading
// takes place here, so that no reading loses a freeze.
func TestAStartThatIsNoneOfTheTimesOfItsRuleIsReadInBothReadings(t *testing.T) {
	for _, test := range []struct {
		rule, warns string
		want        string // days of June 2026; DTSTART is Tuesday the 2nd
	}{
		{"FREQ=WEEKLY;BYDAY=MO;COUNT=2", "whether COUNT includes it: here it takes place, and COUNT more times", "2 8 15"},
		{"FREQ=WEEKLY;BYDAY=TU;COUNT=2", "", "2 9"},
		{"FREQ=WEEKLY;BYDAY=MO", "whether it takes place: here it does", "2 8 15 22 29"},
		{"FREQ=WEEKLY;BYDAY=MO;UNTIL=20260616", "whether it takes place: here it does", "2 8 15"},
		{"FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=3;COUNT=1", "whether COUNT includes it", "2 8"},
		{"FREQ=DAILY;BYMONTHDAY=4;COUNT=1", "whether COUNT includes it", "2 4"},
		{"FREQ=WEEKLY;BYDAY=TU", "", "2 9 16 23 30"},
	} {
		file := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:freeze\r\nDTSTART:20260602T090000Z\r\nDURATION:PT1H\r\nRRULE:" +
			test.rule + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
		c, err := ical.Read(strings.NewReader(file), ical.Options{From: day(2026, 6, 1), To: day(2026, 7, 1)})
		if err != nil {
			t.Fatal(err)
		}
		var days []string
		for _, e := range c.Events {
			days = append(days, strconv.Itoa(e.Start.Day()))
		}
		if got := strings.Join(days, " "); got != test.want {
			t.Errorf("%s: takes place on %s June, want %s", test.rule, got, test.want)
		}
		warned := strings.Join(c.Warnings, "\n")
		if says := `event "freeze": RRULE "` + test.rule + `": `; (warned == "") != (test.warns == "") ||
			warned != "" && (!strings.HasPrefix(warned, says) || !strings.Contains(warned, test.warns)) {
			t.Errorf("%s: warns %q, want %q", test.rule, warned, test.warns)
		}
	}
}
