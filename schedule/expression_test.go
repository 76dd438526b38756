package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A naive expression is a direct reading of cron's rules.
type naive struct {
	minutes, hours, monthDays, months, weekdays uint64
	anyMonthDay, anyWeekday                     bool
}

func (n naive) matchesDay(day time.Time) bool {
	byMonthDay := n.monthDays>>day.Day()&1 == 1
	byWeekday := n.weekdays>>day.Weekday()&1 == 1
	matches := byMonthDay || byWeekday
	if n.anyMonthDay || n.anyWeekday {
		matches = byMonthDay && byWeekday
	}
	return matches && n.months>>day.Month()&1 == 1
}

// clocks returns the minutes of a day that match, in seconds from midnight.
func (n naive) clocks() []int64 {
	var clocks []int64
	for minute := range 24 * 60 {
		if n.hours>>(minute/60)&1 == 1 && n.minutes>>(minute%60)&1 == 1 {
			clocks = append(clocks, int64(minute*60))
		}
	}
	return clocks
}

// walk goes day by day, and minute by minute, from wall in the given direction to a match.
func (n naive) walk(wall, direction int64) int64 {
	clocks := n.clocks()
	today := floorDiv(wall, daySeconds)
	for day := today; ; day += direction {
		if !n.matchesDay(time.Unix(day*daySeconds, 0).UTC()) {
			continue
		}
		for i := range clocks {
			at := day*daySeconds + clocks[i]
			if direction < 0 {
				at = day*daySeconds + clocks[len(clocks)-1-i]
			}
			if (at-wall)*direction >= 0 {
				return at
			}
		}
	}
}

func (n naive) compile() (expression, bool) {
	sets := [5]uint64{n.minutes, n.hours, n.monthDays, n.months, n.weekdays}
	if n.anyMonthDay {
		sets[2] |= star
	}
	if n.anyWeekday {
		sets[4] |= star
	}
	return newExpression(sets)
}

const (
	allMinutes   = 1<<60 - 1
	allHours     = 1<<24 - 1
	allMonthDays = 1<<32 - 2
	allMonths    = 1<<13 - 2
	allWeekdays  = 1<<7 - 1
)

// subset generates sets of numbers: all of them, single ones, runs, and any others.
func subset(all uint64) *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		a := rapid.IntRange(lowest(all), highest(all)).Draw(t, "a")
		b := rapid.IntRange(a, highest(all)).Draw(t, "b")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return all
		case 1:
			return 1 << a
		case 2:
			return 2<<b - 1<<a
		}
		return rapid.Uint64().Draw(t, "any")&all | 1<<a
	})
}

// naives generates expressions that match at some time. Of any day there is a set of all days, as from robfig/cron.
func naives() *rapid.Generator[naive] {
	return rapid.Custom(func(t *rapid.T) naive {
		n := naive{
			minutes:     subset(allMinutes).Draw(t, "minutes"),
			hours:       subset(allHours).Draw(t, "hours"),
			monthDays:   subset(allMonthDays).Draw(t, "month days"),
			months:      subset(allMonths).Draw(t, "months"),
			weekdays:    subset(allWeekdays).Draw(t, "weekdays"),
			anyMonthDay: rapid.Bool().Draw(t, "any month day"),
			anyWeekday:  rapid.Bool().Draw(t, "any weekday"),
		}
		if n.anyMonthDay {
			n.monthDays = allMonthDays
		}
		if n.anyWeekday {
			n.weekdays = allWeekdays
		}
		return n
	}).Filter(func(n naive) bool {
		_, ok := n.compile()
		return ok
	})
}

