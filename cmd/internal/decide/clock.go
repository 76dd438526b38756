package decide

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/internal/display"
)

// A clock shows times as seen from now, in its zone.
type clock struct{ now time.Time }

// until returns "Fri 17:00 (in 6h30m)", and nothing for no time. Of a time that is decades away, the date says enough.
func (c clock) until(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.After(c.now.AddDate(20, 0, 0)):
		return c.day(t)
	}
	return fmt.Sprintf("%s (in %s)", c.day(t), short(t.Sub(c.now)))
}

// since returns "Wed 06:02 (2d4h ago)", and of a time to come "due Fri 17:00 (in 6h30m)".
func (c clock) since(t time.Time) string {
	switch {
	case t.IsZero():
		return "unknown"
	case t.After(c.now):
		return "due " + c.until(t)
	}
	return fmt.Sprintf("%s (%s ago)", c.day(t), short(c.now.Sub(t)))
}

// deadline returns "Wed 06:02 (2d4h ago), overdue", and nothing where there is none.
func (c clock) deadline(of candidate.Candidate) string {
	switch {
	case of.Deadline.IsZero():
		return ""
	case of.Overdue:
		return c.since(of.Deadline) + ", overdue"
	}
	return c.until(of.Deadline)
}

// day returns the weekday and the time, or the date.
func (c clock) day(t time.Time) string { return tell.Day(t, c.now) }

// short returns the two largest units of a duration, and only days where there are many.
func short(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 14*day {
		return fmt.Sprintf("%dd", d/day)
	}
	return display.Rough(d)
}
