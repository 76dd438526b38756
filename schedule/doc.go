// Package schedule answers when a window of time is open.
//
// A [Window] is a cron expression, a duration and a time zone: "0 17 * * mon-fri for 16h, Europe/Berlin" opens at
// 17:00 on weekdays in Berlin and closes 16 hours later. Windows combine: a [Union] is open while any of its parts
// is, and [Window.Outside] is open exactly while the window is closed. [Dates] and [ParseDates] make windows that do not recur, such
// as a holiday or a change freeze.
//
//	now ──▶ InWindow   is it open?
//	    ──▶ State      is it open, since when, and until when?
//	    ──▶ Spans      when is it open between two times?
//
// # What a window means
//
// A cron expression hits at certain minutes of the wall clock. The window is open at t when there is a hit h with
// h ≤ t < h+duration; hits that overlap or touch make one span. This is the rule of Karpenter's Budget.IsActive,
// which only knows UTC; see [Parse] for what is accepted and what is not.
//
// In a zone that changes its clocks, a hit whose wall-clock time is skipped happens at the end of the gap, so that
// no window is lost, and a hit whose wall-clock time occurs twice happens both times. Durations are elapsed time:
// a window of 24h that opens at midnight closes at 23:00 on a day of 25 hours.
//
// # Cost
//
// Expressions are parsed by github.com/robfig/cron/v3. After that nothing is parsed, nothing is allocated to answer
// InWindow, and the last or the next hit is not searched for but computed, by arithmetic on the parsed bit sets.
//
// The tz database is linked in (time/tzdata), for hosts that have none.
package schedule
