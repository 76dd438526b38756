package budget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// timeline tells a forecast: a line each segment.
func timeline(segments []budget.Segment) (lines []string) {
	for _, s := range segments {
		const layout = "Mon 2 Jan 15:04"
		nodes := fmt.Sprint(s.Nodes)
		if s.Nodes == unlimited {
			nodes = "unlimited"
		}
		lines = append(lines, fmt.Sprintf("%s - %s: %s by %s", s.Start.UTC().Format(layout), s.End.UTC().Format(layout), nodes, s.Binding))
	}
	return lines
}

func TestAForecastIsATimeline(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	nights := budget.Budget{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: reasons{"Drifted"}}
	for _, c := range []struct {
		name   string
		set    budget.Set
		from   time.Time
		to     time.Time
		reason candidate.Reason
		want   []string
	}{
		{"the weekend hole of the AZ-sequential RFC's business hours", specific(t, nights, budget.Budget{Nodes: "10%"}), day(20), day(24), "Drifted", []string{
			"Fri 20 Nov 00:00 - Fri 20 Nov 09:00: 0 by 0",
			"Fri 20 Nov 09:00 - Fri 20 Nov 17:00: 10 by 1",
			"Fri 20 Nov 17:00 - Sat 21 Nov 09:00: 0 by 0",
			"Sat 21 Nov 09:00 - Mon 23 Nov 17:00: 10 by 1",
			"Mon 23 Nov 17:00 - Tue 24 Nov 00:00: 0 by 0",
		}},
		{"what others are for is none of its segments", specific(t, nights, budget.Budget{Nodes: "10%"}), day(20), day(24), "Empty",
			[]string{"Fri 20 Nov 00:00 - Tue 24 Nov 00:00: 10 by 1"}},
		{"the same number by other budgets is another segment",
			specific(t, budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "5", Schedule: "0 6 * * *", Duration: "6h"}), day(20), day(21), "Empty", []string{
				"Fri 20 Nov 00:00 - Fri 20 Nov 06:00: 5 by 0",
				"Fri 20 Nov 06:00 - Fri 20 Nov 12:00: 5 by 0,1",
				"Fri 20 Nov 12:00 - Sat 21 Nov 00:00: 5 by 0",
			}},
		{"a budget that makes no difference is no segment",
			specific(t, budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "6", Schedule: "0 6 * * *", Duration: "6h"}), day(20), day(21), "Empty",
			[]string{"Fri 20 Nov 00:00 - Sat 21 Nov 00:00: 5 by 0"}},
		{"a method's own takes the place of what is tighter",
			specific(t, budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "8", Reasons: reasons{"Drifted"}, Schedule: "0 6 * * *", Duration: "6h"}),
			day(20), day(21), "Drifted/AMIDrift", []string{
				"Fri 20 Nov 00:00 - Fri 20 Nov 06:00: 5 by 0",
				"Fri 20 Nov 06:00 - Fri 20 Nov 12:00: 8 by 1",
				"Fri 20 Nov 12:00 - Sat 21 Nov 00:00: 5 by 0",
			}},
		{"it begins in the middle of one window and ends in that of another",
			specific(t, budget.Budget{Nodes: "0", Schedule: "0 */12 * * *", Duration: "2h"}), day(20).Add(time.Hour), day(21).Add(time.Hour), "Empty", []string{
				"Fri 20 Nov 01:00 - Fri 20 Nov 02:00: 0 by 0",
				"Fri 20 Nov 02:00 - Fri 20 Nov 12:00: unlimited by ",
				"Fri 20 Nov 12:00 - Fri 20 Nov 14:00: 0 by 0",
				"Fri 20 Nov 14:00 - Sat 21 Nov 00:00: unlimited by ",
				"Sat 21 Nov 00:00 - Sat 21 Nov 01:00: 0 by 0",
			}},
		{"what begins when it ends is not in it", specific(t, budget.Budget{Nodes: "0", Schedule: "0 0 * * *", Duration: "2h"}), day(20).Add(2 * time.Hour), day(21), "Empty",
			[]string{"Fri 20 Nov 02:00 - Sat 21 Nov 00:00: unlimited by "}},
		{"a window that never closes", specific(t, budget.Budget{Nodes: "3", Schedule: "* * * * *", Duration: "1m"}), day(1), day(30), "Empty",
			[]string{"Sun 1 Nov 00:00 - Mon 30 Nov 00:00: 3 by 0"}},
		{"the outside of one, which never opens", specific(t, budget.Budget{Nodes: "3", Schedule: "* * * * *", Duration: "1m", Outside: true}), day(1), day(30), "Empty",
			[]string{"Sun 1 Nov 00:00 - Mon 30 Nov 00:00: unlimited by "}},
		{"a window that opens after it", specific(t, budget.Budget{Nodes: "3", Schedule: "@yearly", Duration: "1h"}), day(1), day(30), "Empty",
			[]string{"Sun 1 Nov 00:00 - Mon 30 Nov 00:00: unlimited by "}},
		{"clocks that change", specific(t, budget.Budget{Nodes: "3", Schedule: "0 9 * * *", Duration: "8h", TimeZone: "America/New_York"}),
			time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), "Empty", []string{
				"Sat 31 Oct 12:00 - Sat 31 Oct 13:00: unlimited by ",
				"Sat 31 Oct 13:00 - Sat 31 Oct 21:00: 3 by 0",
				"Sat 31 Oct 21:00 - Sun 1 Nov 14:00: unlimited by ",
				"Sun 1 Nov 14:00 - Sun 1 Nov 22:00: 3 by 0",
				"Sun 1 Nov 22:00 - Mon 2 Nov 00:00: unlimited by ",
			}},
		{"the zero Set is one budget of 10 %", budget.Set{}, day(1), day(30), "Drifted", []string{"Sun 1 Nov 00:00 - Mon 30 Nov 00:00: 10 by 0"}},
		{"no budgets", specific(t, []budget.Budget{}...), day(1), day(30), "", []string{"Sun 1 Nov 00:00 - Mon 30 Nov 00:00: unlimited by "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.set.Forecast(c.from, c.to, 100, c.reason)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, timeline(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAForecastOfABrokenBudgetAllowsNothing(t *testing.T) {
	set, _ := budget.Compile([]budget.Budget{{Nodes: "x", Reasons: reasons{"Drifted"}}, {Nodes: "5", Schedule: "0 6 * * *", Duration: "6h"}})
	for reason, want := range map[candidate.Reason][]string{
		"Drifted": {"Fri 20 Nov 12:00 - Sat 21 Nov 12:00: 0 by 0"},
		"Empty":   {"Fri 20 Nov 12:00 - Sat 21 Nov 06:00: unlimited by ", "Sat 21 Nov 06:00 - Sat 21 Nov 12:00: 5 by 1"},
	} {
		got, err := set.Forecast(aFriday, aFriday.AddDate(0, 0, 1), 100, reason)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, timeline(got)); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
	}
	for other, want := range map[string]string{"0": "0 by 0,1", "1": "0 by 0"} {
		set, _ := budget.Compile([]budget.Budget{{Nodes: "x"}, {Nodes: other}})
		got, err := set.Forecast(aFriday, aFriday.AddDate(0, 0, 1), 100, "Drifted")
		if diff := cmp.Diff([]string{"Fri 20 Nov 12:00 - Sat 21 Nov 12:00: " + want}, timeline(got)); err != nil || diff != "" {
			t.Errorf("next to a budget of %s: %v, %s", other, err, diff)
		}
	}
	tooMany, _ := budget.Compile(slices.Repeat([]budget.Budget{{Nodes: "9"}}, 51))
	if got, err := tooMany.Forecast(aFriday, aFriday.AddDate(1, 0, 0), 100, "Empty"); err != nil || len(got) != 1 || got[0].Allowance != (budget.Allowance{}) {
		t.Errorf("more than fifty: %v, %v", got, err)
	}
}

func TestForecastsThatAreRefused(t *testing.T) {
	from := time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", 3600))
	for _, c := range []struct {
		name   string
		set    budget.Set
		to     time.Time
		reason candidate.Reason
		want   string
	}{
		{"an end before the start", budget.Set{}, from.Add(-1), "Empty",
			"a forecast from 2026-11-20T12:00:00+01:00 to 2026-11-20T11:59:59+01:00 covers no time: write a later end"},
		{"an end that is the start", budget.Set{}, from, "Empty",
			"a forecast from 2026-11-20T12:00:00+01:00 to 2026-11-20T12:00:00+01:00 covers no time: write a later end"},
		{"the start in another zone", budget.Set{}, from.UTC(), "Empty",
			"a forecast from 2026-11-20T12:00:00+01:00 to 2026-11-20T11:00:00Z covers no time: write a later end"},
		{"a thousand years", budget.Set{}, from.AddDate(1000, 0, 0), "Empty",
			"a forecast from 2026-11-20T12:00:00+01:00 to 3026-11-20T12:00:00+01:00 is too long: write an end at most ten years after its start"},
		{"a nanosecond more than ten years of 366 days", budget.Set{}, from.Add(3660*24*time.Hour + 1), "Empty",
			"a forecast from 2026-11-20T12:00:00+01:00 to 2036-11-27T12:00:00+01:00 is too long: write an end at most ten years after its start"},
		{"all of history", budget.Set{}, time.Unix(1<<40, 0), "Empty", "is too long: write an end at most ten years after its start"},
		{"a reason that no budget can know", budget.Set{}, from.Add(time.Hour), "drifted", `reason "drifted" is unknown: write Drifted`},
		{"a reason in another spelling", budget.Set{}, from.Add(time.Hour), "Drift", `reason "Drift" is not spelled as in the API: write Drifted, or use candidate.ParseReason`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.set.Forecast(from, c.to, 100, c.reason)
			if err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
				t.Errorf("%v, want %s; %d segments", err, c.want, len(got))
			}
		})
	}
}

