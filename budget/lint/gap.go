package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
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
			return f, nil, false
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
