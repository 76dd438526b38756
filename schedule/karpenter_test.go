package schedule_test

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// isActive is Karpenter's Budget.IsActive, word for word.
func isActive(t rapid.TB, expr string, d time.Duration, now time.Time) bool {
	parsed, err := cron.ParseStandard("TZ=UTC " + expr)
	if err != nil {
		t.Fatal(err)
	}
	return !parsed.Next(now.UTC().Add(-d)).After(now.UTC())
}

// odd are expressions that only robfig/cron takes, or that it does not find the next hit of.
var odd = []string{
	"0 0 29 2 *", "59 23 29 2 *", "*/7 3,22 29,30,31 feb ?", "0 0 29 2 mon", "0 0 30 2 *", "* , * * *", "* * , * mon", "0 0 29 2 ,",
	"*-5 * * * *", "0 ?-7 * * *", "@every 1h", "@every 1s", "@every 90m", "@every 2s",
}

func TestKarpentersWindowIsOpenWhenItsBudgetIsActive(t *testing.T) {
	check(t, func(t *rapid.T) {
		expr := rapid.OneOf(rapid.SampledFrom(odd), testkit.Arbitrary(generate.Cron)).Draw(t, "cron")
		d := rapid.OneOf(
			testkit.Arbitrary(generate.Duration),
			rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour - time.Second, time.Hour, 5 * 366 * 24 * time.Hour}),
		).Draw(t, "duration").Truncate(time.Second)
		w, err := schedule.ParseKarpenter(expr, d)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			now := karpenterMoment(d).Draw(t, "now")
			open, span := w.State(now)
			want := isActive(t, expr, d, now)
			if got := schedule.InWindow(w, now); got != want || open != want {
				t.Fatalf("%v at %v is open: %t, State says %t, and Karpenter %t", w, now, got, open, want)
			}
			if _, until := w.Until(now); !until.Equal(span.End) {
				t.Fatalf("%v at %v: Until says %v, State %v", w, now, until, span.End)
			}
			if _, until, exact := w.UntilAtLeast(now); exact && !until.Equal(span.End) || !until.IsZero() && !until.After(now) {
				t.Fatalf("%v at %v: UntilAtLeast says %v, State %v", w, now, until, span.End)
			}
			for _, bound := range []time.Time{span.Start, span.End} {
				if bound.IsZero() || bound.Year() < 1700 || bound.Year() > 2800 {
					continue
				}
				for _, at := range []time.Time{bound.Add(-1), bound} {
					if same := isActive(t, expr, d, at) == want; same != span.Contains(at) {
						t.Fatalf("%v at %v: the span is %v, and Karpenter sees it otherwise at %v", w, now, span, at)
					}
				}
			}
		}
	})
}

// karpenterMoment generates times, many of which are where robfig/cron gives up, or just does not.
func karpenterMoment(d time.Duration) *rapid.Generator[time.Time] {
	bounds := []time.Time{}
	for _, year := range []int{1896, 2000, 2096, 2196, 2300} {
		bounds = append(bounds, time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC), time.Date(year, 3, 1, 0, 0, 0, 0, time.UTC),
			time.Date(year+2, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(year+3, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	near := rapid.Custom(func(t *rapid.T) time.Time {
		beside := rapid.SampledFrom([]time.Duration{0, 1, -1, -time.Second, -time.Second - 1, time.Second, -time.Minute, time.Minute, time.Hour})
		at := rapid.SampledFrom(bounds).Draw(t, "bound").Add(beside.Draw(t, "beside"))
		if shifted := at.Add(d); rapid.Bool().Draw(t, "shifted") && shifted.Year() > 1700 && shifted.Year() < 2700 {
			return shifted
		}
		return at
	})
	return rapid.OneOf(testkit.Arbitrary(generate.Time), near).Filter(func(at time.Time) bool { return at.Year() > 300 }) // the zero time is long over
}

func TestKarpentersWindows(t *testing.T) {
	tests := []struct {
		name, expr, at string
		d              time.Duration
		open           bool
		until          string // "" is for ever
	}{
		{"a schedule that never hits is always active", "0 0 30 2 *", "2026-11-23T12:00:00Z", time.Hour, true, ""},
		{"a schedule with a field that names nothing is always active", "0 , * * *", "2026-11-23T12:00:00Z", time.Hour, true, ""},
		{"no leap day is found from 2096 on", "0 0 29 2 *", "2097-06-15T12:00:00Z", time.Hour, true, "2099-01-01T00:59:59Z"},
		{"that of 2104 is found from 2099 on", "0 0 29 2 *", "2099-01-01T01:00:00Z", time.Hour, false, "2104-02-29T00:00:00Z"},
		{"a duration of no time at all never opens", "0 12 * * *", "2026-11-23T12:00:00Z", 0, false, ""},
		{"nor does a negative one", "0 12 * * *", "2026-11-23T12:00:00Z", -time.Hour, false, ""},
		{"@every opens always where the duration is as long", "@every 1h", "2026-11-23T12:00:00Z", time.Hour, true, ""},
		{"and never where it is shorter", "@every 1h", "2026-11-23T12:00:00Z", 30 * time.Minute, false, ""},
		{"a range that starts at * is *", "*-5 * * * *", "2026-11-23T12:30:00Z", time.Minute, true, ""},
		{"all else is as ever", "0 9 * * mon-fri", "2026-11-23T12:00:00Z", 8 * time.Hour, true, "2026-11-23T17:00:00Z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, err := schedule.ParseKarpenter(test.expr, test.d)
			if err != nil {
				t.Fatal(err)
			}
			at, _ := time.Parse(time.RFC3339, test.at)
			open, until := w.Until(at)
			text := ""
			if !until.IsZero() {
				text = until.Format(time.RFC3339)
			}
			if open != test.open || text != test.until {
				t.Errorf("open: %t until %q, want %t until %q", open, text, test.open, test.until)
			}
			if active := isActive(t, test.expr, test.d, at); active != test.open {
				t.Errorf("Karpenter says %t", active)
			}
		})
	}
}

func TestKarpenterRefusesWhatItCannotParse(t *testing.T) {
	for _, expr := range []string{"", " ", "0 0 * * sat-sun", "TZ=UTC 0 9 * * *", "CRON_TZ=UTC @daily", "TZ=0", "@reboot", "* * * * * *", "0 0 * * 7"} {
		w, err := schedule.ParseKarpenter(expr, time.Hour)
		if err == nil || schedule.InWindow(w, time.Now()) {
			t.Errorf("%q is taken for %v, %v", expr, w, err)
		}
		if _, theirs := cron.ParseStandard("TZ=UTC " + expr); theirs == nil {
			t.Errorf("robfig/cron takes %q", expr)
		}
	}
}