func TestAForecastNeedsAStart(t *testing.T) {
	got, err := (budget.Set{}).Forecast(time.Time{}, aFriday, 100, "Empty")
	if err == nil || err.Error() != "a forecast cannot start at the zero time: set its start" || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestForecastsThatAreJustNotRefused(t *testing.T) {
	from := aFriday
	if got, err := (budget.Set{}).Forecast(from, from.Add(3660*24*time.Hour), 100, "Empty"); err != nil || len(got) != 1 {
		t.Errorf("ten years of 366 days: %v, %v", timeline(got), err)
	}
	want := []string{"Fri 20 Nov 12:00 - Fri 20 Nov 12:00: 10 by 0"}
	if got, err := (budget.Set{}).Forecast(from, from.Add(1), 100, "Empty"); err != nil || !slices.Equal(timeline(got), want) {
		t.Errorf("a nanosecond: %v, %v", timeline(got), err)
	}
	others := specific(t, budget.Budget{Nodes: "5", Schedule: "*/2 * * * *", Duration: "1m", Reasons: reasons{"Drifted"}})
	if got, err := others.Forecast(from, from.AddDate(9, 0, 0), 100, "Empty"); err != nil || len(got) != 1 {
		t.Errorf("what changes all the time is for another reason: %v, %v", timeline(got), err)
	}
}

// A budget that is active every other minute changes 5 million times in ten years.
func TestAForecastOfTooManyChangesSaysHowFarItGoes(t *testing.T) {
	busy := specific(t, budget.Budget{Nodes: "5", Schedule: "*/2 * * * *", Duration: "1m"})
	_, err := busy.Forecast(aFriday, aFriday.AddDate(9, 0, 0), 100, "Empty")
	if err == nil || err.Error() != "budgets become active or inactive more than 1000000 times up to 2028-10-14T22:41:00Z: write an end before that" {
		t.Error(err)
	}
	end := time.Date(2028, 10, 14, 22, 41, 0, 0, time.UTC)
	got, err := busy.Forecast(aFriday, end, 100, "Empty")
	if err != nil || len(got) != 1_000_001 {
		t.Fatalf("up to then: %d segments, %v", len(got), err)
	}
	want := []string{"Fri 20 Nov 12:00 - Fri 20 Nov 12:01: 5 by 0", "Fri 20 Nov 12:01 - Fri 20 Nov 12:02: unlimited by "}
	if diff := cmp.Diff(want, timeline(got[:2])); diff != "" {
		t.Error(diff)
	}
}

func TestForecastIsAllowedByReasonAtEveryTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		from, reason, nodes := testkit.Arbitrary(generate.Time).Draw(t, "from"), drawReason(t), rapid.IntRange(-1, 200).Draw(t, "nodes")
		to := from.Add(time.Duration(rapid.OneOf(rapid.Int64Range(1, int64(30*24*time.Hour)), rapid.Int64Range(1, int64(400*24*time.Hour))).Draw(t, "long")))
		segments, err := set.Forecast(from, to, nodes, reason)
		if err != nil {
			t.Fatal(err)
		}
		tiles(t, segments, from, to)
		is := func(i int, at time.Time) {
			want, _ := budget.AllowedByReason(set, at, nodes, reason)
			if got := segments[i].Allowance; got != want {
				t.Fatalf("%q at %v: %+v, want %+v", reason, at, got, want)
			}
		}
		for _, i := range someOf(t, len(segments)) {
			is(i, segments[i].Start)
			is(i, segments[i].End.Add(-1))
		}
		for range 10 {
			at := s.drawBetween(t, from, to)
			i := slices.IndexFunc(segments, func(s budget.Segment) bool { return s.Contains(at) })
			is(i, at)
			allowed, binding := s.allowed(t, at, max(nodes, 0), reason)
			if got := segments[i]; got.Nodes != allowed || !slices.Equal(slices.Collect(got.Binding.All()), binding) {
				t.Fatalf("%q at %v: %d by %s, want %d by %v", reason, at, got.Nodes, got.Binding, allowed, binding)
			}
		}
	})
}

