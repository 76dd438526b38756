package ical

import (
	"fmt"
	"strings"
	"time"

	ical "github.com/emersion/go-ical"
)

// A local is a time as the clocks of a zone show it. A day is its midnight.
type local struct {
	wall time.Time // in UTC
	zone *time.Location
}

const (
	dateForm    = "20060102"
	timeForm    = "20060102T150405"
	timeFormUTC = timeForm + "Z"
)

// instant returns when that is. RFC 5545, 3.3.5: "If … the local time described occurs more than once (when changing
// from daylight to standard time), the DATE-TIME value refers to the first occurrence of the referenced time. … If
// the local time described does not occur (when changing from standard to daylight time), the DATE-TIME value is
// interpreted using the UTC offset before the gap in local times."
func (l local) instant() time.Time {
	const most = 26 * time.Hour // more than any offset
	at := l.wall.Add(-most).In(l.zone)
	_, before := at.Zone()
	for {
		offset, begins, ends := around(at)
		shown := l.wall.Add(-time.Duration(offset) * time.Second).In(l.zone)
		switch {
		case !ends.IsZero() && !shown.Before(ends):
			at, before = ends, offset
		case !begins.IsZero() && shown.Before(begins):
			return l.wall.Add(-time.Duration(before) * time.Second).In(l.zone)
		default:
			return shown
		}
	}
}

// around returns the offset of a zone at a time, in seconds, and a span around that time in which it stays so. The zero
// time is no bound.
func around(at time.Time) (offset int, begins, ends time.Time) {
	_, offset = at.Zone()
	begins, ends = at.ZoneBounds()
	if !ends.IsZero() && !ends.After(at) { // package time ends each year after 365 days if it follows a zone's rule
		ends = ends.Add(24 * time.Hour)
	}
	return offset, begins, ends
}

// day returns the day of a time, on the clocks of its zone: its midnight in UTC, in seconds since 1970.
func (l local) day() int64 { return l.wall.Truncate(24 * time.Hour).Unix() }

// times returns the times or days of a property.
func (r reader) times(p ical.Prop) (all []local, err error) {
	for text := range strings.SplitSeq(p.Value, ",") {
		at, err := r.time(p, text)
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// time returns a time or day that is part of a property.
func (r reader) time(p ical.Prop, text string) (at local, err error) {
	for _, name := range []string{ical.PropTimezoneID, ical.ParamValue} {
		if values := p.Params.Values(name); len(values) > 1 {
			return at, fmt.Errorf("%s has %s %.100q: write one", p.Name, name, values)
		}
	}
	at.zone = r.location
	if zone := p.Params.Get(ical.PropTimezoneID); zone != "" && !isDate(p) {
		if at.zone, err = r.load(zone); err != nil {
			return at, err
		}
	}
	form := timeForm
	switch {
	case isDate(p):
		form = dateForm
	case strings.HasSuffix(text, "Z"):
		form, at.zone = timeFormUTC, time.UTC
	}
	if at.wall, err = time.Parse(form, text); err != nil || len(text) != len(form) {
		return at, fmt.Errorf("%s %.100q is not a date or time of a calendar: write one such as 20261224, or "+
			"20261224T180000Z", p.Name, text)
	}
	if at.wall.Year() < 2 { // the year 1 begins at the zero time, which is no time at all
		return at, fmt.Errorf("%s %.100q is too long ago: write a year from 0002 on", p.Name, text)
	}
	return at, nil
}

// isDate reports whether a property is of whole days.
func isDate(p ical.Prop) bool {
	first, _, _ := strings.Cut(p.Value, ",")
	value := p.Params.Get(ical.ParamValue)
	return strings.EqualFold(value, string(ical.ValueDate)) || value == "" && len(first) == len(dateForm)
}
