package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleEndsClosed = Rule{
	Code:    CodeEndsClosed,
	Means:   "A freeze ends while other budgets still block all nodes. Nothing happens when it ends.",
	Example: "It ends on Monday morning, and nodes may go at night.",
	Do:      "Nothing, if that is intended; or let it end while nodes may go.",
}

// endsClosed finds freezes on dates that end while other budgets still let no node go. People wait for that end.
func (l *linter) endsClosed() {
	for _, b := range l.valid {
		if written := l.list[b.Index]; !dated(written) || written.Outside || b.Key != "" || b.N != 0 {
			continue
		}
		end, found := l.freezeEnd(b)
		if !found {
			continue
		}
		l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
			if !b.Covers(r) || l.limits.brokenFor(r) {
				return f, nil, false
			}
			for _, s := range l.timelines[r] {
				switch {
				case !s.End.After(end):
				case s.Nodes > 0:
					if s.Start.After(end) && f.Budgets != 0 {
						f.Code, f.Severity, f.Span = CodeEndsClosed, SeverityInfo,
							schedule.Span{Start: end, End: s.Start}
						f.Message = fmt.Sprintf("still blocked when %s ends at %s, and up to %s: %s",
							l.set.Place(b.Index), l.time(end), l.time(s.Start), l.names(f.Budgets))
						f.Advice = "if nodes should go as soon as it ends, write an end at which other budgets " +
							"let them go"
						return f, nil, true
					}
					return f, nil, false
				default:
					f.Budgets |= s.Binding
				}
			}
			return f, nil, false
		})
	}
}

// freezeEnd returns the end of a budget's current or next active time.
func (l *linter) freezeEnd(b *budget.Limit) (end time.Time, found bool) {
	active, until := b.Window.Until(l.now)
	if !active && !until.IsZero() {
		_, until = b.Window.Until(until)
	}
	return until, !until.IsZero() && until.Before(l.end)
}
