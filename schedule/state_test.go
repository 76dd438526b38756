package schedule_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

const fortyYears = 40 * 365 * 24 * time.Hour

// reliable returns how far from now a State is right that it is unbounded: "A window counts as never changing once it has
// stayed the same for 40 years, or once 20,000 spans of its parts have been searched." The generator makes no union that needs so many spans in a month, and then changes.
// An intersection is the complement of a union, and prints as "a and b".
func reliable(w schedule.Window) time.Duration {
	if text := w.String(); strings.Contains(text, " or ") || strings.Contains(text, " and ") {
		return 30 * 24 * time.Hour
	}
	return fortyYears
}

// bounded returns the span that State has around now, cut to what can be relied on.
func bounded(w schedule.Window, now time.Time, span schedule.Span) schedule.Span {
	if span.Start.IsZero() {
		span.Start = now.Add(-reliable(w))
	}
	if span.End.IsZero() {
		span.End = now.Add(reliable(w))
	}
	return span
}

// check is rapid.Check with ten times as many cases, which are cheap here, but not under -short.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	times := 10
	if testing.Short() {
		times = 1
	}
	for range times {
		rapid.Check(t, property)
	}
}

// within looks at both ends of a span and for times between them.
func within(span schedule.Span, random *rand.Rand, look func(time.Time)) {
	last := span.End.Add(-1)
	look(span.Start)
	look(last)
	for range 8 {
		length := min(int64(last.Sub(span.Start)), math.MaxInt64-1)
		look(span.Start.Add(time.Duration(random.Int64N(length + 1))))
		look(span.Start.Add(time.Duration(random.Int64N(min(length, int64(48*time.Hour)) + 1))))
	}
}

func drawRandom(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

func TestStateIsExact(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		random := drawRandom(t)
		for range 4 {
			now := testkit.Arbitrary(generate.Time).Draw(t, "now")
			open, span := w.State(now)
			if schedule.InWindow(w, now) != open {
				t.Fatalf("%v.State(%v) = %t %v, but InWindow says %t", w, now, open, span, !open)
			}
			if !span.Contains(now) {
				t.Fatalf("%v.State(%v) = %t %v, in which now is not", w, now, open, span)
			}
			within(bounded(w, now, span), random, func(at time.Time) {
				if schedule.InWindow(w, at) != open {
					t.Fatalf("%v.State(%v) = %t %v, but at %v it is %t", w, now, open, span, at, !open)
				}
			})
			for _, at := range []time.Time{span.Start.Add(-1), span.End} {
				if !at.Equal(time.Time{}) && !at.Equal(time.Time{}.Add(-1)) && schedule.InWindow(w, at) == open {
					t.Fatalf("%v.State(%v) = %t %v, but at %v it is the same", w, now, open, span, at)
				}
			}
		}
	})
}

func TestStatesOfTheSameSpanAgree(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		open, span := w.State(now)
		if span.Start.IsZero() || span.End.IsZero() || span.End.Sub(span.Start) > fortyYears {
			return
		}
		within(span, drawRandom(t), func(at time.Time) {
			if o, s := w.State(at); o != open || s != span {
				t.Fatalf("%v.State: %t %v at %v, %t %v at %v", w, open, span, now, o, s, at)
			}
		})
		if o, s := w.State(span.End); o == open || s.Start != span.End {
			t.Fatalf("%v.State: %t %v at %v, then %t %v", w, open, span, now, o, s)
		}
		if o, s := w.State(span.Start.Add(-1)); o == open || s.End != span.Start {
			t.Fatalf("%v.State: %t %v at %v, after %t %v", w, open, span, now, o, s)
		}
	})
}

func TestStateIsInUTC(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		kathmandu := time.FixedZone("Asia/Kathmandu", (5*60+45)*60)
		open, span := w.State(now)
		if o, s := w.State(now.In(kathmandu)); o != open || s != span {
			t.Fatalf("%v.State(%v): %t %v, in another zone %t %v", w, now, open, span, o, s)
		}
		if span.Start.Location() != time.UTC || span.End.Location() != time.UTC {
			t.Fatalf("%v.State(%v) = %t %v, which is not in UTC", w, now, open, span)
		}
	})
}

func TestUntilIsTheEndOfTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, now := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window"), testkit.Arbitrary(generate.Time).Draw(t, "now")
		open, span := w.State(now)
		if o, until := w.Until(now); o != open || until != span.End {
			t.Fatalf("%v.Until(%v) = %t %v, but State is %t %v", w, now, o, until, open, span)
		}
	})
}

func TestUntilAtLeastIsUntilAsFarAsItLooks(t *testing.T) {
	inexact := 0
	check(t, func(t *rapid.T) {
		w, now := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window"), testkit.Arbitrary(generate.Time).Draw(t, "now")
		if rapid.Bool().Draw(t, "toggling") {
			d := time.Duration(rapid.IntRange(1, 120).Draw(t, "seconds")) * time.Second
			w = schedule.Union(w, schedule.MustParse("*/2 * * * *", d, ""), schedule.MustParse("1-59/2 * * * *", d, "Europe/Berlin"))
			if rapid.Bool().Draw(t, "outside") {
				w = w.Outside()
			}
		}
		open, until, exact := w.UntilAtLeast(now)
		wantOpen, want := w.Until(now)
		switch {
		case open != wantOpen || exact && until != want:
			t.Fatalf("%v.UntilAtLeast(%v) = %t %v %t, but Until is %t %v", w, now, open, until, exact, wantOpen, want)
		case exact:
			return
		case !until.After(now) || until.Location() != time.UTC || !want.IsZero() && until.After(want):
			t.Fatalf("%v.UntilAtLeast(%v) = %t at least until %v, but Until is %v", w, now, open, until, want)
		}
		inexact++
		within(schedule.Span{Start: now, End: until}, drawRandom(t), func(at time.Time) {
			if schedule.InWindow(w, at) != open {
				t.Fatalf("%v.UntilAtLeast(%v) = %t at least until %v, but at %v it is %t", w, now, open, until, at, !open)
			}
		})
	})
	if inexact == 0 && !testing.Short() {
		t.Error("it always looked to the end")
	}
}

func TestUntilAtLeastIsExactForWindowsThatPeopleWrite(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	parse := schedule.MustParse
	weekends := parse("0 0 * * sat", 48*time.Hour, "Europe/Berlin")
	for _, w := range []schedule.Window{
		{}, schedule.Union(), weekends, weekends.Outside(),
		parse("* * * 1-11 *", time.Minute, "Europe/Berlin"), parse("*/5 * * * *", 5*time.Minute, "Europe/Berlin"),
		schedule.Union(weekends.Outside(), parse("0 0 24 12 *", 168*time.Hour, "Europe/Berlin")).Outside(),
		schedule.Union(parse("0 2 * * *", 4*time.Hour, "").Outside(), parse("0 1 * * mon-sat", 6*time.Hour, "")).Outside(),
		schedule.Union(parse("0 0 29 2 *", 24*time.Hour, "").Outside(), parse("0 9 * * *", 8*time.Hour, "")).Outside(),
		schedule.Union(parse("0 0 29 2 *", 24*time.Hour, "").Outside(), parse("0 0 28,29 2 *", 24*time.Hour, "")).Outside(),
	} {
		wantOpen, want := w.Until(now)
		if open, until, exact := w.UntilAtLeast(now); !exact || open != wantOpen || until != want {
			t.Errorf("%v is %t until %v (%t), want %t until %v", w, open, until, exact, wantOpen, want)
		}
	}
}

