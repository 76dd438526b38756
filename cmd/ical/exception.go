package ical

import (
	"fmt"

	ical "github.com/emersion/go-ical"
)

// exceptions are occurrences that an event does without: those that begin at an instant, and those that begin on a day,
// on the clocks of their own zone. Both are in seconds since 1970.
type exceptions struct{ instants, days map[int64]bool }

// add adds the times or days of a property.
func (x *exceptions) add(r reader, p ical.Prop) error {
	if x.days == nil {
		x.instants, x.days = map[int64]bool{}, map[int64]bool{}
	}
	times, err := r.times(p)
	if err != nil {
		return err
	}
	for _, at := range times {
		if isDate(p) {
			x.days[at.day()] = true
		} else {
			x.instants[at.instant().Unix()] = true
		}
	}
	return nil
}

// has reports whether an occurrence is an exception.
func (x *exceptions) has(o occurrence) bool {
	return x != nil && (x.days[o.begins.day()] || x.instants[o.at.Unix()])
}

// exceptions returns those of an event itself.
func (r reader) exceptions(e ical.Event, wholeDays bool) (x *exceptions, err error) {
	x = &exceptions{}
	for _, prop := range e.Props.Values(ical.PropExceptionDates) {
		if wholeDays && !isDate(prop) {
			return nil, fmt.Errorf("EXDATE %.100q is a time, and DTSTART a day: write days for an event of whole days",
				prop.Value)
		}
		if err := x.add(r, prop); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// move notes that an event replaces an occurrence of another.
func (r reader) move(e ical.Event) error {
	prop := e.Props.Get(ical.PropRecurrenceID)
	if prop == nil {
		return nil
	}
	if scope := prop.Params.Get("RANGE"); scope != "" {
		return fmt.Errorf("RECURRENCE-ID with RANGE=%.100s moves later events as well, which is not understood: "+
			"export each event of its own", scope)
	}
	uid := uidOf(e)
	if uid == "" {
		return fmt.Errorf("it has RECURRENCE-ID %.100q and no UID, so that nobody knows what it replaces: write "+
			"the UID of that event", prop.Value)
	}
	if _, err := r.time(*prop, prop.Value); err != nil { // one, not a list
		return err
	}
	if r.moved[uid] == nil {
		r.moved[uid] = &exceptions{}
	}
	return r.moved[uid].add(r, *prop)
}

// replaced reports whether another event replaces an occurrence.
func (r reader) replaced(e ical.Event, o occurrence) bool {
	return e.Props.Get(ical.PropRecurrenceID) == nil && r.moved[uidOf(e)].has(o)
}
