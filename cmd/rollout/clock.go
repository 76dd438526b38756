package main

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// clock shows a time of the roll: "Tue 03:12".
func clock(t time.Time) string { return t.Format("Mon 15:04") }

// length returns "65m", "6h10m" or "2d14h".
func length(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 90*time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}

// told shows what a blocker says, and until when it holds, if that is known.
func told(b candidate.Blocker, location *time.Location) string {
	if b.Until.IsZero() {
		return b.Message
	}
	return b.Message + ", until " + clock(b.Until.In(location))
}
