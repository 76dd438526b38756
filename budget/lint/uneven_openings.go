package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleUnevenOpenings = Rule{
	Code:    CodeUnevenOpenings,
	Means:   "One opening is far longer than the others, mostly a weekend that a weekday schedule leaves open.",
	Example: `nodes: "0" from 17:00 for 16h on mon-fri leaves Saturday 09:00 to Monday 17:00 open.`,
	Do:      "If that is not intended, add the budget that the advice shows.",
}

// unevenOpenings finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. The median
// opening counts as the usual one.
func (l *linter) unevenOpenings() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		timeline := l.effective(r)
		openings, closures, blocking := openingsOf(timeline)
		if openings = withoutSeasons(openings, closedBetween(timeline)); len(openings) < 3 || !l.nightly(closures) {
			return f, nil, false
		}
		usual := median(openings)
		most := longest(openings)
		long := 0
		for _, s := range openings {
			if length(s) >= 2*usual {
				long++
			}
		}
		if long == 0 || long > len(openings)/3 || most-usual <= clockChange {
			return f, nil, false
		}
		hole := openings[slices.IndexFunc(openings,
			func(s schedule.Span) bool { return length(s) >= max(2*usual, most-clockChange) })]
		f = Finding{Code: CodeUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			wording.Duration(length(hole)), wording.Duration(usual), l.names(blocking))
		return f, func(reasons []candidate.Reason) remedy { return l.filling(reasons, hole, usual) }, true
	})
}

// nightly reports whether a good part of the closures lasts through a night. A freeze by day leaves the weekend open on purpose.
func (l *linter) nightly(closures []schedule.Span) bool {
	nights := 0
	for _, s := range closures {
		start := s.Start.In(l.now.Location())
		night := time.Date(start.Year(), start.Month(), start.Day(), 3, 0, 0, 0, start.Location())
		if night.Before(start) {
			night = night.AddDate(0, 0, 1)
		}
		if night.Before(s.End) {
			nights++
		}
	}
	return 3*nights >= len(closures)
}

// clockChange is how much longer an opening may be because clocks change.
const clockChange = 2 * time.Hour

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
func closedBetween(timeline []budget.Segment) (s schedule.Span) {
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

// filling says how to shorten a weekly opening to its usual length. It does so only if that closes no other opening,
// and not more time than is closed already or stays open. If it leaves less than a third of the open time, the long
// opening is rather the one that is meant.
func (l *linter) filling(reasons []candidate.Reason, hole schedule.Span, usual time.Duration) remedy {
	start := hole.Start.UTC()
	more := budget.Budget{
		Reasons: reasons,
		Nodes:   "0", Schedule: fmt.Sprintf("%d %d * * %s", start.Minute(), start.Hour(),
			strings.ToLower(start.Format("Mon"))),
		Duration: wording.Duration(length(hole) - usual),
	}
	return remedy{ways: []way{{does: "if that is not intended, add " + l.literals(more), edits: l.adding(more),
		good: func(after *linter) bool {
			return !slices.ContainsFunc(reasons, func(r candidate.Reason) bool {
				open, left := openFor(l.effective(r)), openFor(after.effective(r))
				year := l.end.Sub(l.now)
				return open-left > max(left, year-open) || open > 3*left ||
					!shortens(l.effective(r), after.effective(r), usual)
			})
		}}}, otherwise: "if that is not intended, also add a budget of 0 for the time that should be closed"}
}

// shortens reports whether two timelines differ only in openings that were far longer than the usual one and now last
// about as long. Openings at the ends of the timeline may be cut.
func shortens(before, after []budget.Segment, usual time.Duration) bool {
	openings, _, _ := openingsOf(before)
	shorter, _, _ := openingsOf(after)
	if lost := len(openings) - len(shorter); lost < -2 || 2 < lost {
		return false // openings were closed, or cut in two
	}
	long := slices.DeleteFunc(openings, func(s schedule.Span) bool { return length(s) < 2*usual })
	first, last := before[0].Start, before[len(before)-1].End
	for span, both := range together(before, after) {
		was, is := both[0].Nodes, both[1].Nodes
		for len(long) > 0 && !long[0].End.After(span.Start) {
			long = long[1:]
		}
		inLong := len(long) > 0 && !span.Start.Before(long[0].Start)
		atEnd := span.Start.Before(first.Add(lintWeek)) || span.End.After(last.Add(-lintWeek))
		if was != is && (is != 0 || !inLong && !atEnd) {
			return false
		}
	}
	return !slices.ContainsFunc(shorter, func(s schedule.Span) bool { return length(s) > usual+clockChange })
}