func TestWindowsThatNeverChangeHaveNoBounds(t *testing.T) {
	const minute, day = time.Minute, 24 * time.Hour
	parse := schedule.MustParse
	alternate := func(zone string) schedule.Window {
		return schedule.Union(parse("*/2 * * * *", minute, zone), parse("1/2 * * * *", minute, zone))
	}
	for _, c := range []struct {
		name string
		w    schedule.Window
		open bool
	}{
		{"every minute", parse("* * * * *", minute, ""), true},
		{"every minute in a zone with summer time", parse("* * * * *", minute, "Europe/Berlin"), true},
		{"every minute, by the names of all days", parse("* * 1-31 * *", minute, "Europe/Berlin"), true},
		{"a day a day", parse("@daily", day, ""), true},
		{"a day a day in a zone that has never changed its clocks by much", parse("@daily", 26*time.Hour, "Europe/Berlin"), true},
		{"eight years for each February 29", parse("0 0 29 2 *", 2921*day, ""), true},
		{"nine years for each February 29 in a zone", parse("0 0 29 2 *", 2922*day, "America/New_York"), true},
		{"the longest duration", parse("@yearly", math.MaxInt64, "Asia/Tehran"), true},
		{"a window and its outside", schedule.Union(parse("@daily", minute, ""), parse("@daily", minute, "").Outside()), true},
		{"minute after minute", alternate(""), true},
		{"minute after minute in a zone", alternate("Europe/Berlin"), true},
		{"outside of minute after minute", alternate("").Outside(), false},
		{"unions in unions", schedule.Union(alternate("").Outside(), alternate("Europe/Berlin")), true},
		{"unions in unions in unions", schedule.Union(schedule.Union(alternate("").Outside(), alternate("")).Outside(),
			alternate("Asia/Tehran").Outside(), alternate("Europe/Berlin").Outside()), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Date(2026, 11, 20, 12, 34, 56, 7, time.UTC)
			open, span := c.w.State(now)
			if open != c.open || span != (schedule.Span{}) || schedule.InWindow(c.w, now) != c.open {
				t.Errorf("%v.State(%v) = %t %v, want %t without bounds", c.w, now, open, span, c.open)
			}
		})
	}
}

