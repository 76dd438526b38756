package schedule_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A maintenance window on weekday nights in Berlin, except in the last week of the year.
func Example() {
	nights := schedule.MustParse("0 22 * * mon-fri", 6*time.Hour, "Europe/Berlin")
	freeze := schedule.MustParse("0 0 24 12 *", 8*24*time.Hour, "Europe/Berlin")
	// Open while it is neither outside the nights nor inside the freeze.
	w := schedule.Union(nights.Outside(), freeze).Outside()

	now := time.Date(2026, 12, 24, 1, 0, 0, 0, time.UTC)
	open, span := w.State(now)
	fmt.Println(open, "until", span.End)
	// Output: false until 2026-12-31 23:00:00 +0000 UTC
}

// A window is open from each hit of its expression on, for its duration: this one overnight.
func ExampleInWindow() {
	w := schedule.MustParse("0 17 * * mon-fri", 16*time.Hour, "")
	for _, text := range []string{
		"2026-11-20T16:59:59Z", // Friday
		"2026-11-20T17:00:00Z",
		"2026-11-21T08:59:59Z", // Saturday, still Friday's night
		"2026-11-21T17:00:00Z",
	} {
		now, err := time.Parse(time.RFC3339, text)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(now.Format("Mon 15:04:05"), schedule.InWindow(w, now))
	}
	// Output:
	// Fri 16:59:59 false
	// Fri 17:00:00 true
	// Sat 08:59:59 true
	// Sat 17:00:00 false
}

// The error names every fault, and says what to write instead.
func ExampleParse() {
	_, err := schedule.Parse("0 22-6 * * sat-sun", 0, "Local")
	fmt.Println(err)
	// Output:
	// cron expression "0 22-6 * * sat-sun": hour "22-6" is not valid: write "22-23,0-6"
	// cron expression "0 22-6 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"
	// duration 0s never opens the window: write a positive one such as 1h
	// time zone "Local" depends on the host: write a tz database name such as "Europe/Berlin", or "UTC"
}

// Hits that overlap or touch make one span. A window that never closes has no bounds.
func ExampleWindow_State() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, w := range []schedule.Window{
		schedule.MustParse("0 9-17 * * mon-fri", time.Hour, ""),
		schedule.MustParse("0 0 * * sat,sun", 24*time.Hour, ""),
		schedule.MustParse("@daily", 24*time.Hour, ""),
	} {
		open, span := w.State(now)
		fmt.Printf("%v: open %t", w, open)
		if !span.Start.IsZero() {
			fmt.Printf(" since %s", span.Start.Format("Mon 15:04"))
		}
		if !span.End.IsZero() {
			fmt.Printf(" until %s", span.End.Format("Mon 15:04"))
		}
		fmt.Println()
	}
	// Output:
	// 0 9-17 * * mon-fri for 1h, UTC: open true since Fri 09:00 until Fri 18:00
	// 0 0 * * sat,sun for 24h, UTC: open false since Mon 00:00 until Sat 00:00
	// @daily for 24h, UTC: open true
}

// Where clocks go forward, a window that would open in the hour that is skipped opens at the end of it.
func ExampleWindow_Spans() {
	w := schedule.MustParse("30 2 * * *", time.Hour, "America/New_York")
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		fmt.Println(err)
	}
	from := time.Date(2026, 3, 7, 0, 0, 0, 0, newYork)
	for span := range w.Spans(from, from.AddDate(0, 0, 3)) {
		fmt.Println(span.Start.In(newYork), "to", span.End.In(newYork).Format("15:04"))
	}
	// Output:
	// 2026-03-07 02:30:00 -0500 EST to 03:30
	// 2026-03-08 03:00:00 -0400 EDT to 04:00
	// 2026-03-09 02:30:00 -0400 EDT to 03:30
}

// Outside says "not during business hours", where a second expression for nights and weekends would be guesswork.
func ExampleWindow_Outside() {
	business := schedule.MustParse("0 9 * * mon-fri", 8*time.Hour, "")
	friday := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for span := range business.Outside().Spans(friday, friday.AddDate(0, 0, 4)) {
		fmt.Println(span.Start.Format("Mon 15:04"), "to", span.End.Format("Mon 15:04"))
	}
	// Output:
	// Fri 00:00 to Fri 09:00
	// Fri 17:00 to Mon 09:00
	// Mon 17:00 to Tue 00:00
}

// Windows in several zones, as one.
func ExampleUnion() {
	w := schedule.Union(
		schedule.MustParse("0 2 * * *", 2*time.Hour, "Europe/Berlin"),
		schedule.MustParse("0 22 * * *", 2*time.Hour, "America/New_York"),
	)
	from := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for span := range w.Spans(from, from.AddDate(0, 0, 1)) {
		fmt.Println(span.Start.Format("15:04"), "to", span.End.Format("15:04"))
	}
	// Output: 01:00 to 05:00
}
