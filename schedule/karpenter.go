package schedule

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// ParseKarpenter compiles the window in which Karpenter v1.15 considers a budget with this schedule and duration
// active, quirks included. If [Parse] accepts both, its window in UTC is the same, except after leap days such as that
// of 2096. (Karpenter: Budget.IsActive.)
//
// Karpenter asks robfig/cron for the next hit after now-d. The budget is active if that hit is not after now. It
// follows:
//   - robfig/cron searches five years ahead and then returns the zero time, which is not after now. So an expression
//     that never hits ("0 0 30 2 *", or a field that is just a comma) is always active. "0 0 29 2 *" stays active from
//     February 2096 to the end of 2098, because the next leap day is in 2104;
//   - if d is 0 or less, the next hit is always after now, so the budget is otherwise never active;
//   - "@every 1h" is always active if d is at least 1h, and otherwise never. The exception: if d is short by less than
//     a second, it is active in each second for as long as d's fraction of a second;
//   - "*-5" means "*", and expressions may have any length.
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
	open := karpenterDuration(d)
	text := fmt.Sprintf("%s for %s, UTC", strings.Join(strings.Fields(expr), " "), wording.Duration(d))
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return open.every(parsed.(cron.ConstantDelaySchedule).Delay, text), nil
	}
	e, hits := newExpression(expression{
		minutes: spec.Minute &^ star, hours: spec.Hour &^ star,
		monthDays: spec.Dom &^ star, months: spec.Month &^ star, weekdays: spec.Dow &^ star,
	}, spec.Dom&star != 0, spec.Dow&star != 0)
	if !hits {
		return Window{}, nil
	}
	parts := []Window{never}
	if d > 0 || d == math.MinInt64 {
		r := &recurrence{expression: e, seconds: open.seconds, nanos: open.nanos}
		r.gapless = e.gapless(r.seconds)
		parts[0] = Window{&window{recurrence: r, text: text}}
	}
	return Union(append(parts, open.lapses(e, text)...)...), nil
}

// An elapse is how far Karpenter goes back in time. Seconds and nanoseconds have the same sign.
type elapse struct{ seconds, nanos int64 }

// karpenterDuration returns how far Karpenter goes back for a duration. The least duration cannot be negated: going
// back by it means going back by the greatest duration and one nanosecond.
func karpenterDuration(d time.Duration) elapse {
	e := elapse{int64(d / time.Second), int64(d % time.Second)}
	if d == math.MinInt64 {
		e = elapse{-e.seconds, -e.nanos}
	}
	return e
}

// every returns the window of an @every expression, which Karpenter's schema rejects. Its next hit is now-d+delay,
// rounded down to a second.
func (e elapse) every(delay time.Duration, text string) Window {
	switch missing := int64(delay/time.Second) - e.seconds; {
	case missing <= 0:
		return Window{}
	case missing == 1: // by the fraction of a second
		return periodic{period: 1, lengthNanos: e.nanos}.window(text)
	}
	return never
}

// lapses returns the windows in which robfig/cron does not find the next leap day. Eight years lie between the leap
// days of 2096 and 2104, and robfig/cron searches only up to the end of the fifth year from where it starts.
func (e elapse) lapses(expr expression, text string) (windows []Window) {
	for _, leapYear := range []int64{2096, 2196, 2296} {
		after := firstDay(leapYear, 3)
		if year, _, _ := civil(expr.dayFrom(after)); year < leapYear+8 {
			continue
		}
		last := (after-1)*daySeconds + expr.last
		first := firstDay(leapYear+3, 1)*daySeconds - 1 // once now-d is here, the hit of the next leap day is found
		p := periodic{start: last + e.seconds, startNanos: e.nanos, period: cycleSeconds, length: first - last}
		if p.startNanos < 0 {
			p.start, p.startNanos = p.start-1, p.startNanos+int64(time.Second)
		}
		windows = append(windows,
			p.window(fmt.Sprintf("%s, which robfig/cron does not find from %d on", text, leapYear)))
	}
	return windows
}
