package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// unlimited finds reasons that no budget limits at some time.
func (l *linter) unlimited() {
	if len(l.list) == 0 {
		l.add(finding{Code: CodeNoBudgets, Severity: SeverityInfo, Message: "the list of budgets is empty, and limits nothing",
			Advice: `leave budgets out for Karpenter's default of 10%, or write [{"nodes": "10%"}]`})
		return
	}
	l.each(l.reasons, func(r candidate.Reason) (f finding, found bool) {
		if l.limits.BrokenFor(r) {
			return f, false
		}
		limiting, windows := l.limiting(r)
		open := schedule.Union(windows...).Outside()
		isOpen, span := open.State(l.now)
		if !isOpen {
			if span.End.IsZero() || !span.End.Before(l.end) {
				return f, false
			}
			_, span = open.State(span.End)
		}
		f = finding{Code: CodeUnlimitedSpan, Severity: SeverityWarning, Budgets: limiting, Span: span}
		if limiting == 0 && l.pacesOf(r) != 0 {
			return f, false // paceAlone says so
		}
		if limiting == 0 {
			f.Message = "unlimited at all times, since no budget covers that"
			f.Advice = l.widening(r)
			return f, true
		}
		f.Message = fmt.Sprintf("unlimited %s, since budgets restrict only while they are active: %s", l.span(span), l.names(limiting))
		f.Advice = l.closing(r, open)
		return f, true
	})
}

// limiting returns the budgets that limit a reason while they are active, those for single zones included, and their
// windows.
func (l *linter) limiting(r candidate.Reason) (limiting limit.Indexes, windows []schedule.Window) {
	for _, b := range l.budgets() {
		if b.Limits(r) && b.Per == 0 {
			limiting.Add(b.Index)
			windows = append(windows, b.Window)
		}
	}
	return limiting, windows
}
