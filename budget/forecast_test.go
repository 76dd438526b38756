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

// timeline describes a forecast: a line for each segment.
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
func TestAForecastOfTooManyChangesReportsWhereItEnds(t *testing.T) {
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
