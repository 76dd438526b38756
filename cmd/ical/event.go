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
	moved    map[string]*exceptions    // by UID: the occurrences that other events replace (RECURRENCE-ID)
	zones    map[string]*time.Location // those loaded so far, by TZID
	work     *work
	warn     func(string) // of the event that is read
}

// once are the properties that say when an event takes place, and must not occur twice.
var once = []string{ical.PropDateTimeStart, ical.PropDateTimeEnd, ical.PropDuration, ical.PropRecurrenceID,
	ical.PropStatus, ical.PropUID}

// event returns when an event takes place.
func (r reader) event(e ical.Event) ([]schedule.Event, error) {
	if err := onlyOnce(e.Component, once...); err != nil {
		return nil, err
	}
	if strings.EqualFold(textOf(e.Component, ical.PropStatus), string(ical.EventCancelled)) {
		return nil, nil
	}
	begins := e.Props.Get(ical.PropDateTimeStart)
	if begins == nil {
		return nil, errors.New("it has no DTSTART")
	}
	start, err := r.time(*begins, begins.Value)
	if err != nil {
		return nil, err
	}
	length, err := r.length(e, *begins, start)
	if err != nil {
		return nil, err
	}
	occurrences, err := r.occurrences(e, occur(start, length), isDate(*begins))
	if err != nil {
		return nil, err
	}
	name := textOf(e.Component, ical.PropSummary)
	var events []schedule.Event
	for _, o := range occurrences {
		spans := []schedule.Span{{Start: o.at, End: o.ends}}
		if isDate(*begins) {
			if spans, err = r.days(o); err != nil {
				return nil, err
			}
		}
		for _, s := range spans {
			if s.Start.Before(s.End) {
				s = schedule.Span{Start: s.Start.In(r.location), End: s.End.In(r.location)}
				events = append(events, schedule.Event{Name: name, Span: s})
			}
		}
	}
	return events, nil
}

// onlyOnce returns an error if a property occurs twice: only one could count, and nobody knows which.
func onlyOnce(c *ical.Component, names ...string) error {
	for _, name := range names {
		if all := c.Props.Values(name); len(all) > 1 {
			return fmt.Errorf("it has %s %.100q and %.100q: write one", name, all[0].Value, all[1].Value)
		}
	}
	return nil
}

// days returns when the clocks of the zone show the days of an occurrence. There are days that a zone has skipped.
func (r reader) days(o occurrence) (spans []schedule.Span, err error) {
	first, last := o.begins.wall, o.begins.wall.AddDate(0, 0, o.length.days-1)
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
