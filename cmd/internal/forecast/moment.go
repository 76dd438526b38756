package forecast

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A moment is a span throughout which nothing changes for any of the reasons.
type moment struct {
	schedule.Span
	allowed map[candidate.Reason]budget.Allowance
	paces   map[candidate.Reason]budget.Indexes // what limits how many nodes start
}

// joined joins the timelines of all reasons. Neighbours differ for at least one of them.
func (p *pool) joined() (moments []moment) {
	if len(p.reasons) == 0 {
		return nil
	}
	position := make([]int, len(p.reasons)) // in each timeline
	for start := p.timelines[p.reasons[0]][0].Start; ; {
		m := moment{schedule.Span{Start: start}, map[candidate.Reason]budget.Allowance{}, map[candidate.Reason]budget.Indexes{}}
		for i, reason := range p.reasons {
			s := p.timelines[reason][position[i]]
			m.allowed[reason] = s.Allowance
			if s.Paces != 0 {
				m.paces[reason] = s.Paces
			}
			if m.End.IsZero() || s.End.Before(m.End) {
				m.End = s.End
			}
		}
		moments = append(moments, m)
		if p.advance(position, m.End) {
			return moments
		}
		start = m.End
	}
}

// advance moves the positions to what begins at a time, and reports whether nothing does.
func (p *pool) advance(position []int, to time.Time) (ends bool) {
	for i, reason := range p.reasons {
		timeline := p.timelines[reason]
		if timeline[position[i]].End.Equal(to) {
			position[i]++
		}
		ends = ends || position[i] == len(timeline)
	}
	return ends
}
