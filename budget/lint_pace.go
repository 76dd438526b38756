package budget

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/schedule"
)

// paceAlone finds reasons that only paces limit. If nodes take long, many may be in flight at once.
func (l *linter) paceAlone() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		limiting, _ := l.limiting(r)
		paces := l.pacesOf(r)
		if limiting != 0 || paces == 0 || l.set.brokenFor(r) {
			return f, false
		}
		return Finding{Code: FindingPaceAlone, Severity: SeverityWarning, Budgets: paces,
			Message: fmt.Sprintf("limited only by a pace, which says how many nodes start, not how many are in flight at once: %s", l.names(paces)),
			Advice:  `nodes that take longer than that pile up: add a budget without per, such as {"nodes": "10%"}`}, true
	})
}

// pacesOf returns the paces that cover a reason.
func (l *linter) pacesOf(r candidate.Reason) (which Indexes) {
	for i := range l.set.paces {
		if b := &l.set.paces[i]; b.covers(r) {
			which.add(b.index)
		}
	}
	return which
}

// idlePaces finds paces that never hold a node back, because another one is always tighter: it lets no more nodes start
// within a longer period.
func (l *linter) idlePaces() {
	for i := range l.set.paces {
		for j := range l.set.paces {
			if a, b := &l.set.paces[i], &l.set.paces[j]; i != j && l.set.outpaced(a, b) && !(i < j && l.set.outpaced(b, a)) {
				l.add(Finding{Code: FindingNeverBinds, Severity: SeverityWarning, Budgets: only(a.index) | only(b.index),
					Message: fmt.Sprintf("%s, and never holds a node back: %s, and always tighter", l.name(a.index), l.name(b.index)),
					Advice:  "delete it, or write a lower number"})
				break
			}
		}
	}
}

// outpaced reports whether a pace never holds back a node that another pace lets start.
func (s *set) outpaced(a, b *compiled) bool {
	covered := len(b.reasons) == 0
	for _, r := range a.reasons {
		covered = covered || b.covers(r)
	}
	for _, r := range a.reasons {
		covered = covered && b.covers(r)
	}
	fewer := a.limit.percent == b.limit.percent && b.limit.n <= a.limit.n
	return covered && fewer && b.per >= a.per && (b.constant() || a.window == b.window) && !s.specific
}

// slow finds paces that are too slow for a pool to finish within one of the windows in which its nodes may go.
func (l *linter) slow() {
	if l.assumed {
		return
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		openings, _, _ := openingsOf(l.effective(r))
		if len(openings) < 3 {
			return f, false
		}
		usual, paces := median(openings), l.pacesOf(r)
		if l.set.specific || usual <= 0 {
			return f, false
		}
		most := math.MaxInt // nodes that can start within a window
		for i := range l.set.paces {
			b := &l.set.paces[i]
			if !paces.Has(b.index) || !b.constant() {
				continue
			}
			if n := startsWithin(b, l.nodes, usual); n < most {
				most, f.Budgets = n, only(b.index)
			}
		}
		if most >= l.nodes {
			return f, false
		}
		all := openings[min(len(openings), (l.nodes+most-1)/most)-1].End
		f.Code, f.Severity, f.Span = FindingSlowPace, SeverityInfo, schedule.Span{Start: l.now, End: all}
		f.Message = fmt.Sprintf("allowed to start %d of %d nodes in the %s that an opening usually lasts, so all of them need about %d openings, up to %s: %s",
			most, l.nodes, duration.Text(usual), (l.nodes+most-1)/most, l.time(all), l.names(f.Budgets))
		f.Advice = "write a higher number, or longer windows, if that is not intended"
		return f, true
	})
}

// startsWithin returns how many nodes a pace lets start within a time.
func startsWithin(b *compiled, nodes int, d time.Duration) int {
	return b.limit.of(nodes) * int((d+b.per-1)/b.per)
}
