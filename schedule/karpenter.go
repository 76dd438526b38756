package schedule

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/disruptkit/disruptkit/internal/duration"
)

// ParseKarpenter compiles the window in which Karpenter v1.15 takes a budget with this schedule and duration for active, quirks
// included. Where Parse takes both, in UTC, the two windows are the same but for what comes after a leap day such as that of 2096.
// (Karpenter: Budget.IsActive.)
//
// Karpenter asks robfig/cron for the next hit after now-d, and takes a budget for active if that is not after now. From that follows:
//   - robfig/cron looks for five years, and then returns the zero time, which is not after now. So an expression that never hits
//     ("0 0 30 2 *"; a field that is a comma) is always active, and "0 0 29 2 *" is active in most of the years from 2096 to 2104,
//     which has the next leap day;
//   - with a duration of 0 or less, the next hit always is after now, and the budget is never active otherwise;
//   - "@every 1h" is always active where d is at least 1h, and never if it is shorter (by less than a second: for that long in each
//     second);
//   - "*-5" is "*", and expressions may have any length.
//
// The error says what to write instead of what robfig/cron cannot parse. The Window is then never open; what Karpenter does about
// that is to let nothing go.
func ParseKarpenter(expr string, d time.Duration) (Window, error) {
	parsed, err := cron.ParseStandard("TZ=UTC " + expr)
	if err != nil {
		if _, known := parseExpression(expr); known != nil {
			return never, known
		}
		return never, fmt.Errorf("cron expression %s cannot be parsed: %w", quote(expr), err)
	}
	open := karpenterDuration(d)
	text := fmt.Sprintf("%s for %s, UTC", strings.Join(strings.Fields(expr), " "), duration.Text(d))
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return open.every(parsed.(cron.ConstantDelaySchedule).Delay, text), nil
	}
	e, hits := newExpression(expression{
		minutes: spec.Minute &^ star, hours: spec.Hour &^ star, monthDays: spec.Dom &^ star, months: spec.Month &^ star, weekdays: spec.Dow &^ star,
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

// An elapse is how far Karpenter goes back in time: seconds and nanoseconds of the same sign.
type elapse struct{ seconds, nanos int64 }

// karpenterDuration returns how far Karpenter goes back for a duration. The least of all cannot be negated, so that going back by it is
// going back by the greatest, and a nanosecond.
func karpenterDuration(d time.Duration) elapse {
	e := elapse{int64(d / time.Second), int64(d % time.Second)}
	if d == math.MinInt64 {
		e = elapse{-e.seconds, -e.nanos}
	}
	return e
}

// every is the window of an @every, which Karpenter's schema refuses. The next hit is the delay after now-d, rounded down to a second.
func (e elapse) every(delay time.Duration, text string) Window {
	switch missing := int64(delay/time.Second) - e.seconds; {
	case missing <= 0:
		return Window{}
	case missing == 1: // by the fraction of a second
		return periodic{period: 1, lengthNanos: e.nanos}.window(text)
	}
	return never
}

// lapses are the times in which robfig/cron no longer finds the next leap day: eight years lie between those of 2096 and 2104.
// It gives up where that is after the fifth year from the first second that it looks at.
func (e elapse) lapses(expr expression, text string) (windows []Window) {
	for _, leapYear := range []int64{2096, 2196, 2296} {
		after := firstDay(leapYear, 3)
		if year, _, _ := civil(expr.dayFrom(after)); year < leapYear+8 {
			continue
		}
		last := (after-1)*daySeconds + expr.last
		first := firstDay(leapYear+3, 1)*daySeconds - 1 // from now-d on, it finds the hit of the leap day again
		p := periodic{start: last + e.seconds, startNanos: e.nanos, period: cycleSeconds, length: first - last}
		if p.startNanos < 0 {
			p.start, p.startNanos = p.start-1, p.startNanos+int64(time.Second)
		}
		windows = append(windows, p.window(fmt.Sprintf("%s, which robfig/cron does not find from %d on", text, leapYear)))
	}
	return windows
}
