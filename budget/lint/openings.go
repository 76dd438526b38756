package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// clockChange is how much longer an opening may be because clocks change.
const clockChange = 2 * time.Hour

// uneven finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. The median opening
// counts as the usual one.
func (l *linter) uneven() {
	l.each(l.reasons, func(r candidate.Reason) (f finding, found bool) {
		timeline := l.effective(r)
		openings, closures, blocking := openingsOf(timeline)
		if openings = withoutSeasons(openings, closedBetween(timeline)); len(openings) < 3 {
			return f, false
		}
		usual := median(openings)
		most := length(slices.MaxFunc(openings, func(a, b schedule.Span) int { return cmp.Compare(length(a), length(b)) }))
		long := 0
		for _, s := range openings {
			if length(s) >= 2*usual {
				long++
			}
		}
		if long == 0 || long > len(openings)/3 || most-usual <= clockChange {
			return f, false
		}
		hole := openings[slices.IndexFunc(openings, func(s schedule.Span) bool { return length(s) >= max(2*usual, most-clockChange) })]
		f = finding{Code: CodeUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			duration.Text(length(hole)), duration.Text(usual), l.names(blocking))
		f.Advice = l.filling(r, hole, usual)
		return f, true
	})
}

// withoutSeasons returns openings without those that are not holes in a freeze but the time between two freezes, that
// is, without those that last longer than any time between two long openings.
func withoutSeasons(openings []schedule.Span, between schedule.Span) []schedule.Span {
	usual := median(openings)
	var freeze time.Duration // the longest one
	start := between.Start
	for _, s := range openings {
		if length(s) >= 2*usual {
			freeze = max(freeze, s.Start.Sub(start))
			start = s.End
		}
	}
	freeze = max(freeze, between.End.Sub(start))
	return slices.DeleteFunc(openings, func(s schedule.Span) bool { return length(s) > freeze })
}

// closedBetween returns the span from the first closure of a timeline to the last.
func closedBetween(timeline []limit.Segment) (s schedule.Span) {
	for _, phase := range phasesOf(timeline) {
		if phase.open {
			continue
		}
		if s.Start.IsZero() {
			s.Start = phase.Start
		}
		s.End = phase.End
	}
	return s
}

// A phase is a span of a timeline in which nodes may go throughout, or none may.
type phase struct {
	schedule.Span
	open     bool
	blocking limit.Indexes // the budgets that close it
	first    limit.Indexes // the budgets that close it at its beginning
	last     limit.Indexes // the budgets that close it at its end
}

// phasesOf returns the phases of a timeline.
func phasesOf(timeline []limit.Segment) (phases []phase) {
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
func openingsOf(timeline []limit.Segment) (openings, closures []schedule.Span, blocking limit.Indexes) {
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
