// Package ical reads iCalendar files (RFC 5545), such as the public holidays of a country or the calendar of a team, as
// windows for budgets: the value of budget.Spec.Calendars.
//
//	calendar, err := ical.Read(file, ical.Options{Zone: "Europe/Berlin", From: now, To: now.AddDate(1, 0, 0)})
//	spec.Calendars = map[string]schedule.Window{"holidays": calendar.Window()}
//
// The lines of a file are read by github.com/emersion/go-ical, and the text of recurrence rules by
// github.com/teambition/rrule-go.
package ical

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"

	"github.com/disruptkit/disruptkit/schedule"
)

const (
	mostBytes  = 10 << 20
	mostEvents = 100_000 // occurrences of all events
)

// Options say how a file is read.
type Options struct {
	// Zone is the tz database zone of whole days, and of times that are in no zone. "" is the calendar's own
	// (X-WR-TIMEZONE), or UTC.
	Zone string
	// From and To are the time within which recurring events are looked for. An event that does not recur is read
	// whenever it is.
	From, To time.Time
}

// A Calendar is what a file says.
type Calendar struct {
	Name string // X-WR-CALNAME; "" is none
	// Events are the times that events take place, by their starts, with the SUMMARY of each as its name. Whole days
	// are those on the clocks of a zone, as in schedule.ParseDates; all times are in that zone.
	Events []schedule.Event
	// Warnings say which events other programs may read otherwise, and how they are read here.
	Warnings []string
}

// Window returns when any of the events takes place. It knows their names, which blockers and forecasts then say.
func (c Calendar) Window() schedule.Window { return schedule.Events(c.Events...) }

// Read reads a file. Events that are cancelled are left out; those that take no time as well. An error refuses the whole
// file, since an event that is not understood may be a freeze: a zone that is not in the tz database, a date that does
// not exist, a day that ends at a time, a rule or a duration that says nothing, a rule with hours or numbered weeks, two starts or
// two ends, an event within another component, an event that moves all later ones (RANGE=THISANDFUTURE), a file that is cut
// off or larger than 10 MB, more than 100,000 occurrences, or rules whose times take too long to find.
//
// Where clocks change, RFC 5545 says what holds. A time that occurs twice is the first of both. A time that clocks skip
// has the offset from before the change: 02:30 is 03:30. That holds for each occurrence of a rule as well. Days and weeks of
// a DURATION end at the same time of the day; a DTEND gives all occurrences the same number of hours. When clocks change, the
// tz database says, whatever the file's own time zones (VTIMEZONE) say.
func Read(r io.Reader, o Options) (Calendar, error) {
	if !o.From.Before(o.To) {
		return Calendar{}, fmt.Errorf("no events are between %s and %s: give a later end",
			o.From.Format(time.RFC3339), o.To.Format(time.RFC3339))
	}
	file, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	switch {
	case err != nil:
		return Calendar{}, err
	case len(file) > mostBytes:
		return Calendar{}, fmt.Errorf("the calendar is larger than %d MB: export fewer events", mostBytes>>20)
	}
	text, err := lines(string(file))
	switch {
	case err != nil:
		return Calendar{}, err
	case text == "":
		return Calendar{}, errors.New("there is no calendar in it: an iCalendar file begins with BEGIN:VCALENDAR")
	}
	d := ical.NewDecoder(strings.NewReader(text))
	work := work{mostWork}
	var c Calendar
	for {
		file, err := d.Decode()
		switch {
		case errors.Is(err, io.EOF):
			slices.SortStableFunc(c.Events, func(a, b schedule.Event) int {
				return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), cmp.Compare(a.Name, b.Name))
			})
			return c, nil
		case err != nil:
			return Calendar{}, fmt.Errorf("it is not an iCalendar file: %w", err)
		}
		if err := c.add(file, o, &work); err != nil {
			return Calendar{}, err
		}
	}
}

// add adds the events of a calendar in the file.
func (c *Calendar) add(file *ical.Calendar, o Options, w *work) error {
	r, err := newReader(file, o, w)
	if err != nil {
		return err
	}
	c.Name = cmp.Or(c.Name, textOf(file.Component, "X-WR-CALNAME"))
	for _, e := range file.Events() {
		if err := r.move(e); err != nil {
			return named(e, err)
		}
	}
	for _, e := range file.Events() {
		r.warn = func(text string) { c.Warnings = append(c.Warnings, named(e, errors.New(text)).Error()) }
		events, err := r.event(e)
		if err != nil {
			return named(e, err)
		}
		if c.Events = append(c.Events, events...); len(c.Events) > mostEvents {
			return fmt.Errorf("the calendar has more than %d events up to %s: export fewer, or look less far ahead",
				mostEvents, o.To.Format(time.DateOnly))
		}
	}
	return nil
}

// newReader returns a reader for a calendar in the file.
func newReader(file *ical.Calendar, o Options, w *work) (r reader, err error) {
	if err := misplaced(file.Component); err != nil {
		return r, err
	}
	if err := onlyOnce(file.Component, "X-WR-TIMEZONE", ical.PropCalendarScale); err != nil {
		return r, fmt.Errorf("the calendar: %w", err)
	}
	if scale := textOf(file.Component, ical.PropCalendarScale); scale != "" && !strings.EqualFold(scale, "GREGORIAN") {
		return r, fmt.Errorf("CALSCALE %.100q is not understood: export the calendar as a GREGORIAN one", scale)
	}
	r = reader{Options: o, zone: cmp.Or(o.Zone, textOf(file.Component, "X-WR-TIMEZONE"), "UTC"), work: w,
		moved: map[string]*exceptions{}, zones: map[string]*time.Location{}}
	r.location, err = load(r.zone)
	return r, err
}

// named adds the name of an event to an error.
func named(e ical.Event, err error) error {
	return fmt.Errorf("event %.100q: %w", nameOf(e.Component), err)
}

// nameOf returns the name of an event, for people.
func nameOf(c *ical.Component) string {
	return cmp.Or(textOf(c, ical.PropSummary), textOf(c, ical.PropUID), textOf(c, ical.PropDateTimeStart))
}

// textOf returns the text of a property, or "".
func textOf(c *ical.Component, name string) string {
	prop := c.Props.Get(name)
	if prop == nil {
		return ""
	}
	return strings.TrimSpace(unescape.Replace(prop.Value))
}

// unescape replaces what a text writes with backslashes.
var unescape = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n", `\N`, "\n")

// uidOf returns what an event is identified by, as it is written, or "".
func uidOf(e ical.Event) string {
	if prop := e.Props.Get(ical.PropUID); prop != nil {
		return prop.Value
	}
	return ""
}
