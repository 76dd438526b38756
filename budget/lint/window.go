package lint

import (
	"fmt"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// neverCloses finds budgets that are always active in spite of a schedule.
func (l *linter) neverCloses() {
	for _, b := range l.valid {
		if !l.endless(b) {
			continue
		}
		f := Finding{Code: CodeNeverCloses, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and always active: each window lasts until the next begins"}
		tail := ", or write a shorter duration, if it should end in between"
		written := l.list[b.Index]
		if shortest, err := schedule.Parse(written.Schedule, time.Minute, written.TimeZone); err == nil &&
			l.alwaysOpen(shortest) {
			tail = ", or write a schedule that hits less often"
		}
		l.addFix(f, func() remedy {
			untimed := l.untimed(b.Index)
			untimed.obvious = b.N > 0 // hardly anybody means a freeze for ever
			return remedy{ways: []way{untimed}, tail: tail, otherwise: "correct its schedule or its duration"}
		})
	}
}

func (l *linter) endless(b *budget.Limit) bool {
	return !b.Constant() && !dated(l.list[b.Index]) && l.alwaysOpen(b.Window)
}

func (l *linter) alwaysOpen(w schedule.Window) bool {
	isOpen, until := w.Until(l.now)
	return isOpen && until.IsZero()
}

// neverFires finds budgets that are not active in the coming year.
func (l *linter) neverFires() {
	for _, b := range l.valid {
		active, until := b.Window.Until(l.now)
		if dated(l.list[b.Index]) && until.IsZero() {
			continue // over says so
		}
		if active || !until.IsZero() && until.Before(l.now.Add(lintYear)) {
			continue
		}
		f := Finding{Code: CodeNeverFires, Severity: SeverityError, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and never active"}
		if !until.IsZero() {
			f.Severity, f.Span.End = SeverityInfo, until
			f.Message = fmt.Sprintf("%s, and not active before %s", l.name(b.Index), l.time(until))
			f.Advice = "until then it limits nothing: write a schedule that hits sooner, if that is not intended"
			if dated(l.list[b.Index]) {
				f.Advice = "until then it limits nothing: write an earlier date, if that is not intended"
			}
		}
		if f.Severity == SeverityInfo {
			l.add(f)
			continue
		}
		l.addFix(f, func() remedy {
			const other = "write a schedule and a duration that leave some time outside"
			return remedy{lead: "it limits nothing: ", ways: []way{l.deleting(b.Index)}, tail: ", or " + other,
				otherwise: other}
		})
	}
}

// overlappingWindows finds budgets that are active for longer than their duration because their schedule hits again
// meanwhile. It skips windows that only touch, such as the days of a week, and hours that occur twice in a time zone.
func (l *linter) overlappingWindows() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		d, err := time.ParseDuration(written.Duration)
		if written.Schedule == "" || err != nil || l.endless(b) {
			continue
		}
		if _, overlap := l.longer(written.Schedule, "", d-1); !overlap {
			continue
		}
		whole, err := schedule.Parse(written.Schedule, d, written.TimeZone)
		if err != nil {
			continue
		}
		if span, found := l.longer(written.Schedule, written.TimeZone, d); found {
			l.addFix(Finding{
				Code: CodeOverlappingWindows, Severity: SeverityWarning, Budgets: only(b.Index), Span: span,
				Message: fmt.Sprintf("%s: its schedule hits again before %s have passed, so one window lasts %s",
					l.name(b.Index), written.Duration, wording.Duration(length(span)))},
				func() remedy { return l.hittingOnce(b, whole, span) })
		}
	}
}

// longer returns the first span in the coming year in which windows of d are open for longer than d, since the schedule
// hits again before they close.
func (l *linter) longer(text, zone string, d time.Duration) (first schedule.Span, found bool) {
	in := recalled(l.known.longer, longerThan{text, zone, d, l.end}, func() (none lasting) {
		w, err := schedule.Parse(text, d, zone)
		if err != nil {
			return none
		}
		n := 0
		for span := range w.Spans(l.now, l.end) {
			if n++; n > lintChanges/10 {
				break
			}
			if _, span = w.State(span.Start); !span.Start.IsZero() && !span.End.IsZero() && length(span) > d {
				return lasting{span, true}
			}
		}
		return none
	})
	return in.span, in.found
}

// hittingOnce returns how to write a schedule that hits once for each window, if only its minutes and hours are to
// change: for windows as long as the duration says, and for those that the budget has now.
func (l *linter) hittingOnce(b *budget.Limit, whole schedule.Window, merged schedule.Span) remedy {
	otherwise := remedy{otherwise: "write a schedule that hits once for each window, or a shorter duration"}
	e, ok := l.expression(b)
	written := l.list[b.Index]
	zone, err := time.LoadLocation(written.TimeZone)
	if !ok || err != nil {
		return otherwise
	}
	start := merged.Start.In(zone)
	e.minute, e.hour = strconv.Itoa(start.Minute()), strconv.Itoa(start.Hour())
	now := wording.Duration(length(merged))
	if once, err := schedule.Parse(e.String(), length(merged), written.TimeZone); err != nil || !l.same(once, whole) {
		return otherwise
	}
	place := l.set.Place(b.Index)
	otherwise.ways = []way{{raises: true,
		does:  fmt.Sprintf(`write "schedule": %q in %s for windows of %s`, e, place, written.Duration),
		edits: l.edit(b.Index, func(b *budget.Budget) { b.Schedule = e.String() })}, {
		does:  fmt.Sprintf(`write "schedule": %q, "duration": %q in %s for windows of %[2]s`, e, now, place),
		edits: l.edit(b.Index, func(b *budget.Budget) { b.Schedule, b.Duration = e.String(), now })}}
	return otherwise
}

// same reports whether two windows are open at the same times, as far as lint checks them.
func (l *linter) same(a, b schedule.Window) bool {
	for _, only := range []schedule.Window{schedule.Union(a.Outside(), b).Outside(),
		schedule.Union(a, b.Outside()).Outside()} {
		for range only.Spans(l.now, l.end) {
			return false
		}
	}
	return true
}

// dated reports whether a budget is active on single dates, of its own or of a calendar.
func dated(b budget.Budget) bool { return b.From != "" || b.To != "" || b.Calendar != "" }

// over finds budgets whose dates are past, and those whose calendar has no events to come.
func (l *linter) over() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		if f, found := l.calendarOver(b); found {
			l.add(f)
			continue
		}
		active, until := b.Window.Until(l.now)
		if !dated(written) || !until.IsZero() || b.Constant() || active && !written.Outside {
			continue
		}
		f := Finding{Code: CodeOver, Severity: SeverityWarning, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and its last day has passed: it never restricts again"}
		if active {
			f.Message = l.name(b.Index) + ", and its last day has passed: it is active for ever from now on"
		}
		l.addFix(f, func() remedy {
			deleting := l.deleting(b.Index)
			deleting.obvious, deleting.raises = !active, active
			return remedy{ways: []way{deleting}, tail: ", or write later dates", otherwise: "write later dates"}
		})
	}
}