func TestSearchesFindWhatAWalkFromMinuteToMinuteFinds(t *testing.T) {
	for range 5 {
		rapid.Check(t, func(t *rapid.T) {
			n := naives().Draw(t, "expression")
			e, _ := n.compile()
			for range 5 {
				wall := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "wall")
				prev, next := n.walk(wall, -1), n.walk(wall, 1)
				if got := e.prev(wall); got != prev {
					t.Fatalf("%+v: prev(%d) = %d, want %d", n, wall, got, prev)
				}
				if got := e.next(wall); got != next {
					t.Fatalf("%+v: next(%d) = %d, want %d", n, wall, got, next)
				}
				// On a match and next to it, from either side.
				for _, c := range []struct{ wall, prev, next int64 }{
					{prev, prev, prev}, {prev + 1, prev, n.walk(prev+1, 1)}, {next, next, next}, {next - 1, n.walk(next-1, -1), next},
				} {
					if got := e.prev(c.wall); got != c.prev {
						t.Fatalf("%+v: prev(%d) = %d, want %d", n, c.wall, got, c.prev)
					}
					if got := e.next(c.wall); got != c.next {
						t.Fatalf("%+v: next(%d) = %d, want %d", n, c.wall, got, c.next)
					}
				}
			}
		})
	}
}

// The calendar repeats after 400 years.
const (
	cycleDays    = 146097
	cycleSeconds = cycleDays * daySeconds
)

// cycle is every day on which the calendar can be different, found once.
var cycle = func() []time.Time {
	days := make([]time.Time, cycleDays)
	for i := range days {
		days[i] = time.Unix(int64(i)*daySeconds, 0).UTC()
	}
	return days
}()

// widestGap returns the longest time between two neighbouring matches.
func (n naive) widestGap() int64 {
	clocks := n.clocks()
	first, last := clocks[0], clocks[len(clocks)-1]
	var gap int64
	for i := range clocks[1:] {
		gap = max(gap, clocks[i+1]-clocks[i])
	}
	var days []int64
	for _, day := range cycle {
		if n.matchesDay(day) {
			days = append(days, day.Unix())
		}
	}
	days = append(days, days[0]+cycleSeconds)
	for i := range days[1:] {
		gap = max(gap, days[i+1]+first-days[i]-last)
	}
	return gap
}

func TestGaplessIsOpenAcrossTheWidestGap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := naives().Draw(t, "expression")
		e, _ := n.compile()
		gap := n.widestGap()
		for _, step := range []int64{gap - 1, gap, gap + 1, rapid.Int64Range(0, 2*gap).Draw(t, "step")} {
			if got := e.gapless(step); got != (gap <= step) {
				t.Fatalf("%+v: gapless(%d) = %t, but the widest gap is %d", n, step, got, gap)
			}
		}
	})
}

func TestExpressionsThatNeverMatchAreReported(t *testing.T) {
	anyNaive := rapid.Custom(func(t *rapid.T) naive {
		return naive{
			minutes:     rapid.SampledFrom([]uint64{0, 1, allMinutes}).Draw(t, "minutes"),
			hours:       rapid.SampledFrom([]uint64{0, 1, allHours}).Draw(t, "hours"),
			monthDays:   rapid.SampledFrom([]uint64{0, 1 << 1, 1 << 29, 1 << 30, 1 << 31}).Draw(t, "month days"),
			months:      rapid.Uint64().Draw(t, "months") & allMonths,
			weekdays:    rapid.SampledFrom([]uint64{0, 1, allWeekdays}).Draw(t, "weekdays"),
			anyMonthDay: rapid.Bool().Draw(t, "any month day"),
			anyWeekday:  rapid.Bool().Draw(t, "any weekday"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		n := anyNaive.Draw(t, "expression")
		if n.anyMonthDay {
			n.monthDays = allMonthDays
		}
		if n.anyWeekday {
			n.weekdays = allWeekdays
		}
		want := false
		for _, day := range cycle {
			want = want || n.matchesDay(day)
		}
		want = want && n.minutes != 0 && n.hours != 0
		if _, got := n.compile(); got != want {
			t.Fatalf("%+v: %t, want %t", n, got, want)
		}
	})
}
