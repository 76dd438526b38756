// Package generate holds the rapid generators of the domain, for the tests of all packages.
package generate

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/schedule"
)

// Cron generates expressions that parse and hit, descriptors among them.
func Cron() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"@yearly", "@monthly", "@weekly", "@daily", "@hourly", "* * * * *", "0 0 29 2 *",
			"0 0 31 * *", "0 9 * * mon-fri", "0 0 13 * fri", "59 23 31 12 ?", "*/7 */5 * * *", "0 0 1 1 sun"}),
		rapid.Custom(func(t *rapid.T) string {
			days, months := cronField(t, 1, 28, nil), cronField(t, 1, 12, []string{"jan", "FEB", "Dec"})
			if rapid.IntRange(0, 3).Draw(t, "long months") == 0 { // not every month has these days
				days, months = cronField(t, 1, 31, nil), rapid.SampledFrom([]string{"*", "1-3", "oct,feb"}).Draw(t, "months")
			}
			minutes, hours := cronField(t, 0, 59, nil), cronField(t, 0, 23, nil)
			return strings.Join([]string{minutes, hours, days, months, cronField(t, 0, 6, []string{"sun", "Wed", "SAT"})}, " ")
		}),
	)
}

func cronField(t *rapid.T, low, high int, names []string) string {
	number := rapid.IntRange(low, high)
	part := rapid.Custom(func(t *rapid.T) string {
		a := number.Draw(t, "number")
		b := rapid.IntRange(a, high).Draw(t, "to")
		step := rapid.IntRange(1, high).Draw(t, "step")
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			if names != nil {
				return rapid.SampledFrom(names).Draw(t, "name")
			}
			return fmt.Sprint(a)
		case 1:
			return fmt.Sprintf("%d-%d", a, b)
		case 2:
			return fmt.Sprintf("%d-%d/%d", a, b, step)
		case 3:
			return fmt.Sprintf("*/%d", step)
		case 4:
			return fmt.Sprintf("%d/%d", a, step)
		}
		return fmt.Sprint(a)
	})
	if rapid.Bool().Draw(t, "any") {
		return rapid.SampledFrom([]string{"*", "?"}).Draw(t, "star")
	}
	return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), ",")
}

// Duration generates durations of windows: mostly whole minutes, some as long as years, some with odd nanoseconds.
func Duration() *rapid.Generator[time.Duration] {
	minutes := func(most int) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.IntRange(1, most), func(n int) time.Duration { return time.Duration(n) * time.Minute })
	}
	return rapid.OneOf(
		minutes(24*60), minutes(24*60), minutes(10*24*60), minutes(9*366*24*60),
		rapid.Map(rapid.IntRange(1, 48), func(n int) time.Duration { return time.Duration(n) * time.Hour }),
		rapid.Map(rapid.Int64Range(1, int64(48*time.Hour)), func(n int64) time.Duration { return time.Duration(n) }),
	)
}

// Zone generates time zones: those with the rarest habits more often than others.
func Zone() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe",
		"America/Santiago", "Africa/Cairo", "Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "America/St_Johns",
		"Pacific/Chatham", "Asia/Tehran", "Antarctica/Troll", "America/Havana", "Asia/Beirut"})
}

// Window generates windows that Parse returns.
func Window() *rapid.Generator[schedule.Window] {
	return rapid.Custom(func(t *rapid.T) schedule.Window {
		return schedule.MustParse(Cron().Draw(t, "cron"), Duration().Draw(t, "duration"), Zone().Draw(t, "zone"))
	})
}

// AnyWindow generates windows of every make: parsed ones, the zero one, unions and complements, also of each other.
func AnyWindow() *rapid.Generator[schedule.Window] {
	simple := rapid.OneOf(Window(), Window(), Window(), Window(), Window(), Window(),
		rapid.Just(schedule.Window{}), rapid.Just(schedule.Union()))
	union := unionOf(simple)
	outside := rapid.OneOf(rapid.Map(simple, schedule.Window.Outside), rapid.Map(union, schedule.Window.Outside))
	nested := unionOf(rapid.OneOf(simple, outside))
	return rapid.OneOf(simple, union, outside, nested, rapid.Map(nested, schedule.Window.Outside))
}

func unionOf(parts *rapid.Generator[schedule.Window]) *rapid.Generator[schedule.Window] {
	return rapid.Map(rapid.SliceOfN(parts, 0, 3), func(ws []schedule.Window) schedule.Window { return schedule.Union(ws...) })
}

// Time generates times: mostly of our days, on the second or next to it, some far away.
func Time() *rapid.Generator[time.Time] {
	seconds := rapid.OneOf(
		rapid.Int64Range(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC).Unix()),
		rapid.Map(rapid.Int64Range(20*365*24*60, 90*365*24*60), func(minutes int64) int64 { return minutes * 60 }),
		rapid.Map(rapid.Int64Range(20*365*24, 90*365*24), func(hours int64) int64 { return hours * 3600 }),
		rapid.Int64Range(-1<<36, 1<<36),
	)
	nanos := rapid.SampledFrom([]int64{0, 0, 0, 1, 999_999_999})
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(seconds.Draw(t, "seconds"), nanos.Draw(t, "nanos")).UTC()
	})
}
