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

var ruleGap = Rule{
	Code:    CodeGap,
	Means:   "Two freezes almost adjoin. Up to an hour between them is open.",
	Example: `nodes: "0" from 09:00 for 8h, and from 18:00 for 15h: nodes may go from 17:00 to 18:00.`,
	Do:      "Write the duration that the advice shows, if that is not intended.",
}

// A gap is an opening of up to an hour, between closures by different budgets that last longer by far.
const (
	gapLength = time.Hour
	gapPart   = 4
)

// gap finds an hour, or less, between two freezes that else adjoin: probably one of them begins an hour too late, or
// ends too early. It leaves openings that briefOpenings finds, and those that are a window of their own.
func (l *linter) gap() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		phases := phasesOf(l.effective(r))
		others := false // there are other openings, which are meant
		var first phase
		var before budget.Indexes
		for i, p := range phases {
			if i == 0 || i == len(phases)-1 || !p.open {
				continue
			}
			switch {
			case !isGap(phases, i):
				others = true
			case first.End.IsZero() && !isBrief(phases, i) && !l.grants(r, p.Span):
				first, before = p, phases[i-1].last|phases[i+1].first
			}
		}
		if first.End.IsZero() || !others {
			return l.clockHole(phases)
		}
		return Finding{Code: CodeGap, Severity: SeverityInfo, Budgets: before, Span: first.Span,
				Message: fmt.Sprintf("open for %s %s, between two freezes that else adjoin: %s",
					wording.Duration(length(first.Span)), l.span(first.Span), l.names(before))},
			func(reasons []candidate.Reason) remedy { return l.closingGap(reasons, first, before) }, true
	})
}

// isGap reports whether a phase is a gap. It must be an opening between two closures.
func isGap(phases []phase, i int) bool {
	d, last, next := length(phases[i].Span), phases[i-1], phases[i+1]
	return d <= gapLength && min(length(last.Span), length(next.Span)) >= gapPart*d && last.last&next.first == 0
}

// closingGap says how to make the first of two freezes last until the second begins: if that is also for repair, by
// another budget.
func (l *linter) closingGap(reasons []candidate.Reason, gap phase, freezes budget.Indexes) remedy {
	r := remedy{lead: "if that is not intended, ", otherwise: "close that time, too"}
	for i := range freezes.All() {
		d, err := time.ParseDuration(l.list[i].Duration)
		if err != nil || l.list[i].Outside {
			continue
		}
		longer := l.list[i]
		longer.Duration = wording.Duration(d + length(gap.Span))
		r.ways = append(r.ways, way{does: fmt.Sprintf(`write "duration": %q in %s`, longer.Duration, l.set.Place(i)),
			edits: l.replacing(i, longer), instead: len(r.ways) > 0})
		longer.Reasons = reasons
		r.ways = append(r.ways, way{does: "add " + l.literals(longer), edits: l.adding(longer), instead: true})
	}
	return r
}

// clockHole finds the part of an opening, on one day of the week, at a time of day at which all other days are closed,
// where the rest of it is as on other days: a freeze of nights and one of weekends do not adjoin on Monday.
func (l *linter) clockHole(phases []phase) (f Finding, fix advisor, found bool) {
	const day = 24 * time.Hour
	if l.count(CodeUnevenOpenings)+l.count(CodeBriefOpenings) > 0 {
		return f, nil, false // that is the same hole
	}
	var openings []schedule.Span
	for _, p := range phases {
		if p.open && p.Start.Before(l.now.Add(5*lintWeek)) {
			openings = append(openings, p.Span)
		}
	}
	after := func(days int) schedule.Window { // the openings, some days earlier
		shifted := slices.Clone(openings)
		for i, s := range shifted {
			shifted[i] = schedule.Span{Start: s.Start.AddDate(0, 0, -days), End: s.End.AddDate(0, 0, -days)}
		}
		return schedule.Dates(shifted...)
	}
	var others []schedule.Window
	for days := 1; days < 7; days++ {
		others = append(others, after(days), after(-days))
	}
	for _, s := range openings {
		if s.Start.Before(l.now.Add(lintWeek)) || s.Start.After(l.now.Add(3*lintWeek)) || length(s) > 2*day {
			continue
		}
		holes := schedule.Union(append(others, schedule.Dates(s).Outside())...).Outside()
		for hole := range holes.Spans(s.Start, s.End) {
			rest := hole.End // a time in the rest of the opening
			if hole.End.Equal(s.End) {
				rest = s.Start
			}
			usual := 0
			for _, w := range others {
				if schedule.InWindow(w, rest) {
					usual++
				}
			}
			if again := schedule.InWindow(after(7), hole.Start); !again || usual < 6 || hole == s || length(hole) < time.Hour/2 {
				continue
			}
			return l.fillHole(hole, phases)
		}
	}
	return f, nil, false
}

// fillHole says to close a part of an opening, each week.
func (l *linter) fillHole(hole schedule.Span, phases []phase) (f Finding, fix advisor, found bool) {
	i := slices.IndexFunc(phases, func(p phase) bool { return p.End.After(hole.Start) })
	before := phases[max(0, i-1)].last
	f = Finding{Code: CodeGap, Severity: SeverityWarning, Budgets: before, Span: hole,
		Message: fmt.Sprintf("open %s, a time of day at which all other days of the week are closed: %s", l.span(hole),
			l.names(before))}
	return f, func(reasons []candidate.Reason) remedy {
		start := hole.Start.UTC()
		more := budget.Budget{Nodes: "0", Reasons: reasons, Duration: wording.Duration(length(hole)),
			Schedule: fmt.Sprintf("%d %d * * %s", start.Minute(), start.Hour(), strings.ToLower(start.Format("Mon")))}
		return remedy{lead: "if that is not intended, ", otherwise: "close that time, too",
			ways: []way{{does: "add " + l.literals(more), edits: l.adding(more)}}}
	}, true
}
