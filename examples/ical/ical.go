// Package ical reads iCalendar files (RFC 5545), such as the public holidays of a country or the calendar of a team, as windows for
// budgets: the value of budget.Spec.Calendars.
//
//	calendar, err := ical.Read(file, ical.Options{Zone: "Europe/Berlin", From: now, To: now.AddDate(1, 0, 0)})
//	spec.Calendars = map[string]schedule.Window{"holidays": calendar.Window()}
//
// The lines of a file are read by github.com/emersion/go-ical, and recurrence rules by github.com/teambition/rrule-go.
package ical

import (
	"bytes"
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
	// Zone is the tz database zone of whole days, and of times that are in no zone. "" is the calendar's own (X-WR-TIMEZONE), or UTC.
	Zone string
	// From and To are the time within which recurring events are looked for. An event that does not recur is read whenever it is.
	From, To time.Time
}

// A Calendar is what a file says.
type Calendar struct {
	Name string // X-WR-CALNAME; "" is none
	// Events are the times that events take place, by their starts, with the SUMMARY of each as its name. Whole days are those on the
	// clocks of a zone, as in schedule.ParseDates; all times are in that zone.
	Events []schedule.Event
}

// Window returns when any of the events takes place. It knows their names, which blockers and forecasts then say.
func (c Calendar) Window() schedule.Window { return schedule.Events(c.Events...) }

// Read reads a file. Events that are cancelled are left out; those that take no time, too. An error refuses the whole file, since an
// event that is not understood may be a freeze: a zone that is not in the tz database, a date that does not exist, a day that ends at a
// time, a rule or a duration that says nothing, an event that moves all later ones (RANGE=THISANDFUTURE), a file that is cut off or
// larger than 10 MB, or more than 100,000 occurrences.
func Read(r io.Reader, o Options) (Calendar, error) {
	if !o.From.Before(o.To) {
		return Calendar{}, fmt.Errorf("no events are between %s and %s: give a later end", o.From.Format(time.RFC3339), o.To.Format(time.RFC3339))
	}
	text, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	switch {
	case err != nil:
		return Calendar{}, err
	case len(text) > mostBytes:
		return Calendar{}, fmt.Errorf("the calendar is larger than %d MB: export fewer events", mostBytes>>20)
	}
	d := ical.NewDecoder(bytes.NewReader(text))
	begun := begun(text)
	var c Calendar
	for n := 0; ; n++ {
		file, err := decode(d)
		switch {
		case errors.Is(err, io.EOF) && n < begun:
			return Calendar{}, errors.New("it is cut off: each calendar in it ends with END:VCALENDAR")
		case errors.Is(err, io.EOF) && n > 0:
			slices.SortStableFunc(c.Events, func(a, b schedule.Event) int {
				return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End), cmp.Compare(a.Name, b.Name))
			})
			return c, nil
		case errors.Is(err, io.EOF):
			return Calendar{}, errors.New("there is no calendar in it: an iCalendar file begins with BEGIN:VCALENDAR")
		case err != nil:
			return Calendar{}, fmt.Errorf("it is not an iCalendar file: %w", err)
		}
		if err := c.add(file, o); err != nil {
			return Calendar{}, err
		}
	}
}

// begun returns how many calendars begin in a file.
func begun(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if bytes.EqualFold(bytes.TrimRight(line, " \t\r\n"), []byte("BEGIN:VCALENDAR")) {
			n++
		}
	}
	return n
}

// decode decodes the next calendar of a file. The decoder panics where a line ends within a parameter.
func decode(d *ical.Decoder) (file *ical.Calendar, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("a line of it cannot be read: %v", p)
		}
	}()
	return d.Decode()
}

// add adds the events of a calendar in the file.
func (c *Calendar) add(file *ical.Calendar, o Options) error {
	c.Name = cmp.Or(c.Name, textOf(file.Component, "X-WR-CALNAME"))
	zone := cmp.Or(o.Zone, textOf(file.Component, "X-WR-TIMEZONE"), "UTC")
	location, err := load(zone)
	if err != nil {
		return err
	}
	reader := reader{Options: o, zone: zone, location: location, moved: map[string][]time.Time{}, zones: map[string]*time.Location{}}
	for _, e := range file.Events() {
		if moved := e.Props.Get(ical.PropRecurrenceID); moved != nil {
			if scope := moved.Params.Get("RANGE"); scope != "" {
				return named(e, fmt.Errorf("RECURRENCE-ID with RANGE=%.100s moves later events, too, which is not understood: export each event of its own", scope))
			}
			at, err := reader.times(*moved)
			if err != nil {
				return named(e, err)
			}
			uid := textOf(e.Component, ical.PropUID)
			reader.moved[uid] = append(reader.moved[uid], at...)
		}
	}
	for _, e := range file.Events() {
		events, err := reader.event(e)
		if err != nil {
			return named(e, err)
		}
		if c.Events = append(c.Events, events...); len(c.Events) > mostEvents {
			return fmt.Errorf("the calendar has more than %d events up to %s: export fewer, or look less far ahead", mostEvents, o.To.Format(time.DateOnly))
		}
	}
	return nil
}

// named says of which event an error is.
func named(e ical.Event, err error) error {
	return fmt.Errorf("event %.100q: %w", cmp.Or(textOf(e.Component, ical.PropSummary), textOf(e.Component, ical.PropUID)), err)
}

// textOf returns the text of a property, or "".
func textOf(c *ical.Component, name string) string {
	text, err := c.Props.Text(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// load returns a zone of the tz database.
func load(zone string) (*time.Location, error) {
	location, err := time.LoadLocation(zone)
	if err != nil || strings.EqualFold(zone, "local") {
		return nil, fmt.Errorf("time zone %.100q is not in the tz database: export the calendar with names such as Europe/Berlin", zone)
	}
	return location, nil
}