// TestStateOfTimesThatAreWorthAName has rows for what the rules of the package are most easily wrong about.
func TestStateOfTimesThatAreWorthAName(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name, cron string
		d          time.Duration
		at         string
		open       bool
		start, end string
	}{
		// "Open at t when a hit h exists with h ≤ t < h+duration: half-open, overlapping hits merge."
		{"open from the hit on", "0 9 * * *", 8 * time.Hour, "2026-11-20T09:00:00Z", true,
			"2026-11-20T09:00:00Z", "2026-11-20T17:00:00Z"},
		{"open until the last nanosecond", "0 9 * * *", 8 * time.Hour, "2026-11-20T16:59:59.999999999Z", true,
			"2026-11-20T09:00:00Z", "2026-11-20T17:00:00Z"},
		{"closed from the end on", "0 9 * * *", 8 * time.Hour, "2026-11-20T17:00:00Z", false,
			"2026-11-20T17:00:00Z", "2026-11-21T09:00:00Z"},
		{"closed until the last nanosecond", "0 9 * * *", 8 * time.Hour, "2026-11-20T08:59:59.999999999Z", false,
			"2026-11-19T17:00:00Z", "2026-11-20T09:00:00Z"},
		{"hits that overlap merge", "0 9-11 * * *", 90 * time.Minute, "2026-11-20T10:00:00Z", true,
			"2026-11-20T09:00:00Z", "2026-11-20T12:30:00Z"},
		{"hits that touch merge", "0 9-11 * * *", time.Hour, "2026-11-20T09:00:00Z", true,
			"2026-11-20T09:00:00Z", "2026-11-20T12:00:00Z"},
		{"hits a nanosecond apart do not merge", "0 9-11 * * *", time.Hour - 1, "2026-11-20T10:59:59.999999998Z", true,
			"2026-11-20T10:00:00Z", "2026-11-20T10:59:59.999999999Z"},
		{"and leave it closed for that nanosecond", "0 9-11 * * *", time.Hour - 1, "2026-11-20T10:59:59.999999999Z", false,
			"2026-11-20T10:59:59.999999999Z", "2026-11-20T11:00:00Z"},
		{"hits all day long, a nanosecond apart", "@hourly", time.Hour - 1, "2026-11-20T10:59:59.999999999Z", false,
			"2026-11-20T10:59:59.999999999Z", "2026-11-20T11:00:00Z"},
		{"and never all day", "@hourly", time.Hour - 1, "2026-11-20T10:30:00Z", true,
			"2026-11-20T10:00:00Z", "2026-11-20T10:59:59.999999999Z"},
		{"open for a nanosecond", "0 9 * * *", 1, "2026-11-20T09:00:00Z", true,
			"2026-11-20T09:00:00Z", "2026-11-20T09:00:00.000000001Z"},
		{"closed after a nanosecond", "0 9 * * *", 1, "2026-11-20T09:00:00.000000001Z", false,
			"2026-11-20T09:00:00.000000001Z", "2026-11-21T09:00:00Z"},
		{"nights of weekdays end on Saturday morning", "0 17 * * mon-fri", 16 * time.Hour, "2026-11-21T08:00:00Z", true,
			"2026-11-20T17:00:00Z", "2026-11-21T09:00:00Z"},
		{"and the weekend is closed", "0 17 * * mon-fri", 16 * time.Hour, "2026-11-22T12:00:00Z", false,
			"2026-11-21T09:00:00Z", "2026-11-23T17:00:00Z"},

		{"closed for eight years around 1900", "0 0 29 2 *", day, "1900-06-01T00:00:00Z", false,
			"1896-03-01T00:00:00Z", "1904-02-29T00:00:00Z"},
		{"closed for eight years around 2100", "0 0 29 2 *", day, "2097-06-15T00:00:00Z", false,
			"2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"2000 is a leap year", "0 0 29 2 *", day, "2000-02-29T12:00:00Z", true,
			"2000-02-29T00:00:00Z", "2000-03-01T00:00:00Z"},
		{"four years for each February 29 are not enough after 2096", "0 0 29 2 *", 1461 * day, "2100-03-01T00:00:00Z", false,
			"2100-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"four years for each February 29 do not close for more than 40 years", "0 0 29 2 *", 1461 * day, "2026-11-20T00:00:00Z", true,
			"", ""},
		{"February 28 is the last day of 2026's", "0 12 28-31 2 *", day, "2026-03-01T12:00:00Z", false,
			"2026-03-01T12:00:00Z", "2027-02-28T12:00:00Z"},
		{"a window across February 29", "0 22 28 2 *", 30 * time.Hour, "2028-02-29T12:00:00Z", true,
			"2028-02-28T22:00:00Z", "2028-03-01T04:00:00Z"},
		{"a window across the end of a year", "0 22 31 12 *", 4 * time.Hour, "2027-01-01T01:00:00Z", true,
			"2026-12-31T22:00:00Z", "2027-01-01T02:00:00Z"},
		{"a window that begins with the year", "@yearly", day, "2026-12-31T23:59:59Z", false,
			"2026-01-02T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"December and January in one", "* * * 12,1 *", time.Minute, "2026-12-31T23:59:59Z", true,
			"2026-12-01T00:00:00Z", "2027-02-01T00:00:00Z"},
		{"the 31st is in seven months", "0 0 31 * *", day, "2026-11-20T00:00:00Z", false,
			"2026-11-01T00:00:00Z", "2026-12-31T00:00:00Z"},
		{"Friday, or the 13th", "0 0 13 * fri", day, "2026-12-13T12:00:00Z", true,
			"2026-12-13T00:00:00Z", "2026-12-14T00:00:00Z"},
		{"before 1970", "0 9 * * mon", 8 * time.Hour, "1969-12-30T00:00:00Z", false,
			"1969-12-29T17:00:00Z", "1970-01-05T09:00:00Z"},
		{"before the year 1", "0 9 * * *", 8 * time.Hour, "0000-02-29T12:00:00Z", true,
			"0000-02-29T09:00:00Z", "0000-02-29T17:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := schedule.MustParse(c.cron, c.d, "")
			at := parseTime(t, c.at)
			open, span := w.State(at)
			want := schedule.Span{Start: parseTime(t, c.start), End: parseTime(t, c.end)}
			if open != c.open || span != want || schedule.InWindow(w, at) != c.open {
				t.Errorf("%v at %s: %t %v, want %t %v", w, c.at, open, span, c.open, want)
			}
		})
	}
}

