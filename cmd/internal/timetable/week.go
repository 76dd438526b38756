package timetable

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/schedule"
)

// A span is the time from from up to, but not including, to. Both are in the zone in which they are shown.
type span struct{ from, to time.Time }

func (s span) length() time.Duration { return s.to.Sub(s.from) }

// bounds returns the span as other packages have it.
func (s span) bounds() schedule.Span { return schedule.Span{Start: s.from, End: s.to} }

// cut returns the part of a span that is in another, which may be none: then it ends before it begins.
func (s span) cut(to span) span {
	if s.from.Before(to.from) {
		s.from = to.from
	}
	if s.to.After(to.to) {
		s.to = to.to
	}
	return s
}

// is reports whether two spans are the same, in the same zone.
func (s span) is(other span) bool {
	return s.from.Equal(other.from) && s.to.Equal(other.to) && s.from.Location().String() == other.from.Location().String()
}

// bounds returns the date of the week's first day, and when the week begins and ends.
func (w Week) bounds() (date time.Time, week span, err error) {
	middle, zone := w.Start.Add(12*time.Hour), w.Start.Location() // of the first day, also where there is no 00:00, and time.Date returns 23:00 or 01:00
	y, m, d := middle.Date()
	date = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	week = span{command.Day(y, m, d, zone), command.Day(y, m, d+7, zone)}
	if y < 1 || y > 9999 || !w.Start.Equal(week.from) && !w.Start.Equal(time.Date(y, m, d, 0, 0, 0, 0, zone)) {
		return date, span{}, fmt.Errorf("the week begins at %s: write the 00:00 of a day", w.Start.Format("Mon 2006-01-02 15:04 MST"))
	}
	return date, week, nil
}

// cut returns the part of segments that is in a week. A zero bound of a segment is unbounded.
func cut(segments []budget.Segment, week span) ([]budget.Segment, error) {
	first := sort.Search(len(segments), func(i int) bool {
		return segments[i].End.IsZero() || segments[i].End.After(week.from)
	})
	var spans []budget.Segment
	at := week.from
	for _, s := range segments[first:] {
		if !at.Before(week.to) {
			break
		}
		if s.Start.IsZero() || s.Start.Before(week.from) {
			s.Start = week.from
		}
		if s.End.IsZero() || s.End.After(week.to) {
			s.End = week.to
		}
		if !s.Start.Equal(at) || !s.End.After(at) {
			return nil, fmt.Errorf("after %s comes a segment from %s to %s: segments must follow each other without a gap",
				at.Format(time.RFC3339), s.Start.Format(time.RFC3339), s.End.Format(time.RFC3339))
		}
		zone := week.from.Location()
		s.Start, s.End, s.Nodes = s.Start.In(zone), s.End.In(zone), max(0, s.Nodes)
		spans, at = append(spans, s), s.End
	}
	switch {
	case len(spans) == 0:
		return nil, errors.New("no segment is in the week of " + week.from.Format(time.DateOnly))
	case at.Before(week.to):
		return nil, fmt.Errorf("the segments end at %s, and the week at %s", at.Format(time.RFC3339), week.to.Format(time.RFC3339))
	}
	return spans, nil
}

// alike reports whether two weeks are the same, also in the budgets that bind, and in the paces.
func alike(a, b []budget.Segment) bool {
	return slices.EqualFunc(a, b, func(a, b budget.Segment) bool {
		return a.Allowance == b.Allowance && a.Paces == b.Paces && a.Start.Equal(b.Start) && a.End.Equal(b.End)
	})
}
