package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
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
	if from == "" && to == "" {
		return never, errors.New(`dates have neither a first nor a last day: write at least one, such as "2026-12-23"`)
	}
	location := time.UTC
	if in == nil {
		zone = "UTC"
	} else {
		location = in.Location
	}
	if end.whole {
		end.Time = end.AddDate(0, 0, 1)
	}
	var spans []Span
	bounds := slices.Concat(begin.bounds(location), end.bounds(location))
	slices.SortFunc(bounds, time.Time.Compare)
	bounds = append(bounds, time.Time{}) // no end
	start := time.Time{}
	for _, bound := range bounds {
		if begin.reached(start, location) && (to == "" || !end.reached(start, location)) && !start.Equal(bound) {
			spans = append(spans, Span{start, bound})
		}
		start = bound
	}
	w := Dates(spans...)
	switch {
	case w == never:
		return never, fmt.Errorf("dates from %s to %s cover no time: write a later end", quote(from), quote(to))
	case begin.whole || end.whole:
		w.w.text = spanText(from, to) + ", " + zone
	default:
		w.w.text = spanText(from, to)
	}
	return w, nil
}

// A date is a time, or a whole day. A day is stored as its midnight in UTC. The zero date is no bound.
type date struct {
	time.Time
	whole bool
}

var (
	dayPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	// timePattern rules out what time.Parse accepts beyond RFC 3339.
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

// reached reports whether it is this date or a later one by the clocks of a zone.
func (d date) reached(at time.Time, zone *time.Location) bool {
	if d.whole {
		_, offset := at.In(zone).Zone()
		at = at.Add(time.Duration(offset) * time.Second)
	}
	return !at.Before(d.Time)
}

// bounds returns the times between which reached does not change.
func (d date) bounds(zone *time.Location) (all []time.Time) {
	switch {
	case d.whole:
		const most = 2 * daySeconds // more than any offset, and more than any change of one
		midnight := d.Unix()
		for at := midnight - most; at < midnight+most; {
			e := eraIn(zone, at)
			if e.end < midnight+most {
				all = append(all, time.Unix(e.end, 0).UTC())
			}
			all = append(all, time.Unix(midnight-e.offset, 0).UTC())
			at = e.end
		}
	case !d.IsZero():
		all = append(all, d.Time)
	}
	return all
}
