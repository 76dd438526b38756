package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleSoaksPastWindow = Rule{
	Code:    CodeSoaksPastWindow,
	Means:   "A budget soaks for longer than its nodes usually may go, so each window has one round of nodes.",
	Example: "1 node with a soak of 4h, and nodes may go for two hours a night: one node a night.",
	Do:      "Write a shorter soak, more nodes, or a longer window.",
}

// soaksPastWindow finds budgets that soak for at least as long as nodes usually may go, and those that are not active
// for so long themselves.
func (l *linter) soaksPastWindow() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		var usual time.Duration
		if openings, _, _ := openingsOf(l.effective(r)); len(openings) >= 3 {
			usual = median(openings)
		}
		for _, b := range l.limits.pool {
			lasts := usual
			if d := l.activeFor(b); d > 0 && (lasts == 0 || d < lasts) {
				lasts = d
			}
			if b.Soak == 0 || !b.Covers(r) || lasts == 0 || b.Soak < lasts {
				continue
			}
			f.Code, f.Severity, f.Budgets = CodeSoaksPastWindow, SeverityWarning, only(b.Index)
			f.Message = fmt.Sprintf("let go by %s, of which a place soaks for %s, but only for %s at a time: so each "+
				"window has one round of nodes", l.name(b.Index), wording.Duration(b.Soak), wording.Duration(lasts))
			f.Advice = "write a shorter soak, more nodes, or a longer window"
			return f, nil, true
		}
		return f, nil, false
	})
}

// activeFor returns how long a budget with a schedule usually is active. 0: always, or that is not known.
func (l *linter) activeFor(b *budget.Limit) time.Duration {
	var spans []schedule.Span
	for span := range b.Window.Spans(l.now, l.end) {
		if spans = append(spans, span); len(spans) == mostSpans {
			break
		}
	}
	if b.Constant() || len(spans) < 3 {
		return 0
	}
	return median(spans)
}

// mostSpans is how many times of a budget are looked at.
const mostSpans = 20