func TestAForecastOfFiftyBudgetsIsRightInEveryMinuteOfAWeek(t *testing.T) {
	restrictive := fiftyBudgets(t)
	for name, set := range map[string]budget.Set{
		"the most restrictive decide": restrictive,
		"the most specific decide":    specific(t, append(restrictive.Budgets()[1:], budget.Budget{Nodes: "7", Reasons: reasons{"Drifted/AMIDrift"}, Schedule: "0 9 * * *", Duration: "1h"})...),
	} {
		t.Run(name, func(t *testing.T) {
			from := time.Date(2026, 11, 16, 0, 0, 30, 0, time.UTC)
			segments, err := set.Forecast(from, from.AddDate(0, 0, 7), 100, "Drifted/AMIDrift")
			if err != nil || len(segments) < 50 {
				t.Fatalf("%d segments, %v", len(segments), err)
			}
			i := 0
			for now := from; now.Before(from.AddDate(0, 0, 7)); now = now.Add(time.Minute) {
				for !segments[i].Contains(now) {
					i++
				}
				want, err := budget.AllowedByReason(set, now, 100, "Drifted/AMIDrift")
				if got := segments[i].Allowance; got != want || err != nil {
					t.Fatalf("%v: %+v, want %+v, %v", now, got, want, err)
				}
			}
		})
	}
}

