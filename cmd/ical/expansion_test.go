package ical_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/cmd/ical"
)

// zones have clock changes in both hemispheres, some of them at midnight, by half an hour or by two hours, and four in
// a year.
var zones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Australia/Sydney", "America/Santiago",
	"America/Havana", "Pacific/Auckland", "Pacific/Chatham", "Antarctica/Troll", "Africa/Casablanca", "Asia/Beirut",
	"Asia/Kolkata", "UTC"}

// A file is a calendar that is written at random, and what it says.
type file struct {
	*rapid.T
	zone     string // that of the calendar
	from, to time.Time
	lines    []string
	want     []string // what takes place
}

func (f *file) chance(of int, name string) bool { return rapid.IntRange(1, of).Draw(f.T, name) == 1 }

func (f *file) number(from, to int, name string) int { return rapid.IntRange(from, to).Draw(f.T, name) }

func (f *file) numbers(from, to, most int, name string) []int {
	one := rapid.IntRange(from, to).Filter(func(n int) bool { return n != 0 || from == 0 })
	return rapid.SliceOfN(one, 1, most).Draw(f.T, name)
}

// near returns a time that clocks show close to a change of them, or would show.
func (f *file) near(d dial) int64 {
	since := day(2024, 6, 1)
	if f.chance(8, "long ago") {
		since = day(2017, 1, 1)
	}
	around := since.Unix()
	if changes := d.changes(); len(changes) > 0 {
		around = rapid.SampledFrom(slices.DeleteFunc(changes, func(at int64) bool {
			return at < since.Unix() || at > day(2027, 12, 1).Unix()
		})).Draw(f.T, "change")
	}
	_, offset := time.Unix(around-1, 0).In(d.zone).Zone()
	days := rapid.SampledFrom([]int{0, 0, 1, 7, 28, 365}).Draw(f.T, "days before")
	return around + int64(offset) + int64(60*f.number(-300, 300, "minutes")) - int64(86400*days)
}

const form = "20060102T150405"

func shown(wall int64) string { return time.Unix(wall, 0).UTC().Format(form) }

// at writes a time: in a zone of its own, in that of the calendar, or in UTC.
func (f *file) at(name string, d dial, wall int64, inUTC bool) string {
	switch {
	case inUTC || d.zone.String() == "UTC":
		return name + ":" + shown(d.instant(wall)) + "Z"
	case d.zone.String() == f.zone && f.chance(2, "floating"):
		return name + ":" + shown(wall)
	}
	return name + ";TZID=" + d.zone.String() + ":" + shown(wall)
}

