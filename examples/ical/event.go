package ical

import (
	"errors"
	"fmt"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"

	"github.com/disruptkit/disruptkit/schedule"
)

// A reader turns the events of one calendar into times.
type reader struct {
	Options
	zone     string
	location *time.Location
	moved    map[string][]time.Time    // by UID: the occurrences that other events take the place of (RECURRENCE-ID)
	zones    map[string]*time.Location // those loaded so far, by TZID
}

const (
	dateForm    = "20060102"
	timeForm    = "20060102T150405"
	timeFormUTC = timeForm + "Z"
)

// event returns when an event takes place.
func (r reader) event(e ical.Event) ([]schedule.Event, error) {
	if status, _ := e.Props.Text(ical.PropStatus); strings.EqualFold(status, string(ical.EventCancelled)) {
		return nil, nil
	}
	begins := e.Props.Get(ical.PropDateTimeStart)
	if begins == nil {
		return nil, errors.New("it has no DTSTART")
	}
	starts, err := r.times(*begins)
	if err != nil {
		return nil, err
	}
	length, err := r.length(e, *begins, starts[0])
	if err != nil {
		return nil, err
	}
	occurrences, err := r.occurrences(e, occurrence{starts[0], length})
	if err != nil {
		return nil, err
	}
	name := textOf(e.Component, ical.PropSummary)
	var events []schedule.Event
	for _, o := range occurrences {
		spans := []schedule.Span{{Start: o.at, End: o.at.Add(o.length)}}
		if isDate(*begins) {
			if spans, err = r.days(o); err != nil {
				return nil, err
			}
		}
		for _, s := range spans {
			if s.Start.Before(s.End) {
				events = append(events, schedule.Event{Name: name, Span: schedule.Span{Start: s.Start.In(r.location), End: s.End.In(r.location)}})
			}
		}
	}
	return events, nil
}

// days returns when the clocks of the zone show the days of an occurrence. There are days that a zone has skipped.
func (r reader) days(o occurrence) (spans []schedule.Span, err error) {
	first, last := o.at, o.at.Add(o.length-24*time.Hour)
	for ; r.skipped(first) && !last.Before(first); first = first.AddDate(0, 0, 1) {
	}
	for ; r.skipped(last) && !last.Before(first); last = last.AddDate(0, 0, -1) {
	}
	if last.Before(first) {
		return nil, nil
	}
	w, err := schedule.ParseDates(first.Format(time.DateOnly), last.Format(time.DateOnly), r.zone)
	if err != nil {
		return nil, err
	}
	for s := range w.Spans(first.AddDate(0, 0, -3), last.AddDate(0, 0, 4)) {
		spans = append(spans, s)
	}
	return spans, nil
}

// skipped reports whether the clocks of the zone never show a day, as those of Samoa never showed 30 December 2011.
func (r reader) skipped(day time.Time) bool {
	noon := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, r.location)
	return noon.Day() != day.Day()
}

// length returns how long an event takes: a day by default, if it has no time of the day, else no time at all. A day that ends on
// itself, as some programs write it, takes that day.
func (r reader) length(e ical.Event, begins ical.Prop, start time.Time) (length time.Duration, err error) {
	wholeDays := isDate(begins)
	ends, lasts := e.Props.Get(ical.PropDateTimeEnd), e.Props.Get(ical.PropDuration)
	switch {
	case ends != nil:
		if isDate(*ends) != wholeDays {
			return 0, fmt.Errorf("DTSTART %.100q and DTEND %.100q are a day and a time: write two days, or two times", begins.Value, ends.Value)
		}
		end, err := r.times(*ends)
		if err != nil {
			return 0, err
		}
		if length = end[0].Sub(start); length < 0 {
			return 0, fmt.Errorf("DTEND %.100q is before DTSTART %.100q: write a later end", ends.Value, begins.Value)
		}
	case lasts != nil:
		if length, err = duration(lasts.Value); err != nil {
			return 0, err
		}
		if wholeDays && length%(24*time.Hour) != 0 {
			return 0, fmt.Errorf("DTSTART %.100q is a day, and DURATION %.100q is no number of days: write one such as P1D", begins.Value, lasts.Value)
		}
	}
	if wholeDays && length == 0 {
		return 24 * time.Hour, nil
	}
	return length, nil
}

// duration parses how long something takes.
func duration(text string) (time.Duration, error) {
	length, err := (&ical.Prop{Name: ical.PropDuration, Value: text}).Duration()
	if err != nil || length < 0 {
		return 0, fmt.Errorf("DURATION %.100q is not a duration of a calendar: write one such as PT2H, or P1D", text)
	}
	return length, nil
}

// times returns the times or days of a property.
func (r reader) times(p ical.Prop) (all []time.Time, err error) {
	for text := range strings.SplitSeq(p.Value, ",") {
		at, err := r.time(p, text)
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// time returns a time or day that is part of a property. Days are at midnight in UTC, whatever the zone.
func (r reader) time(p ical.Prop, text string) (at time.Time, err error) {
	form, in := timeForm, r.location
	if zone := p.Params.Get(ical.PropTimezoneID); zone != "" && !isDate(p) {
		if in, err = r.load(zone); err != nil {
			return at, err
		}
	}
	switch {
	case isDate(p):
		form, in = dateForm, time.UTC
	case strings.HasSuffix(text, "Z"):
		form, in = timeFormUTC, time.UTC
	}
	if at, err = time.ParseInLocation(form, text, in); err != nil {
		return at, fmt.Errorf("%s %.100q is not a date or time of a calendar: write one such as 20261224, or 20261224T180000Z", p.Name, text)
	}
	return at, nil
}

// load returns the zone of a TZID. A calendar writes the same few at each of its times.
func (r reader) load(id string) (*time.Location, error) {
	if location, ok := r.zones[id]; ok {
		return location, nil
	}
	location, err := load(strings.TrimPrefix(id, "/"))
	if err == nil {
		r.zones[id] = location
	}
	return location, err
}

// isDate reports whether a property is of whole days.
func isDate(p ical.Prop) bool {
	first, _, _ := strings.Cut(p.Value, ",")
	return p.ValueType() == ical.ValueDate || p.ValueType() == ical.ValueDefault && len(first) == len(dateForm)
}
