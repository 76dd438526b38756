package lint

import (
	"fmt"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// neverCloses finds budgets that are always active in spite of a schedule.
func (l *linter) neverCloses(b *budget.Limit) (f Finding, fix func() remedy) {
	if !l.endless(b) {
		return f, nil
	}
	f.Message = ", and always active: each window lasts until the next begins"
	tail := ", or write a shorter duration, if it should end in between"
	written := l.list[b.Index]
	if shortest, err := schedule.Parse(written.Schedule, time.Minute, written.TimeZone); err == nil &&
		l.alwaysOpen(shortest) {
		tail = ", or write a schedule that hits less often"
	}
	return f, func() remedy {
		untimed := l.untimed(b.Index)
		untimed.obvious = b.N > 0 // hardly anybody means a freeze for ever
		return remedy{ways: []way{untimed}, tail: tail, otherwise: "correct its schedule or its duration"}
	}
}

func (l *linter) endless(b *budget.Limit) bool {
	return !constant(b) && !dated(l.list[b.Index]) && l.alwaysOpen(b.Window)
}

func (l *linter) alwaysOpen(w schedule.Window) bool {
	isOpen, until := w.Until(l.now)
	return isOpen && until.IsZero()
}

// neverFires finds budgets that are not active in the coming year. over finds those whose dates are past.
func (l *linter) neverFires(b *budget.Limit) (f Finding, fix func() remedy) {
	active, until := b.Window.Until(l.now)
	byDate := dated(l.list[b.Index])
	switch {
	case active, until.IsZero() && byDate, !until.IsZero() && until.Before(l.now.Add(lintYear)):
		return f, nil
	case !until.IsZero():
		f.Severity, f.Span.End = SeverityInfo, until
		f.Message = ", and not active before " + l.time(until)
		f.Advice = "until then it limits nothing: write a schedule that hits sooner, if that is not intended"
		if byDate {
			f.Advice = "until then it limits nothing: write an earlier date, if that is not intended"
		}
		return f, nil
	}
	f.Message = ", and never active"
	return f, func() remedy {
		const other = "write a schedule and a duration that leave some time outside"
		return remedy{lead: "it limits nothing: ", ways: []way{l.deleting(b.Index)}, tail: ", or " + other,
			otherwise: other}
	}
}

// overlappingWindows finds budgets that are active for longer than their duration because their schedule hits again
// meanwhile. It skips windows that only touch, such as the days of a week, and hours that occur twice in a time zone.
func (l *linter) overlappingWindows(b *budget.Limit) (f Finding, fix func() remedy) {
	written := l.list[b.Index]
	d, err := time.ParseDuration(written.Duration)
	if written.Schedule == "" || err != nil || l.endless(b) || l.longer(written.Schedule, "", d-1) == nil {
		return f, nil
	}
	whole, err := schedule.Parse(written.Schedule, d, written.TimeZone)
	span := l.longer(written.Schedule, written.TimeZone, d)
	if err != nil || span == nil {
		return f, nil
	}
	f.Span = *span
	f.Message = fmt.Sprintf(": its schedule hits again before %s have passed, so one window lasts %s", written.Duration,
		wording.Duration(length(*span)))
	return f, func() remedy { return l.hittingOnce(b, whole, *span) }
}

// longer returns the first span in the coming year in which windows of d are open for longer than d, since the schedule
// hits again before they close, or nil.
func (l *linter) longer(text, zone string, d time.Duration) *schedule.Span {
	w, err := schedule.Parse(text, d, zone)
	if err != nil {
		return nil
	}
	n := 0
	for span := range w.Spans(l.now, l.end) {
		if n++; n > lintChanges/10 {
			break
		}
		if _, span = w.State(span.Start); !span.Start.IsZero() && !span.End.IsZero() && length(span) > d {
			return &span
		}
	}
	return nil
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
	if once, err := schedule.Parse(e.String(), length(merged), written.TimeZone); err != nil ||
		!l.within(once, whole) || !l.within(whole, once) {
		return otherwise
	}
	otherwise.ways = []way{{raises: true, so: " for windows of " + written.Duration,
		edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Schedule = e.String() })},
		{so: " for windows of " + now,
			edits: l.edit(only(b.Index), func(b *budget.Budget) { b.Schedule, b.Duration = e.String(), now })}}
	return otherwise
}

// dated reports whether a budget is active on single dates, of its own or of a calendar.
func dated(b budget.Budget) bool { return b.From != "" || b.To != "" || b.Calendar != "" }

// over finds budgets whose dates are past, and those whose calendar has no events to come. More may be known later,
// since recurring events are read only up to some time. For the same reason this is no error, even if no events are
// known at all.
func (l *linter) over(b *budget.Limit) (f Finding, fix func() remedy) {
	written := l.list[b.Index]
	active, until := b.Window.Until(l.now)
	known, event := l.spec.Calendars[written.Calendar].State(l.now)
	switch {
	case !dated(written), written.Calendar != "" && !event.End.IsZero():
		return f, nil
	case written.Calendar != "" && !known:
		what, effect := "the last event known of its calendar has passed", "it does not restrict until more are known"
		if event.Start.IsZero() {
			what = "its calendar has no known events"
		}
		if written.Outside {
			effect = "it is active until more are known"
		}
		f.Message = fmt.Sprintf(", and %s: %s", what, effect)
		f.Advice = "provide a calendar with events to come, or read further ahead if they recur only after years"
		return f, nil
	case constant(b), !until.IsZero(), active && !written.Outside:
		return f, nil
	case active:
		f.Message = ", and its last day has passed: it is active for ever from now on"
	default:
		f.Message = ", and its last day has passed: it never restricts again"
	}
	return f, func() remedy {
		deleting := l.deleting(b.Index)
		deleting.obvious, deleting.raises = !active, active
		return remedy{ways: []way{deleting}, tail: ", or write later dates", otherwise: "write later dates"}
	}
}

// noLastDay finds budgets that begin on a date, and never end.
func (l *linter) noLastDay(b *budget.Limit) (f Finding, fix func() remedy) {
	if written := l.list[b.Index]; written.From != "" && written.To == "" && !written.Outside {
		f.Message = ", and has no last day: from its first day on it is always active"
		f.Advice = `write "to", the last day, if that is not intended`
	}
	return f, nil
}
