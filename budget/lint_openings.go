package budget

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/schedule"
)

// clockChange is how much longer an opening may be because of its time zone.
const clockChange = 2 * time.Hour

// uneven finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. (Of what a
// freeze is for, the median opening is the usual one.)
func (l *linter) uneven() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		openings, closures, blocking := openingsOf(l.timelines[r])
		if len(openings) < 3 {
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
		f = Finding{Code: FindingUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			duration.Text(length(hole)), duration.Text(usual), l.names(blocking))
		f.Advice = l.filling(r, hole, usual)
		return f, true
	})
}

// openingsOf returns the spans of a timeline in which nodes may go, and those in which none may, that have both a
// beginning and an end; and the budgets that close.
func openingsOf(timeline []Segment) (openings, closures []schedule.Span, blocking Indexes) {
	var spans []schedule.Span
	var open []bool
	for _, s := range timeline {
		isOpen := s.Nodes > 0
		if !isOpen {
			blocking |= s.Binding
		}
		if last := len(spans) - 1; last >= 0 && open[last] == isOpen {
			spans[last].End = s.End
			continue
		}
		spans, open = append(spans, s.Span), append(open, isOpen)
	}
	for i := 1; i < len(spans)-1; i++ {
		if open[i] {
			openings = append(openings, spans[i])
		} else {
			closures = append(closures, spans[i])
		}
	}
	return openings, closures, blocking
}

func length(s schedule.Span) time.Duration { return s.End.Sub(s.Start) }

// median returns the median length: the higher one of an even number, and 0 of none.
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
