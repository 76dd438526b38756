package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// ParseDates compiles a window that is open once, such as from "2026-12-23" to "2027-01-02". Each bound is a day or a
// time. A day is a whole day in the zone (see [Parse]), and both days are included. A time is in RFC 3339, such as
// 2026-12-23T18:00:00+01:00; the window closes at the end time. "" means no bound, but at least one bound is required.
//
// Where clocks change at midnight, the clocks decide: the window is open exactly while they show one of its days.
//
// The error lists every fault, quotes it and says what to write instead. On error the Window is never open.
func ParseDates(from, to, zone string) (Window, error) {
	in, zoneErr := parseZone(zone)
	begin, beginErr := parseDate(from)
	end, endErr := parseDate(to)
	if err := errors.Join(beginErr, endErr, zoneErr); err != nil {
		return never, err
	}
	location := time.UTC
	if in == nil {
		zone = "UTC"
	} else {
		location = in.Location
	}
	if from == "" && to == "" {
		return never, errors.New(`dates have neither a first nor a last day: write at least one, such as "2026-12-23"`)
	}
	open := []Span{{}}
	if from != "" {
		open = begin.onward(location)
	}
	if to != "" {
		if end.whole {
			end.Time = end.AddDate(0, 0, 1)
		}
		open = before(open, end.onward(location))
	}
	w := Dates(open...)
	if w == never {
		return never, fmt.Errorf("dates from %s to %s cover no time: write a later end", quote(from), quote(to))
	}
	if w.w == nil {
		return w, nil
	}
	w.w.text = datesText(from, to, begin.whole && from != "" || end.whole && to != "", zone)
	return w, nil
}

// datesText returns "2026-12-23 to 2027-01-02, Europe/Berlin".
func datesText(from, to string, zoned bool, zone string) string {
	text := from + " to " + to
	switch {
	case to == "":
		text = "from " + from + " on"
	case from == "":
		text = "up to " + to
	}
	if zoned {
		text += ", " + zone
	}
	return text
}

// A date is a time, or a whole day. A day is stored as its midnight in UTC.
type date struct {
	time.Time
	whole bool
}

var (
	dayPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	// timePattern is here since time.Parse accepts more.
	timePattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)
	leapSeconds = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:60`)
)

func parseDate(text string) (d date, err error) {
	const form = "write a day such as 2026-12-23, or a time such as 2026-12-23T18:00:00+01:00"
	if text == "" {
		return d, nil
	}
	layout := time.RFC3339
	if d.whole = dayPattern.MatchString(text); d.whole {
		layout = time.DateOnly
	}
	d.Time, err = time.Parse(layout, text)
	switch {
	case err == nil && !d.whole && !timePattern.MatchString(text):
	case err == nil && d.Year() > 1: // the year 1 begins at the zero time
		return d, nil
	case err == nil:
		return d, fmt.Errorf("date %s is too long ago: %s", quote(text), form)
	case leapSeconds.MatchString(text):
		return d, fmt.Errorf("date %s is a leap second, which computers do not count: write the second after it",
			quote(text))
	case err != nil && strings.HasSuffix(err.Error(), "out of range"):
		return d, fmt.Errorf("date %s does not exist: %s", quote(text), form)
	}
	return d, fmt.Errorf("date %s is not valid: %s", quote(text), form)
}

// onward returns the spans in which the clocks show this date or a later one. The last span has no end. If the clocks
// change close to the date, there may be short spans before it.
func (d date) onward(zone *time.Location) (spans []Span) {
	if !d.whole {
		return []Span{{Start: d.Time}}
	}
	const most = 2 * daySeconds // more than any offset, and more than any change of one
	midnight := d.Unix()
	for at := midnight - most; ; {
		e := eraIn(zone, at)
		shown := max(midnight-e.offset, e.start)
		start := time.Unix(shown, 0).UTC()
		if e.end > midnight+most {
			return append(spans, Span{Start: start})
		}
		if shown < e.end {
			spans = append(spans, Span{start, time.Unix(e.end, 0).UTC()})
		}
		at = e.end
	}
}

// before returns the parts of spans that lie outside others. The last of the others has no end.
func before(spans, others []Span) (left []Span) {
	for _, s := range spans {
		start := s.Start
		for _, o := range others {
			left = append(left, Span{start, o.Start}.within(s)...)
			start = o.End
		}
	}
	return left
}

// within returns the part of the span that lies in another, or nothing.
func (s Span) within(other Span) []Span {
	s = s.intersect(other)
	if !s.Start.IsZero() && !s.End.IsZero() && !s.Start.Before(s.End) {
		return nil
	}
	return []Span{s}
}
