package tell

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
)

// A Clock shows times as seen from now, in its zone.
type Clock struct{ Now time.Time }

// Until returns "Fri 17:00 (in 6h30m)", and nothing for no time. Of a time that is decades away, the date says enough.
func (c Clock) Until(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.After(c.Now.AddDate(20, 0, 0)):
		return c.Day(t)
	}
	return fmt.Sprintf("%s (in %s)", c.Day(t), short(t.Sub(c.Now)))
}

// Since returns "Wed 06:02 (2d4h ago)", and of a time to come "due Fri 17:00 (in 6h30m)".
func (c Clock) Since(t time.Time) string {
	switch {
	case t.IsZero():
		return "unknown"
	case t.After(c.Now):
		return "due " + c.Until(t)
	}
	return fmt.Sprintf("%s (%s ago)", c.Day(t), short(c.Now.Sub(t)))
}

// Whenever returns a time, and how long that is from now, or was ago.
func (c Clock) Whenever(t time.Time) string {
	if t.After(c.Now) {
		return c.Until(t)
	}
	return c.Since(t)
}

// Day returns the weekday and the time, or the date.
func (c Clock) Day(t time.Time) string { return Day(t, c.Now) }

// short returns the two largest units of a duration, and only days where there are many.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 14*day {
		return fmt.Sprintf("%dd", d/day)
	}
	return display.Rough(d)
}
