package schedule

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// ParseKarpenter compiles the window in which Karpenter v1.15 considers a budget with this schedule and duration
// active, quirks included. If [Parse] accepts both, its window in UTC is the same, except after leap days such as that
// of 2096. (Karpenter: Budget.IsActive.)
//
// Karpenter calls robfig/cron for the next hit after now-d. The budget is active if that hit is not after now. It
// follows:
//   - robfig/cron searches five years ahead and then returns the zero time, which is not after now. So an expression
//     that never hits ("0 0 30 2 *", or a field that is just a comma) is always active. "0 0 29 2 *" stays active from
//     February 2096 to the end of 2098, because the next leap day is in 2104;
//   - if d is 0, the next hit is always after now, so the budget is otherwise never active;
//   - "@every 1h" is always active if d is at least 1h, and otherwise never;
//   - "*-5" means "*", and expressions may have any length.
//
// Durations are whole seconds, as Karpenter's schema demands, and times are before the year 10000.
//
// If robfig/cron cannot parse the expression, the error says what to write instead, and the Window is never open.
// Karpenter itself then disrupts no node.
func ParseKarpenter(expr string, d time.Duration) (Window, error) {
	parsed, err := cron.ParseStandard("TZ=UTC " + expr)
	if err != nil {
		if _, known := parseExpression(expr); known != nil {
			return never, known
		}
		return never, fmt.Errorf("cron expression %s cannot be parsed: %w", quote(expr), err)
	}
	text := recurrenceText(expr, d, "UTC")
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		if parsed.(cron.ConstantDelaySchedule).Delay <= d {
			return Window{}, nil
		}
		return never, nil
	}
	e, hits := newExpression([5]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow})
	if !hits {
		return Window{}, nil
	}
	w := never
	if d > 0 {
		w = newLeaf(newRecurrence(e, nil, d), text)
	}
	lost := Dates(lapses(e, d)...)
	if lost != never {
		lost.w.text = text + " while robfig/cron does not find the next hit"
	}
	return Union(w, lost), nil
}

// lapses returns when robfig/cron does not find the next leap day, up to the year 10000: the leap days of 2096 and 2104
// are eight years apart, and robfig/cron searches up to the end of the fifth year.
func lapses(e expression, d time.Duration) (spans []Span) {
	for year := 96; year < 10_000; year += 100 {
		after := firstDay(year, time.March)
		if next, _, _ := civil(e.seek(after, 1)); next < year+8 {
			continue
		}
		last := time.Unix((after-1)*daySeconds+e.last, 0)
		found := time.Unix(firstDay(year+3, time.January)*daySeconds-1, 0) // from now-d on, the next leap day is found
		spans = append(spans, Span{last.Add(d), found.Add(d)})
	}
	return spans
}
