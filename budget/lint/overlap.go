package lint

import (
	"fmt"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// hittingOnce says how to write a schedule that hits once for each window, if only its minutes and hours are to change:
// for windows as long as the duration says, and for those that the budget has now.
func (l *linter) hittingOnce(b *limit.Budget, whole schedule.Window, merged schedule.Span) string {
	const otherwise = "write a schedule that hits once for each window, or a shorter duration"
	e, ok := l.expression(b)
	written := l.list[b.Index]
	zone, err := time.LoadLocation(written.TimeZone)
	if !ok || err != nil {
		return otherwise
	}
	start := merged.Start.In(zone)
	e.minute, e.hour = strconv.Itoa(start.Minute()), strconv.Itoa(start.Hour())
	now := duration.Text(length(merged))
	if once, err := schedule.Parse(e.String(), length(merged), written.TimeZone); err != nil || !l.same(once, whole) {
		return otherwise
	}
	short := l.change(b.Index, func(b *budget.Budget) { b.Schedule = e.String() })
	return fmt.Sprintf(`write "schedule": %q in %s for windows of %s%s; or "schedule": %[1]q, "duration": %[5]q in %[2]s for those of %[5]s`,
		e, l.set.Place(b.Index), written.Duration, l.butWhich(short), now)
}

// same reports whether two windows are open at the same times, as far as lint checks them.
func (l *linter) same(a, b schedule.Window) bool {
	for _, only := range []schedule.Window{schedule.Union(a.Outside(), b).Outside(), schedule.Union(a, b.Outside()).Outside()} {
		for range only.Spans(l.now, l.end) {
			return false
		}
	}
	return true
}
