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
	begins   local
	length   length
	at, ends time.Time
}

// occur returns the occurrence that begins at a time.
func occur(begins local, l length) occurrence {
	return occurrence{begins: begins, length: l, at: begins.instant(), ends: l.after(begins)}
}

// occurrences returns when an event takes place: once, or as often as its rules say.
func (r reader) occurrences(e ical.Event, first occurrence, wholeDays bool) (all []occurrence, err error) {
	all = []occurrence{first}
	if prop := e.Props.Get("EXRULE"); prop != nil {
		return nil, fmt.Errorf("EXRULE %.100q is not understood, and no longer part of iCalendar: write EXDATE",
			prop.Value)
	}
	for _, prop := range e.Props.Values(ical.PropRecurrenceRule) {
		more, err := r.rule(prop.Value, first, wholeDays)
		if err != nil {
			return nil, err
		}
		if all = append(all, more...); len(all) > mostEvents {
			return nil, fmt.Errorf("it takes place more than %d times up to %s: look less far ahead",
				mostEvents, r.To.Format(time.DateOnly))
		}
	}
	if len(e.Props.Values(ical.PropRecurrenceRule)) > 0 && r.over(first) {
		all = all[1:]
	}
	for _, prop := range e.Props.Values(ical.PropRecurrenceDates) {
		more, err := r.more(prop, first, wholeDays)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	but, err := r.exceptions(e, wholeDays)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o occurrence) bool { return but.has(o) || r.replaced(e, o) })
	slices.SortFunc(all, func(a, b occurrence) int { return cmp.Or(a.at.Compare(b.at), a.ends.Compare(b.ends)) })
	return slices.CompactFunc(all, func(a, b occurrence) bool { return a.at.Equal(b.at) && a.ends.Equal(b.ends) }), nil
}

// over reports whether an occurrence ended too early to be looked at. What was within the last year is of use for spans
// that go on.
func (r reader) over(o occurrence) bool { return o.ends.Before(r.From.AddDate(-1, 0, 0)) }

// more returns the occurrences that an RDATE lists. Each takes as long as the first, unless it is a period, which has
// an end or a duration of its own.
func (r reader) more(p ical.Prop, first occurrence, wholeDays bool) (all []occurrence, err error) {
	if isDate(p) != wholeDays {
		return nil, fmt.Errorf("RDATE %.100q and DTSTART are a day and a time: write days for an event of whole "+
			"days, and times for any other", p.Value)
	}
	for text := range strings.SplitSeq(p.Value, ",") {
		start, period, isPeriod := strings.Cut(text, "/")
		if isPeriod && wholeDays {
			return nil, fmt.Errorf("RDATE %.100q is a period, and DTSTART a day: write days for an event of whole days",
				text)
		}
		begins, err := r.time(p, start)
		if err != nil {
			return nil, err
		}
		takes := first.length
		switch {
		case !isPeriod:
		case strings.HasPrefix(period, "P"):
			takes, err = duration(period)
		default:
			var end local
			end, err = r.time(p, period)
			takes = between(begins, end, wholeDays)
		}
		if err != nil {
			return nil, err
		}
		o := occur(begins, takes)
		if isPeriod && !o.at.Before(o.ends) {
			return nil, fmt.Errorf("RDATE %.100q is a period that takes no time: write a later end", text)
		}
		all = append(all, o)
	}
	return all, nil
}
