package schedule_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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