// Recurrences more than a billion years away count as closed.
func TestTimesFarAway(t *testing.T) {
	near := []time.Time{
		time.Unix(1<<54, 0), time.Unix(-1<<54, 0),
		time.Date(1, 1, 1, 12, 0, 0, 0, time.UTC),
		time.Date(-1, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(-100_000, 2, 29, 9, 30, 0, 0, time.UTC),
		time.Date(100_000, 12, 31, 9, 30, 0, 0, time.UTC),
	}
	beyond := []time.Time{
		time.Unix(1<<55+1, 0), time.Unix(-1<<55-1, 0), time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0),
		time.Unix(math.MaxInt64-62135596800, 999_999_999), // the last that package time orders rightly
		time.Unix(math.MinInt64+62135596800, 0),
	}
	for _, w := range awkward() {
		for _, at := range near {
			open, span := w.State(at)
			if open != schedule.InWindow(w, at) || !span.Contains(at) ||
				!span.Start.IsZero() && (schedule.InWindow(w, span.Start) != open || schedule.InWindow(w, span.Start.Add(-1)) == open) ||
				!span.End.IsZero() && (schedule.InWindow(w, span.End) == open || schedule.InWindow(w, span.End.Add(-1)) != open) {
				t.Errorf("%v.State(%v) = %t %v, which is wrong", w, at, open, span)
			}
		}
		for _, at := range beyond {
			if open, span := w.State(at); open != schedule.InWindow(w, at) || span != (schedule.Span{}) {
				t.Errorf("%v.State(%v) = %t %v", w, at, open, span)
			}
		}
		for _, from := range slices.Concat(near, beyond) {
			spans := 0
			for range w.Spans(from, from.Add(1000*time.Hour)) {
				if spans++; spans > 10_000 {
					t.Fatalf("%v.Spans from %v do not end", w, from)
				}
			}
		}
	}
}

// awkward are windows of every make.
func awkward() []schedule.Window {
	night := schedule.MustParse("0 22 * * mon-fri", 8*time.Hour, "Europe/Berlin")
	leap := schedule.MustParse("0 0 29 2 *", 24*time.Hour, "Australia/Lord_Howe")
	hourly := schedule.MustParse("@hourly", time.Minute, "")
	first := schedule.MustParse("0 0 1 * mon", 90*time.Minute, "America/New_York")
	union := schedule.Union(night, leap, hourly)
	return []schedule.Window{{}, schedule.Union(), night, leap, hourly, first, union, union.Outside(), night.Outside(),
		schedule.Union(union.Outside(), first), schedule.Union(union.Outside(), first).Outside()}
}

// "InWindow … allocates nothing."
func TestInWindowAllocatesNothing(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	for _, w := range awkward() {
		if allocs := testing.AllocsPerRun(10, func() { schedule.InWindow(w, now) }); allocs != 0 {
			t.Errorf("InWindow(%v) allocates %v times", w, allocs)
		}
	}
}

// "every exported function is safe for concurrent use": the race detector looks on.
func TestWindowsAreSafeForConcurrentUse(t *testing.T) {
	windows := awkward()
	now := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC) // a day on which clocks change
	answer := func() string {
		var all strings.Builder
		for _, w := range windows {
			open, span := w.State(now)
			fmt.Fprintln(&all, w, open, span, schedule.InWindow(w, now), schedule.InWindow(schedule.Union(w, windows[3]).Outside(), now))
			for span := range w.Spans(now, now.Add(2*time.Hour)) {
				fmt.Fprintln(&all, span)
			}
		}
		return all.String()
	}
	want := answer()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				if got := answer(); got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
	group.Wait()
}

// Where a zone goes by a rule, or had no clock in common yet, its clock repeats with the calendar.
func TestWindowsInZonesRepeatWithTheCalendar(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.Window).Draw(t, "window")
		const cycle = 146097 * 24 * 60 * 60
		for range 10 {
			at := time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC).Unix() + rapid.Int64Range(0, cycle).Draw(t, "at")
			cycles := rapid.Int64Range(1, 2_000_000).Draw(t, "cycles")
			if rapid.Bool().Draw(t, "before") {
				at, cycles = at-3*cycle, -cycles // up to the year 1600
			}
			other := at + cycles*cycle
			if want, got := schedule.InWindow(w, time.Unix(at, 0)), schedule.InWindow(w, time.Unix(other, 0)); got != want {
				t.Fatalf("%v: %t at %v, but %t at %v", w, want, time.Unix(at, 0).UTC(), got, time.Unix(other, 0).UTC())
			}
		}
	})
}
