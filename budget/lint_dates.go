package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// dated reports whether a budget is active on single dates, of its own or of a calendar.
func (b Budget) dated() bool { return b.From != "" || b.To != "" || b.Calendar != "" }

// over finds budgets whose dates are past.
func (l *linter) over() {
	for _, b := range l.budgets() {
		written := l.set.written[b.index]
		active, until := b.window.Until(l.now)
		if !written.dated() || !until.IsZero() || b.constant() || active && !written.Outside {
			continue
		}
		f := Finding{Code: FindingOver, Severity: SeverityWarning, Budgets: only(b.index),
			Message: l.name(b.index) + ", and its last day has passed: it never restricts again",
			Advice:  "delete it, or write later dates"}
		if active {
			f.Message = l.name(b.index) + ", and its last day has passed: it is active for ever from now on"
			f.Advice = "write later dates, or delete it, if it is no longer needed"
		}
		if written.Calendar != "" {
			f.Advice = "provide a newer calendar"
		}
		l.add(f)
	}
}

// forGood finds budgets that begin on a date, and never end.
func (l *linter) forGood() {
	for _, b := range l.budgets() {
		written := l.set.written[b.index]
		if written.From == "" || written.To != "" || written.Outside {
			continue
		}
		l.add(Finding{Code: FindingNoEnd, Severity: SeverityInfo, Budgets: only(b.index),
			Message: l.name(b.index) + ", and has no last day: from its first day on it is always active",
			Advice:  `write "to", the last day, if that is not intended`})
	}
}

// freezeEnds finds freezes on dates that end while other budgets still let no node go. People wait for that end.
func (l *linter) freezeEnds() {
	for _, b := range l.budgets() {
		if written := l.set.written[b.index]; !written.dated() || written.Outside || b.scoped || b.limit.n != 0 {
			continue
		}
		end, found := l.freezeEnd(b)
		if !found {
			continue
		}
		l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
			if !b.covers(r) || l.set.brokenFor(r) {
				return f, false
			}
			for _, s := range l.timelines[r] {
				switch {
				case !s.End.After(end):
				case s.Nodes > 0:
					if s.Start.After(end) && f.Budgets != 0 {
						f.Code, f.Severity, f.Span = FindingEndsClosed, SeverityInfo, schedule.Span{Start: end, End: s.Start}
						f.Message = fmt.Sprintf("still held back when %s ends at %s, and up to %s: %s", l.set.places[b.index], l.time(end), l.time(s.Start), l.names(f.Budgets))
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
func (l *linter) freezeEnd(b *compiled) (end time.Time, found bool) {
	active, until := b.window.Until(l.now)
	if !active && !until.IsZero() {
		_, until = b.window.Until(until)
	}
	return until, !until.IsZero() && until.Before(l.end)
}
