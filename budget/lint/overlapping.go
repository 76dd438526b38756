package lint

import (
	"fmt"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleOverlappingWindows = Rule{
	Code:    CodeOverlappingWindows,
	Means:   "A schedule hits again while the budget is still active, and the windows merge.",
	Example: `schedule: "0 */4 * * *" with duration: 6h.`,
	Do:      "Check that the duration is what you mean. Windows that merge last longer than each of them.",
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
		shorter, err := schedule.Parse(written.Schedule, d-1, "")
		if err != nil {
			continue
		}
		if _, overlap := l.longer(shorter, d-1); !overlap {
			continue
		}
		whole, err := schedule.Parse(written.Schedule, d, written.TimeZone)
		if err != nil {
			continue
		}
		if span, found := l.longer(whole, d); found {
			l.addFix(Finding{
				Code: CodeOverlappingWindows, Severity: SeverityWarning, Budgets: only(b.Index), Span: span,
				Message: fmt.Sprintf("%s: its schedule hits again before %s have passed, so one window lasts %s",
					l.name(b.Index), written.Duration, wording.Duration(length(span)))},
				func() remedy { return l.hittingOnce(b, whole, span) })
		}
	}
}

// longer returns the first span in the coming year in which a window is open for longer than d.
func (l *linter) longer(w schedule.Window, d time.Duration) (first schedule.Span, found bool) {
	n := 0
	for span := range w.Spans(l.now, l.end) {
		if n++; n > lintChanges/10 {
			break
		}
		if _, span = w.State(span.Start); !span.Start.IsZero() && !span.End.IsZero() && length(span) > d {
			return span, true
		}
	}
	return first, false
}

// hittingOnce says how to write a schedule that hits once for each window, if only its minutes and hours are to change:
// for windows as long as the duration says, and for those that the budget has now.
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
