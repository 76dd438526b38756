package lint

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// A phase is a span of a timeline in which nodes may go throughout, or none may.
type phase struct {
	schedule.Span
	open     bool
	blocking budget.Indexes // the budgets that close it
	first    budget.Indexes // the budgets that close it at its beginning
	last     budget.Indexes // the budgets that close it at its end
}

// phasesOf returns the phases of a timeline.
func phasesOf(timeline []budget.Segment) (phases []phase) {
	for _, s := range timeline {
		isOpen := s.Nodes > 0
		last := len(phases) - 1
		if last < 0 || phases[last].open != isOpen {
			phases, last = append(phases, phase{Span: s.Span, open: isOpen, first: s.Binding}), last+1
		}
		p := &phases[last]
		p.End = s.End
		if !isOpen {
			p.last = s.Binding
			p.blocking |= s.Binding
		}
	}
	return phases
}

// openingsOf returns the spans of a timeline in which nodes may go, the spans in which none may, and the budgets that
// close. It skips spans without a beginning or an end, and merges closures with only a minute between them.
func openingsOf(timeline []budget.Segment) (openings, closures []schedule.Span, blocking budget.Indexes) {
	phases := withoutBrief(phasesOf(timeline))
	for i, p := range phases {
		blocking |= p.blocking
		switch {
		case i == 0 || i == len(phases)-1:
		case p.open:
			openings = append(openings, p.Span)
		default:
			closures = append(closures, p.Span)
		}
	}
	return openings, closures, blocking
}

// single returns the budgets because of which at most one node may go, if more may never go at once.
func single(timeline []budget.Segment) (which budget.Indexes) {
	for _, s := range timeline {
		if s.Nodes > 1 {
			return 0
		}
		if s.Nodes == 1 {
			which |= s.Binding
		}
	}
	return which
}

func length(s schedule.Span) time.Duration { return s.End.Sub(s.Start) }

// median returns the median length: the higher one of an even number of spans, and 0 without spans.
func median(spans []schedule.Span) time.Duration {
	if len(spans) == 0 {
		return 0
	}
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = length(s)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

// longest returns the length of the longest span.
func longest(spans []schedule.Span) (most time.Duration) {
	for _, s := range spans {
		most = max(most, length(s))
	}
	return most
}
