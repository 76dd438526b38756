package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Segment is a span of time throughout which the allowance is the same, and so are the budgets that say so.
type Segment struct {
	schedule.Span
	Allowance
	Paces Indexes // the budgets that limit how many nodes start within some time (Budget.Per); none where nothing may go
}

const (
	longestForecast = 10 * 366 * 24 * time.Hour
	mostChanges     = 1_000_000 // of budgets, in a forecast
)

// Forecast returns how many of a pool's counted nodes may be disrupted at once for a reason between two times:
// AllowedByReason at every time from from up to, but not including, to. Segments follow each other without a gap, and
// neighbours differ, in the number or in the budgets that say so; also in the Paces, which do not say how many go at once. The first begins at from and the last ends at to,
// whatever there is before and after.
//
// What is broken allows nothing, and is among Binding; Set.Warnings says what is wrong. An error refuses: a reason
// that no budget can know, a time to that is not after from, a span of more than ten years, or one in which budgets
// become active or inactive more than a million times.
func (s Set) Forecast(from, to time.Time, nodes int, reason candidate.Reason) ([]Segment, error) {
	set := s.get()
	switch {
	case !set.knows(reason):
		return nil, unknown(reason, set.methods)
	case from.IsZero():
		return nil, fmt.Errorf("a forecast cannot start at the zero time: set its start")
	case !from.Before(to):
		return nil, fmt.Errorf("a forecast from %s to %s covers no time: write a later end", written(from), written(to))
	case to.Sub(from) > longestForecast:
		return nil, fmt.Errorf("a forecast from %s to %s is too long: write an end at most ten years after its start", written(from), written(to))
	}
	segments, end := set.forecast(from, to, nodes, reason, mostChanges)
	if end.Before(to) {
		return nil, fmt.Errorf("budgets become active or inactive more than %d times up to %s: write an end before that", mostChanges, written(end))
	}
	return segments, nil
}

func written(t time.Time) string { return t.Format(time.RFC3339) }

// forecast returns the timeline, up to to or until there were so many changes.
func (s *set) forecast(from, to time.Time, nodes int, reason candidate.Reason, most int) (segments []Segment, end time.Time) {
	c := s.concern(reason)
	n := -1 // from is no change
	for start, active := range changes(s.at(c.covering()|c.pacing()), from) {
		if !start.Before(to) {
			break
		}
		if n++; n > most {
			to = start
			break
		}
		allowance, paces := s.allowance(&c, active, nodes), mostSpecific(c.paces, active)
		if allowance.Nodes == 0 {
			paces = 0
		}
		if last := len(segments) - 1; last < 0 || segments[last].Allowance != allowance || segments[last].Paces != paces {
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