// rule draws a rule of days that RFC 5545 allows.
func (f *file) rule() said {
	often := []string{"DAILY", "DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "YEARLY"}
	s := said{freq: rapid.SampledFrom(often).Draw(f.T, "freq"), interval: 1, weekStart: time.Monday}
	if f.chance(3, "interval") {
		s.interval = f.number(1, 30, "n")
	}
	if f.chance(4, "months") {
		s.months = f.numbers(1, 12, 4, "month")
	}
	if f.chance(4, "monthDays") && s.freq != "WEEKLY" {
		s.monthDays = f.numbers(-31, 31, 4, "monthDay")
	}
	if f.chance(3, "weekdays") {
		for range f.number(1, 3, "weekdays") {
			w := saidDay{day: time.Weekday(f.number(0, 6, "weekday"))}
			switch {
			case s.freq == "MONTHLY" || s.freq == "YEARLY" && len(s.months) > 0:
				w.n = f.number(-5, 5, "nth")
			case s.freq == "YEARLY":
				w.n = f.number(-53, 53, "nth")
			}
			s.weekdays = append(s.weekdays, w)
		}
	}
	if f.chance(5, "setPos") {
		s.setPos = f.numbers(-4, 4, 2, "position")
	}
	if f.chance(4, "weekStart") {
		s.weekStart = time.Weekday(f.number(0, 6, "WKST"))
	}
	if f.chance(3, "count") {
		s.count = f.number(1, 40, "COUNT")
	}
	return s
}

// A takes is how long an event takes: days on the clocks, then seconds.
type takes struct{ days, seconds int64 }

func (l takes) end(d dial, wall int64) int64 { return d.instant(wall+86400*l.days) + l.seconds }

func (l takes) String() string {
	text := "P"
	if l.days%7 == 0 && l.days > 0 && l.seconds == 0 {
		return fmt.Sprint(text, l.days/7, "W")
	}
	if l.days > 0 {
		text += fmt.Sprint(l.days, "D")
	}
	if l.seconds > 0 || l.days == 0 {
		text += fmt.Sprint("T", l.seconds/3600, "H", l.seconds/60%60, "M")
	}
	return text
}

// begin returns the first lines of an event.
func begin(uid int) []string {
	return []string{"BEGIN:VEVENT", fmt.Sprint("UID:", uid), fmt.Sprint("SUMMARY:", uid)}
}

// event writes an event, and notes when it takes place.
func (f *file) event(uid int) {
	d := dialOf(rapid.SampledFrom(append(zones, f.zone)).Draw(f.T, "zone"))
	wall, inUTC := f.near(d), f.chance(8, "UTC")
	if inUTC {
		d, wall = dialOf("UTC"), d.instant(wall)
	}
	lines := append(begin(uid), f.at("DTSTART", d, wall, false))
	var takes takes
	if f.chance(2, "DTEND") {
		end := wall + int64(60*f.number(0, 3*1440, "length"))
		if takes.seconds = d.instant(end) - d.instant(wall); takes.seconds <= 0 { // from or to a time that clocks skip
			takes.seconds = end - wall
		}
		lines = append(lines, f.at("DTEND", d, end, false))
	} else {
		takes.days, takes.seconds = int64(f.number(0, 9, "days")), int64(900*f.number(0, 50, "quarters"))
		lines = append(lines, "DURATION:"+takes.String())
	}
	walls, recurs := []int64{wall}, f.chance(2, "RRULE")
	if recurs {
		s := f.rule()
		text := s.String()
		if s.count == 0 && f.chance(2, "UNTIL") {
			text, s.until = f.until(text, d, wall)
		}
		lines = append(lines, "RRULE:"+text)
		walls = s.times(wall, f.to.Unix()+3*86400)
		walls = slices.DeleteFunc(walls, func(w int64) bool {
			return w != wall && d.instant(w) > f.to.Unix() || takes.end(d, w) < f.from.AddDate(-1, 0, 0).Unix()
		})
	}
	if f.chance(4, "RDATE") {
		more := wall + int64(3600*f.number(-30, 3000, "later"))
		lines = append(lines, f.at("RDATE", d, more, false))
		walls = append(walls, more)
	}
	without := func(out func(wall int64) bool) { walls = slices.DeleteFunc(walls, out) }
	if len(walls) > 0 && f.chance(3, "EXDATE") {
		but := rapid.SampledFrom(walls).Draw(f.T, "but")
		if f.chance(3, "day") {
			lines = append(lines, "EXDATE;VALUE=DATE:"+shown(but)[:8])
			without(func(w int64) bool { return shown(w)[:8] == shown(but)[:8] })
		} else {
			lines = append(lines, f.at("EXDATE", d, but, f.chance(2, "UTC")))
			without(func(w int64) bool { return d.instant(w) == d.instant(but) })
		}
	}
	if len(walls) > 0 && f.chance(4, "RECURRENCE-ID") {
		moved, to := rapid.SampledFrom(walls).Draw(f.T, "moved"), f.near(d)
		without(func(w int64) bool { return d.instant(w) == d.instant(moved) })
		f.lines = append(append(f.lines, begin(uid)[:2]...), "SUMMARY:moved", f.at("DTSTART", d, to, false),
			f.at("RECURRENCE-ID", d, moved, f.chance(2, "UTC")), "DURATION:PT1H", "END:VEVENT")
		f.note("moved", d.instant(to), d.instant(to)+3600)
	}
	f.lines = append(append(f.lines, lines...), "END:VEVENT")
	for _, w := range walls {
		f.note(fmt.Sprint(uid), d.instant(w), takes.end(d, w))
	}
}

// until draws the end of a rule, in UTC, on the clocks, or as a day.
func (f *file) until(text string, d dial, wall int64) (string, func(int64) bool) {
	last := wall + int64(900*f.number(0, 4000, "until"))
	switch f.number(1, 3, "form") {
	case 1:
		last = d.instant(last)
		return text + ";UNTIL=" + shown(last) + "Z", func(w int64) bool { return d.instant(w) <= last }
	case 2:
		return text + ";UNTIL=" + shown(last), func(w int64) bool { return w <= last }
	}
	return text + ";UNTIL=" + shown(last)[:8], func(w int64) bool { return shown(w)[:8] <= shown(last)[:8] }
}

// days writes an event of whole days.
func (f *file) days(uid int) {
	d := dialOf(f.zone)
	first, count := f.near(d)/86400*86400, int64(f.number(1, 9, "days"))
	f.lines = append(append(f.lines, begin(uid)...), "DTSTART;VALUE=DATE:"+shown(first)[:8])
	if f.chance(2, "DTEND") {
		f.lines = append(f.lines, "DTEND;VALUE=DATE:"+shown(first + 86400*count)[:8])
	} else {
		f.lines = append(f.lines, "DURATION:"+takes{days: count}.String())
	}
	walls := []int64{first}
	if f.chance(2, "RRULE") {
		s := f.rule()
		f.lines = append(f.lines, "RRULE:"+s.String())
		walls = s.times(first, f.to.Unix()+3*86400)
		walls = slices.DeleteFunc(walls, func(w int64) bool {
			return w != first && d.instant(w) > f.to.Unix() ||
				d.instant(w+86400*count) < f.from.AddDate(-1, 0, 0).Unix()
		})
	}
	f.lines = append(f.lines, "END:VEVENT")
	for _, w := range walls {
		for _, span := range d.days(w, count) {
			f.note(fmt.Sprint(uid), span[0], span[1])
		}
	}
}

// note notes that something takes place.
func (f *file) note(name string, begins, ends int64) {
	if begins < ends {
		f.want = append(f.want, told(name, time.Unix(begins, 0), time.Unix(ends, 0)))
	}
}

func told(name string, begins, ends time.Time) string {
	return begins.UTC().Format(time.RFC3339) + " to " + ends.UTC().Format(time.RFC3339) + " " + name
}

// text returns the file, as programs write it: with a byte order mark or none, with any ends of lines, and folded.
func (f *file) text() string {
	eol := rapid.SampledFrom([]string{"\r\n", "\n", "\r"}).Draw(f.T, "eol")
	width := f.number(20, 80, "width")
	text := rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(f.T, "mark")
	lines := append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "X-WR-TIMEZONE:" + f.zone}, f.lines...)
	for _, line := range append(lines, "END:VCALENDAR") {
		for len(line) > width {
			text, line = text+line[:width]+eol+" ", line[width:]
		}
		text += line + eol
	}
	return text
}

// What takes place is what an expansion finds that shares nothing with the package. Run it with -rapid.checks=10000
// after a change.
func TestEventsTakePlaceAsTheirClocksShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &file{T: t, zone: rapid.SampledFrom(zones).Draw(t, "calendar")}
		f.from, f.to = day(2026, 1, 1), day(2027, 6, 1).Add(17*time.Hour)
		for uid := range f.number(1, 3, "events") {
			if f.chance(4, "whole days") {
				f.days(uid)
			} else {
				f.event(uid)
			}
		}
		text := f.text()
		calendar, err := ical.Read(strings.NewReader(text), ical.Options{From: f.from, To: f.to})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var got []string
		for _, e := range calendar.Events {
			got = append(got, told(e.Name, e.Start, e.End))
		}
		for _, all := range []*[]string{&got, &f.want} {
			slices.SortFunc(*all, cmp.Compare[string])
			*all = slices.Compact(*all)
		}
		if diff := gocmp.Diff(f.want, got); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
	})
}