// tiles checks that segments follow each other without a gap, from one time to another, and that neighbours differ.
func tiles(t *rapid.T, segments []budget.Segment, from, to time.Time) {
	if len(segments) == 0 || !segments[0].Start.Equal(from) || !segments[len(segments)-1].End.Equal(to) {
		t.Fatalf("%v is not all from %v to %v", timeline(segments), from, to)
	}
	for i, s := range segments {
		if !s.Start.Before(s.End) {
			t.Fatalf("segment %d from %v to %v covers no time", i, s.Start, s.End)
		}
		if i > 0 && (!s.Start.Equal(segments[i-1].End) || s.Allowance == segments[i-1].Allowance) {
			t.Fatalf("segment %d does not follow, or is the same as, the one before: %v", i, timeline(segments[i-1:i+1]))
		}
	}
}

// someOf draws some of n numbers: all of few.
func someOf(t *rapid.T, n int) (some []int) {
	for i := range min(n, 20) {
		if n > 20 {
			i = rapid.IntRange(0, n-1).Draw(t, "segment")
		}
		some = append(some, i)
	}
	return some
}

// Of a year with fifty budgets, each at another time.
func BenchmarkForecast(b *testing.B) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	restrictive := fiftyBudgets(b)
	for name, set := range map[string]budget.Set{
		"budgets=50/most-restrictive": restrictive,
		"budgets=50/most-specific":    specific(b, restrictive.Budgets()...),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := set.Forecast(from, from.AddDate(1, 0, 0), 100, "Drifted"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
