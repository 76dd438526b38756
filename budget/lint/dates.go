package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// dated reports whether a budget is active on single dates, of its own or of a calendar.
func dated(b budget.Budget) bool { return b.From != "" || b.To != "" || b.Calendar != "" }

// over finds budgets whose dates are past, and those whose calendar has no events to come.
func (l *linter) over() {
	for _, b := range l.budgets() {
		written := l.list[b.Index]
		if f, found := l.calendarOver(b); found {
			l.add(f)
			continue
		}
		active, until := b.Window.Until(l.now)
		if !dated(written) || !until.IsZero() || b.Constant() || active && !written.Outside {
			continue
		}
		f := finding{Code: CodeOver, Severity: SeverityWarning, Budgets: limit.Only(b.Index),
			Message: l.name(b.Index) + ", and its last day has passed: it never restricts again",
			Advice:  l.deleting(b.Index) + ", or write later dates"}
		if active {
			f.Message = l.name(b.Index) + ", and its last day has passed: it is active for ever from now on"
			f.Advice = "write later dates, or " + l.deleting(b.Index)
		}
		l.add(f)
	}
}

// calendarOver tells whether the calendar of a budget has no events to come. More may be known later, since recurring
// events are read only up to some time. For the same reason this is no error, even if no events are known at all.
func (l *linter) calendarOver(b *limit.Budget) (f finding, over bool) {
	written := l.list[b.Index]
	if written.Calendar == "" {
		return f, false
	}
	open, span := l.spec.Calendars[written.Calendar].State(l.now)
	if open || !span.End.IsZero() {
		return f, false
	}
	what, effect := "the last event known of its calendar has passed", "it does not restrict until more are known"
	if span.Start.IsZero() {
		what = "its calendar has no known events"
	}
	if written.Outside {
		effect = "it is active until more are known"
	}
	return finding{Code: CodeOver, Severity: SeverityWarning, Budgets: limit.Only(b.Index),
		Message: l.name(b.Index) + ", and " + what + ": " + effect,
		Advice:  "provide a calendar with events to come, read further ahead if they recur only after years, or " + l.deleting(b.Index)}, true
}

// forGood finds budgets that begin on a date, and never end.
func (l *linter) forGood() {
	for _, b := range l.budgets() {
		written := l.list[b.Index]
		if written.From == "" || written.To != "" || written.Outside {
			continue
		}
		l.add(finding{Code: CodeNoEnd, Severity: SeverityInfo, Budgets: limit.Only(b.Index),
			Message: l.name(b.Index) + ", and has no last day: from its first day on it is always active",
			Advice:  `write "to", the last day, if that is not intended`})
	}
}

// freezeEnds finds freezes on dates that end while other budgets still let no node go. People wait for that end.
func (l *linter) freezeEnds() {
	for _, b := range l.budgets() {
		if written := l.list[b.Index]; !dated(written) || written.Outside || b.Key != "" || b.Limit.N != 0 {
			continue
		}
		end, found := l.freezeEnd(b)
		if !found {
			continue
		}
		l.each(l.reasons, func(r candidate.Reason) (f finding, found bool) {
			if !b.Covers(r) || l.limits.BrokenFor(r) {
				return f, false
			}
			for _, s := range l.timelines[r] {
				switch {
				case !s.End.After(end):
				case s.Nodes > 0:
					if s.Start.After(end) && f.Budgets != 0 {
						f.Code, f.Severity, f.Span = CodeEndsClosed, SeverityInfo, schedule.Span{Start: end, End: s.Start}
						f.Message = fmt.Sprintf("still blocked when %s ends at %s, and up to %s: %s", l.set.Place(b.Index), l.time(end), l.time(s.Start), l.names(f.Budgets))
						f.Advice = "if nodes should go as soon as it ends, write an end at which other budgets let them go"
						return f, true
					}
					return f, false
				default:
					f.Budgets |= s.Binding
				}
			}
			return f, false
		})
	}
}

// freezeEnd returns the end of a budget's current or next active time.
func (l *linter) freezeEnd(b *limit.Budget) (end time.Time, found bool) {
	active, until := b.Window.Until(l.now)
	if !active && !until.IsZero() {
		_, until = b.Window.Until(until)
	}
	return until, !until.IsZero() && until.Before(l.end)
}