// calendarOver reports whether the calendar of a budget has no events to come. More may be known later, since recurring
// events are read only up to some time. For the same reason this is no error, even if no events are known at all.
func (l *linter) calendarOver(b *budget.Limit) (f Finding, over bool) {
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
	return Finding{Code: CodeOver, Severity: SeverityWarning, Budgets: only(b.Index),
		Message: l.name(b.Index) + ", and " + what + ": " + effect,
		Advice:  "provide a calendar with events to come, or read further ahead if they recur only after years"}, true
}

// noLastDay finds budgets that begin on a date, and never end.
func (l *linter) noLastDay() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		if written.From == "" || written.To != "" || written.Outside {
			continue
		}
		l.add(Finding{Code: CodeNoLastDay, Severity: SeverityInfo, Budgets: only(b.Index),
			Message: l.name(b.Index) + ", and has no last day: from its first day on it is always active",
			Advice:  `write "to", the last day, if that is not intended`})
	}
}

// manyChanges returns the finding that lint checked a reason only up to a time.
func (l *linter) manyChanges(r candidate.Reason, message string, upTo time.Time) Finding {
	return Finding{Code: CodeManyChanges, Severity: SeverityInfo, Reason: r, Span: schedule.Span{Start: upTo},
		Message: fmt.Sprintf(message, l.time(upTo)), Advice: "write schedules that hit less often"}
}
