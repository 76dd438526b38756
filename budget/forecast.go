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

// Forecast returns the exact timeline of AllowedByReason from one time up to, but not including, another: how many of a
// pool's counted nodes may be disrupted at once for a reason. The first segment begins at from, the last one ends at
// to, and there are no gaps. Neighbouring segments differ in the number, in the budgets that set it, or in Paces.
//
// Broken budgets allow nothing, and appear in Binding; [Set.Warnings] has their faults. Forecast returns an
// error if no budget can know the reason, if to is not after from, if the span is longer than ten years, or if budgets
// become active or inactive more than a million times in it.
func (s Set) Forecast(from, to time.Time, nodes int, reason candidate.Reason) ([]Segment, error) {
	set := s.Limits()
	switch {
	case !set.Knows(reason):
		return nil, s.unknown(reason)
	case from.IsZero():
		return nil, fmt.Errorf("a forecast cannot start at the zero time: set its start")
	case !from.Before(to):
		return nil, fmt.Errorf("a forecast from %s to %s covers no time: write a later end", written(from), written(to))
	case to.Sub(from) > longestForecast:
		return nil, fmt.Errorf("a forecast from %s to %s is too long: write an end at most ten years after its start",
			written(from), written(to))
	}
	timeline, end := set.Forecast(from, to, nodes, reason, mostChanges)
	if end.Before(to) {
		return nil, fmt.Errorf("budgets become active or inactive more than %d times up to %s: write an end "+
			"before that", mostChanges, written(end))
	}
	return timeline, nil
}

// Alike groups reasons that the same budgets affect. At any time and for any number of nodes, the same budgets allow
// the same number for all reasons of a group. So costly work, such as a Forecast, need only be done once for each
// group. Groups are in the order of their first reasons.
func (s Set) Alike(reasons []candidate.Reason) [][]candidate.Reason {
	var groups [][]candidate.Reason
	for _, a := range s.Limits().Alike(reasons) {
		groups = append(groups, a.Reasons)
	}
	return groups
}

func written(t time.Time) string { return t.Format(time.RFC3339) }

// A Segment is a span of time in which the allowance and the budgets that set it stay the same.
type Segment struct {
	schedule.Span
	Allowance
	Paces Indexes // the paces (Budget.Per) in effect; none if nothing may go
}

// Forecast returns the timeline of Allowed from one time up to another, or up to a number of changes of budgets. The
// end is that of the last segment.
func (s *Limits) Forecast(from, to time.Time, nodes int, reason candidate.Reason, most int) (segments []Segment,
	end time.Time) {
	c := s.concern(reason)
	n := -1 // the first time is not a change
	for start, active := range Changes(s.At(c.Covering()|c.pacing()), from) {
		if !start.Before(to) {
			break
		}
		if n++; n > most {
			to = start
			break
		}
		allowance, paces := s.Allowance(&c, active, nodes), mostSpecific(c.paces, active)
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
	return segments, to
}
