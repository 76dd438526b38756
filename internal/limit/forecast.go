package limit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Segment is a span of time in which the allowance and the budgets that set it stay the same.
type Segment struct {
	schedule.Span
	Allowance
	Paces Indexes // the paces in effect; none if nothing may go
}

// Forecast returns the timeline of Allowed from one time up to another, or up to a number of changes of budgets. The
// end is that of the last segment.
func (s *Set) Forecast(from, to time.Time, nodes int, reason candidate.Reason, most int) (segments []Segment,
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
