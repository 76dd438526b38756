package lint

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// paceAlone finds reasons that only paces limit. If nodes take long, many may be in flight at once.
func (l *linter) paceAlone() {
	l.each(l.reasons, func(r candidate.Reason) (f finding, found bool) {
		limiting, _ := l.limiting(r)
		paces := l.pacesOf(r)
		if limiting != 0 || paces == 0 || l.limits.BrokenFor(r) {
			return f, false
		}
		return finding{Code: CodePaceAlone, Severity: SeverityWarning, Budgets: paces,
			Message: fmt.Sprintf("limited only by a pace, which says how many nodes start, not how many are in flight at once: %s", l.names(paces)),
			Advice:  `nodes that take longer than that pile up: add a budget without per, such as {"nodes": "10%"}`}, true
	})
}

// pacesOf returns the paces that cover a reason.
func (l *linter) pacesOf(r candidate.Reason) (which limit.Indexes) {
	for i := range l.limits.Paces {
		if b := &l.limits.Paces[i]; b.Covers(r) {
			which.Add(b.Index)
		}
	}
	return which
}

// idlePaces finds paces that never hold a node back, because another one is always tighter: it lets no more nodes start
// within a longer period.
func (l *linter) idlePaces() {
	for i := range l.limits.Paces {
		for j := range l.limits.Paces {
			if a, b := &l.limits.Paces[i], &l.limits.Paces[j]; i != j && l.outpaced(a, b) && !(i < j && l.outpaced(b, a)) {
				l.add(finding{Code: CodeNeverBinds, Severity: SeverityWarning, Budgets: limit.Only(a.Index) | limit.Only(b.Index),
					Message: fmt.Sprintf("%s, and never holds a node back: %s, and always tighter", l.name(a.Index), l.name(b.Index)),
					Advice:  "delete it, or write a lower number"})
				break
			}
		}
	}
}

// outpaced reports whether a pace never holds back a node that another pace lets start.
func (l *linter) outpaced(a, b *limit.Budget) bool {
	covered := len(b.Reasons) == 0
	for _, r := range a.Reasons {
		covered = covered || b.Covers(r)
	}
	for _, r := range a.Reasons {
		covered = covered && b.Covers(r)
	}
	fewer := a.Limit.Percent == b.Limit.Percent && b.Limit.N <= a.Limit.N
	return covered && fewer && b.Per >= a.Per && (b.Constant() || a.Window == b.Window) && !l.limits.Specific
}

// slow finds paces that are too slow for a pool to finish within one of the windows in which its nodes may go.
func (l *linter) slow() {
	if l.assumed {
		return
	}
	l.each(l.reasons, func(r candidate.Reason) (f finding, found bool) {
		openings, _, _ := openingsOf(l.effective(r))
		if len(openings) < 3 {
			return f, false
		}
		usual, paces := median(openings), l.pacesOf(r)
		if l.limits.Specific || usual <= 0 {
			return f, false
		}
		most := math.MaxInt // nodes that can start within a window
		for i := range l.limits.Paces {
			b := &l.limits.Paces[i]
			if !paces.Has(b.Index) || !b.Constant() {
				continue
			}
			if n := startsWithin(b, l.nodes, usual); n < most {
				most, f.Budgets = n, limit.Only(b.Index)
			}
		}
		if most >= l.nodes {
			return f, false
		}
		all := openings[min(len(openings), (l.nodes+most-1)/most)-1].End
		f.Code, f.Severity, f.Span = CodeSlowPace, SeverityInfo, schedule.Span{Start: l.now, End: all}
		f.Message = fmt.Sprintf("allowed to start %d of %d nodes in the %s that an opening usually lasts, so all of them need about %d openings, up to %s: %s",
			most, l.nodes, duration.Text(usual), (l.nodes+most-1)/most, l.time(all), l.names(f.Budgets))
		f.Advice = "write a higher number, or longer windows, if that is not intended"
		return f, true
	})
}

// startsWithin returns how many nodes a pace lets start within a time.
func startsWithin(b *limit.Budget, nodes int, d time.Duration) int {
	return b.Limit.Of(nodes) * int((d+b.Per-1)/b.Per)
}
