package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/disruptkit/disruptkit/schedule"
)

// Time reads the time that a flag says, or the date, which begins at midnight in a zone, or when clocks that skip midnight first show it.
func Time(flag, text string, zone *time.Location) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
		t = Day(t.Year(), t.Month(), t.Day(), zone)
	}
	if err != nil {
		return t, fmt.Errorf("%s %q is not a time: write one such as 2026-11-23 or 2026-11-23T09:00:00Z", flag, text)
	}
	if year := t.UTC().Year(); year < 1970 || year > 9000 { // JSON knows no year after 9999, and windows reach ahead
		return t, fmt.Errorf("%s %q is too far away: write a year from 1970 to 9000", flag, text)
	}
	return t.In(zone), nil
}

// Range reads the range of times that a flag says, with a slash between them. The end is not in it.
func Range(flag, text string, zone *time.Location) (r schedule.Span, err error) {
	from, to, found := strings.Cut(text, "/")
	if !found {
		return r, fmt.Errorf("%s %q is not a range of times: write one such as 2026-12-24/2026-12-27", flag, text)
	}
	start, err := Time(flag, from, zone)
	if err != nil {
		return r, err
	}
	end, err := Time(flag, to, zone)
	if err == nil && !end.After(start) {
		err = fmt.Errorf("%s %q: it ends before it begins: write the earlier time first", flag, text)
	}
	return schedule.Span{Start: start, End: end}, err
}

// Day returns when a date begins: the first instant at which the clocks of a zone show it. The day may lie outside its month, as in time.Date.
// Where clocks skip midnight, time.Date takes a time before or after the gap, which may show another date.
func Day(year int, month time.Month, day int, zone *time.Location) time.Time {
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if midnight.Hour() == 0 && midnight.Minute() == 0 && midnight.Second() == 0 {
		return midnight
	}
	gap, next := midnight.ZoneBounds()
	if midnight.Day() != time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() {
		return next
	}
	return gap
}

// Duration adds a flag for a duration of some length or more.
func Duration(f *pflag.FlagSet, to *time.Duration, name, usual string, least time.Duration, usage string) {
	d := &duration{to, least, usual}
	_ = d.Set(usual) // which is one
	f.Var(d, name, usage)
}

// A duration is the value of a flag.
type duration struct {
	to    *time.Duration
	least time.Duration
	text  string
}

func (d *duration) String() string { return d.text }

func (d *duration) Type() string { return "duration" }

func (d *duration) Set(text string) error {
	length, err := time.ParseDuration(text)
	if err != nil || length < d.least || length > 10*365*24*time.Hour {
		return fmt.Errorf("%q is not a duration from %s to ten years: write one such as 90s or 12h", text, d.least)
	}
	*d.to, d.text = length, text
	return nil
}
