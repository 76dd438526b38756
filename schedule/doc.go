// Package schedule computes when a window of time is open.
//
// A [Window] is a cron expression, a duration and a time zone: "0 17 * * mon-fri for 16h, Europe/Berlin" opens at 17:00
// on weekdays in Berlin and closes 16 hours later. Windows combine: a [Union] is open while any of its parts is open,
// and [Window.Outside] is open exactly while the window is closed. [Dates] and [ParseDates] make windows that do not
// recur, such as a holiday or a change freeze.
//
//	now ──▶ InWindow   is it open?
//	    ──▶ State      since when is it open or closed, and when does that end?
//	    ──▶ Spans      when is it open between two times?
//
// # What a window means
//
// A cron expression hits at certain minutes of the wall clock. The window is open at t if there is a hit h with h ≤ t <
// h+duration. Hits whose times overlap or touch form one span. Karpenter's Budget.IsActive has the same rule, but only
// in UTC. [Parse] lists what is accepted.
//
// Where clocks change, a hit in skipped wall-clock time happens at the end of the gap, so that no window is lost. A hit
// in repeated wall-clock time happens twice. Durations are elapsed time: a window of 24h that opens at midnight closes
// at 23:00 on a day of 25 hours.
//
// # Cost
//
// github.com/robfig/cron/v3 parses expressions, once. InWindow allocates nothing. The last and the next hit are found
// on the parsed bit sets, day by day where dates matter, rather than by stepping through time.
//
// The tz database is linked in (time/tzdata) for hosts without one.
package schedule
