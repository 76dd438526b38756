package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

const (
	longestForecast = 10 * 366 * 24 * time.Hour
	mostChanges     = 1_000_000 // of budgets, in a forecast
)

// A Segment is a span of time in which the allowance and the budgets that set it stay the same.
type Segment struct {
	schedule.Span
	Allowance
	Paces Indexes // the paces (Budget.Per) in effect; none if nothing is allowed
}

// Forecast returns the exact timeline of AllowedByReason from one time up to, but not including, another: how many of a
// pool's counted nodes may be disrupted at once for a reason. The first segment begins at from, the last one ends at
// to, and there are no gaps. Neighbouring segments differ in the number, in the budgets that set it, or in Paces.
//
// Invalid budgets allow nothing, and appear in Binding; [Set.Warnings] has their faults. Forecast returns an error if
// budgets cannot name the reason, if to is not after from, if the span is longer than ten years, or if budgets become
// active or inactive more than a million times in it.
func (s Set) Forecast(from, to time.Time, nodes int, reason candidate.Reason) ([]Segment, error) {
	span := fmt.Sprintf("a forecast from %s to %s", from.Format(time.RFC3339), to.Format(time.RFC3339))
	switch {
	case !s.Knows(reason):
		return nil, s.unknown(reason)
	case from.IsZero():
		return nil, fmt.Errorf("a forecast cannot start at the zero time: set its start")
	case !from.Before(to):
		return nil, fmt.Errorf("%s covers no time: write a later end", span)
	case to.Sub(from) > longestForecast:
		return nil, fmt.Errorf("%s is too long: write an end at most ten years after its start", span)
	}
	timeline := s.ForecastUpTo(from, to, nodes, reason, mostChanges)
	if end := timeline[len(timeline)-1].End; end.Before(to) {
		return nil, fmt.Errorf("budgets become active or inactive more than %d times up to %s: write an end "+
			"before that", mostChanges, end.Format(time.RFC3339))
	}
	return timeline, nil
}

// ForecastUpTo is Forecast for a valid span, or up to a number of changes of budgets if these come earlier.
func (s Set) ForecastUpTo(from, to time.Time, nodes int, reason candidate.Reason, most int) (segments []Segment) {
	set := s.get()
	c := set.concern(reason)
	n := -1 // the first time is not a change
	for start, active := range Changes(set.list(c.pool.all()|c.paces.all()), from) {
		if !start.Before(to) {
			break
		}
		if n++; n > most {
			to = start
			break
		}
		allowance, paces := set.allowance(&c, active, nodes), c.paces.deciding(active)
		if allowance.Nodes == 0 {
			paces = 0
		}
		if last := len(segments) - 1; last < 0 || segments[last].Allowance != allowance ||
			segments[last].Paces != paces {
			segments = append(segments, Segment{schedule.Span{Start: start}, allowance, paces})
		}
	}
	for i := range segments {
		segments[i].End = to
		if i+1 < len(segments) {
			segments[i].End = segments[i+1].Start
		}
	}
	return segments
}
