package ical

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"
	"github.com/teambition/rrule-go"

	"github.com/disruptkit/disruptkit/schedule"
)

// A reader turns the events of one calendar into times.
type reader struct {
	Options
	zone     string
	location *time.Location
	moved    map[string][]time.Time // by UID: the occurrences that other events take the place of (RECURRENCE-ID)
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
	length, err := r.length(e, starts[0])
	if err != nil || length <= 0 {
		return nil, err
	}
	occurrences, err := r.occurrences(e, starts[0])
	if err != nil {
		return nil, err
	}
	name := textOf(e.Component, ical.PropSummary)
	var events []schedule.Event
	for _, at := range occurrences {
		spans := []schedule.Span{{Start: at, End: at.Add(length)}}
		if isDate(*begins) {
			spans = r.days(at, length)
		}
		for _, s := range spans {
			events = append(events, schedule.Event{Name: name, Span: schedule.Span{Start: s.Start.In(r.location), End: s.End.In(r.location)}})
		}
	}
	return events, nil
}

// days returns when the clocks of the zone show the days of an event.
func (r reader) days(first time.Time, length time.Duration) (spans []schedule.Span) {
	last := first.Add(length - 24*time.Hour)
	w, err := schedule.ParseDates(first.Format(time.DateOnly), last.Format(time.DateOnly), r.zone)
	if err != nil {
		return nil // the zone skipped that day
	}
	for s := range w.Spans(first.AddDate(0, 0, -3), last.AddDate(0, 0, 4)) {
		spans = append(spans, s)
	}
	return spans
}

// length returns how long an event takes; a day by default, if it has no time of the day, else no time at all.
func (r reader) length(e ical.Event, start time.Time) (time.Duration, error) {
	if ends := e.Props.Get(ical.PropDateTimeEnd); ends != nil {
		end, err := r.times(*ends)
		if err != nil {
			return 0, err
		}
		if end[0].Before(start) {
			return 0, errors.New("it ends before it begins")
		}
		return end[0].Sub(start), nil
	}
	if lasts := e.Props.Get(ical.PropDuration); lasts != nil {
		return lasts.Duration()
	}
	if isDate(*e.Props.Get(ical.PropDateTimeStart)) {
		return 24 * time.Hour, nil
	}
	return 0, nil
}

// occurrences returns when an event begins: once, or as often as its rules say.
func (r reader) occurrences(e ical.Event, start time.Time) (all []time.Time, err error) {
	var more, except []time.Time
	for _, p := range []struct {
		name string
		to   *[]time.Time
	}{{ical.PropRecurrenceDates, &more}, {ical.PropExceptionDates, &except}} {
		for _, prop := range e.Props.Values(p.name) {
			times, err := r.times(prop)
			if err != nil {
				return nil, err
			}
			*p.to = append(*p.to, times...)
		}
	}
	if e.Props.Get(ical.PropRecurrenceID) == nil {
		except = append(except, r.moved[textOf(e.Component, ical.PropUID)]...)
	}
	all = append([]time.Time{start}, more...)
	for _, prop := range e.Props.Values(ical.PropRecurrenceRule) {
		all = slices.DeleteFunc(all, r.before)
		times, err := r.rule(prop.Value, start)
		if err != nil {
			return nil, err
		}
		all = append(all, times...)
	}
	slices.SortFunc(all, time.Time.Compare)
	all = slices.CompactFunc(all, time.Time.Equal)
	return slices.DeleteFunc(all, func(at time.Time) bool { return slices.ContainsFunc(except, at.Equal) }), nil
}

// rule returns when a rule lets an event take place, up to the end of what is looked at.
func (r reader) rule(text string, start time.Time) (all []time.Time, err error) {
	option, err := rrule.StrToROption(text)
	if err != nil {
		return nil, fmt.Errorf("RRULE %.100q is not understood: %w", text, err)
	}
	if option.Freq == rrule.SECONDLY || option.Freq == rrule.MINUTELY {
		return nil, fmt.Errorf("RRULE %.100q recurs every minute or second: write a budget without a calendar", text)
	}
	option.Dtstart = start
	if option.Until.IsZero() || option.Until.After(r.To) {
		option.Until = r.To
	}
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, fmt.Errorf("RRULE %.100q is not understood: %w", text, err)
	}
	next := rule.Iterator()
	for at, more := next(); more; at, more = next() {
		if r.before(at) {
			continue
		}
		if all = append(all, at); len(all) > mostEvents {
			return nil, fmt.Errorf("RRULE %.100q recurs more than %d times up to %s", text, mostEvents, r.To.Format(time.DateOnly))
		}
	}
	return all, nil
}

// before reports whether an occurrence is too early to be looked at. What began within a year before may take until then.
func (r reader) before(at time.Time) bool { return at.Before(r.From.AddDate(-1, 0, 0)) }

// times returns the times or days of a property. Days are at midnight in UTC, whatever the zone.
func (r reader) times(p ical.Prop) (all []time.Time, err error) {
	location := r.location
	if zone := p.Params.Get(ical.PropTimezoneID); zone != "" && !isDate(p) {
		if location, err = load(strings.TrimPrefix(zone, "/")); err != nil {
			return nil, err
		}
	}
	for text := range strings.SplitSeq(p.Value, ",") {
		text, _, _ = strings.Cut(text, "/") // a period: how long it takes is said elsewhere
		form, in := timeForm, location
		switch {
		case isDate(p):
			form, in = dateForm, time.UTC
		case strings.HasSuffix(text, "Z"):
			form, in = timeFormUTC, time.UTC
		}
		at, err := time.ParseInLocation(form, text, in)
		if err != nil {
			return nil, fmt.Errorf("%s %.100q is not a date or time of a calendar: write one such as 20261224, or 20261224T180000Z", p.Name, text)
		}
		all = append(all, at)
	}
	return all, nil
}

// isDate reports whether a property is of whole days.
func isDate(p ical.Prop) bool {
	first, _, _ := strings.Cut(p.Value, ",")
	return p.ValueType() == ical.ValueDate || p.ValueType() == ical.ValueDefault && len(first) == len(dateForm)
}
