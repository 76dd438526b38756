package ical

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"
)

// An occurrence is when an event begins, and how long it takes then.
type occurrence struct {
	at     time.Time
	length time.Duration
}

// occurrences returns when an event takes place: once, or as often as its rules say.
func (r reader) occurrences(e ical.Event, first occurrence) (all []occurrence, err error) {
	all = []occurrence{first}
	wholeDays := isDate(*e.Props.Get(ical.PropDateTimeStart))
	if prop := e.Props.Get("EXRULE"); prop != nil {
		return nil, fmt.Errorf("EXRULE %.100q is not understood, and no longer part of iCalendar: write EXDATE", prop.Value)
	}
	for _, prop := range e.Props.Values(ical.PropRecurrenceRule) {
		all = slices.DeleteFunc(all, func(o occurrence) bool { return r.before(o.at) })
		times, err := r.rule(prop.Value, first.at, wholeDays)
		if err != nil {
			return nil, err
		}
		for _, at := range times {
			all = append(all, occurrence{at, first.length})
		}
	}
	for _, prop := range e.Props.Values(ical.PropRecurrenceDates) {
		more, err := r.more(prop, first, wholeDays)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	except, exceptDays, err := r.exceptions(e, wholeDays)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o occurrence) bool {
		sameDay := func(day time.Time) bool { return day.Format(time.DateOnly) == o.at.Format(time.DateOnly) }
		return slices.ContainsFunc(except, o.at.Equal) || slices.ContainsFunc(exceptDays, sameDay)
	})
	slices.SortFunc(all, func(a, b occurrence) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.length, b.length)) })
	return slices.CompactFunc(all, func(a, b occurrence) bool { return a.at.Equal(b.at) && a.length == b.length }), nil
}

// exceptions returns the occurrences that an event does without: times, and days on which it does not begin. Days of whole days count
// as times.
func (r reader) exceptions(e ical.Event, wholeDays bool) (times, days []time.Time, err error) {
	for _, prop := range e.Props.Values(ical.PropExceptionDates) {
		some, err := r.times(prop)
		switch {
		case err != nil:
			return nil, nil, err
		case isDate(prop) == wholeDays:
			times = append(times, some...)
		case wholeDays:
			return nil, nil, fmt.Errorf("EXDATE %.100q is a time, and DTSTART a day: write days for an event of whole days", prop.Value)
		default:
			days = append(days, some...)
		}
	}
	if e.Props.Get(ical.PropRecurrenceID) == nil {
		times = append(times, r.moved[textOf(e.Component, ical.PropUID)]...)
	}
	return times, days, nil
}

// more returns the occurrences that an RDATE lists. Each takes as long as the first, unless it is a period, which has an end or a
// duration of its own.
func (r reader) more(p ical.Prop, first occurrence, wholeDays bool) (all []occurrence, err error) {
	if isDate(p) != wholeDays {
		return nil, fmt.Errorf("RDATE %.100q and DTSTART are a day and a time: write days for an event of whole days, and times for any other", p.Value)
	}
	for text := range strings.SplitSeq(p.Value, ",") {
		start, period, isPeriod := strings.Cut(text, "/")
		o := occurrence{length: first.length}
		if o.at, err = r.time(p, start); err != nil {
			return nil, err
		}
		switch {
		case !isPeriod:
		case strings.HasPrefix(period, "P"):
			o.length, err = duration(period)
		default:
			var end time.Time
			end, err = r.time(p, period)
			o.length = end.Sub(o.at)
		}
		if err != nil {
			return nil, err
		}
		if isPeriod && o.length <= 0 {
			return nil, fmt.Errorf("RDATE %.100q is a period that takes no time: write a later end", text)
		}
		all = append(all, o)
	}
	return all, nil
}

// before reports whether an occurrence is too early to be looked at. What began within a year before may take until then.
func (r reader) before(at time.Time) bool { return at.Before(r.From.AddDate(-1, 0, 0)) }
