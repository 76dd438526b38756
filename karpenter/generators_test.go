package karpenter_test

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/robfig/cron/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// rounds checks a property with that many times the cases of rapid's -rapid.checks, or with those alone under -short: the
// race detector finds nothing more in the rest.
func rounds(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	if !testing.Short() {
		checks := flag.Lookup("rapid.checks").Value
		before := checks.String()
		each, err := strconv.Atoi(before)
		if err == nil {
			err = checks.Set(strconv.Itoa(n * each)) // one Check: each with the same seed would draw the same cases
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Set(before) }()
	}
	rapid.Check(t, property)
}

// quiet discards what Kubernetes logs during a test: for each count beyond 32 bits it writes a stack trace.
func quiet(t *testing.T) {
	t.Helper()
	state := klog.CaptureState()
	t.Cleanup(state.Restore)
	klog.SetLogger(logr.Discard())
}

// onceIn is true in one of n cases.
func onceIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == n }

// pick draws one of several values.
func pick[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

// karpenterBudget generates budgets of a NodePool. Those that are not sound have faults, few in each, or say what Karpenter
// and disruptkit understand differently.
func karpenterBudget(sound bool) *rapid.Generator[v1.Budget] {
	return rapid.Custom(func(t *rapid.T) v1.Budget {
		odd := func(field string) bool { return !sound && onceIn(t, 5, "odd "+field) }
		b := v1.Budget{
			Reasons: rapid.SliceOfNDistinct(rapid.SampledFrom(karpenterReasons), 0, 4, rapid.ID).Draw(t, "reasons"),
			Nodes:   soundNodes().Draw(t, "nodes"),
		}
		if len(b.Reasons) == 0 {
			b.Reasons = nil
		}
		if rapid.Bool().Draw(t, "scheduled") {
			b.Schedule, b.Duration = new(soundCron().Draw(t, "schedule")), soundDuration().Draw(t, "duration")
		}
		if odd("reasons") {
			b.Reasons = oddReasons(b.Reasons).Draw(t, "odd reasons")
		}
		if odd("nodes") {
			b.Nodes = oddNodes().Draw(t, "odd nodes")
		}
		if odd("schedule") {
			b.Schedule = oddSchedule().Draw(t, "odd schedule")
		}
		if odd("duration") {
			b.Duration = oddDuration().Draw(t, "odd duration")
		}
		if b.Schedule != nil && b.Duration != nil && strings.HasPrefix(*b.Schedule, "@every") {
			b.Duration.Duration = b.Duration.Truncate(time.Second) // else such a budget flickers within each second
		}
		return b
	})
}

// karpenterReasons are those that Karpenter asks budgets about.
var karpenterReasons = []v1.DisruptionReason{
	v1.DisruptionReasonUnderutilized, v1.DisruptionReasonEmpty, v1.DisruptionReasonDrifted, v1.DisruptionReasonUnhealthy,
}

func soundNodes() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 100), func(n int) string { return fmt.Sprintf("%d%%", n) }),
		rapid.Map(rapid.IntRange(0, 60), func(n int) string { return fmt.Sprint(n) }),
		rapid.SampledFrom([]string{"0", "0%", "00%", "007", "1", "1%", "01%", "99%", "100%", "100",
			"2147483646", "2147483647"}),
	)
}

func oddNodes() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "-1", "-5%", "-0", "+5", "+5%", "101%", "150%", "007%", "010%", "099%", "1000%",
			"ten", "1.5", "1.5%", "5 ", " 5", "5 %", "%", "%5", "5%%", "0x5", "1_0", "1e3", "٣", "10%\n",
			"99999999999999999999", "99999999999999999999%"}),
		rapid.Map(rapid.IntRange(-70, 70), func(n int) string { return fmt.Sprint(1<<31 + n + 70) }),
		rapid.Map(rapid.IntRange(0, 70), func(n int) string { return fmt.Sprint(1<<32 + n) }),
		rapid.Map(rapid.Int64(), func(n int64) string { return fmt.Sprint(n) }),
		rapid.Map(rapid.IntRange(-300, 300), func(n int) string { return fmt.Sprintf("%d%%", n) }),
		rapid.StringMatching(`[-+0-9% ]{0,4}`),
	)
}

func oddReasons(reasons []v1.DisruptionReason) *rapid.Generator[[]v1.DisruptionReason] {
	return rapid.Custom(func(t *rapid.T) []v1.DisruptionReason {
		switch rapid.IntRange(0, 6).Draw(t, "oddity") {
		case 0:
			return []v1.DisruptionReason{}
		case 1:
			return append(reasons, pick[v1.DisruptionReason](t, "typo",
				"drifted", "Drfited", "", "All", "*", "Underutilised"))
		case 2, 3:
			return append(reasons, pick[v1.DisruptionReason](t, "word", "Drift", "Emptiness", "Consolidation", "Drift"))
		case 4:
			return append(reasons, pick[v1.DisruptionReason](t, "not Karpenter's",
				"Expired", "Drifted/AMIDrift", "Drift:SubnetDrift", "Expiration"))
		case 5:
			for range rapid.IntRange(50, 53).Draw(t, "many") {
				reasons = append(reasons, "Drifted")
			}
			return reasons
		default:
			return append(reasons, pick(t, "twice", append(reasons, "Empty", "Empty")...), "Empty")
		}
	})
}

func soundCron() *rapid.Generator[string] {
	return rapid.OneOf(testkit.Arbitrary(generate.Cron), testkit.Arbitrary(generate.Cron), rapid.SampledFrom([]string{"@annually", "@midnight", "0 0 29 2 *",
		"0 0 29,30 feb ?", "0 0 29/1 2 *", "  @daily ", "0  9\t* * *", "0 0 , * mon", "5,, * * * *", "59 23 31 12 *",
		"0 0 28-31 2 *", "0 0 1 1 *", "* * * * */1", "0 0 */1 * mon", "* 12 * * mon-fri", "0 0 ?,5 * 1"}))
}

// oddSchedule generates what is no expression, or no schedule, and expressions that two parsers could see differently.
func oddSchedule() *rapid.Generator[*string] {
	return rapid.Custom(func(t *rapid.T) *string {
		switch rapid.IntRange(0, 6).Draw(t, "oddity") {
		case 0:
			return nil
		case 1:
			return new(pick(t, "schedule", "0 0 30 2 *", "0 0 31 4,jun,9,NOV *",
				"* , * * *", "* * , * *", "* * * , *", "* * * * ,",
				"@every 1h", "@every 90m", "@every 1s", "@every 8760h", "*-5 * * * *", "0 ?-7 * * *", "0 9 *-3/2 * *"))
		case 2:
			return new(pick(t, "schedule", "", " ", "TZ=UTC 0 9 * * *", "CRON_TZ=Europe/Berlin @daily", "TZ=0",
				"@reboot", "@every", "@every 1d", "@Daily", "@daily @daily", "@dailyish", "* * * *", "* * * * * *",
				"0 0 * * sat-sun", "0 0 * * 7", "0 0 * * 1-7", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *",
				"* * * 13 *", "*/0 * * * *", "5-1 * * * *", "1-2-3 * * * *", "1/2/3 * * * *",
				"a * * * *", "-1 * * * *", "+1 * * * *", "* * * feb-jan *", "0 9 L * *", "0 9 * * mon#1", "H * * * *"))
		case 3:
			return new(strings.TrimSuffix(strings.Repeat("5,", rapid.IntRange(505, 515).Draw(t, "times")), ",") + " * * * *")
		case 4:
			return new(rapid.StringMatching(`([0-9*?,/-]{1,4} ){4}[0-9*?,/-]{1,4}`).Draw(t, "near miss"))
		case 5:
			nearer := rapid.StringMatching(`[0-9]{1,2} [*0-9]{1,2} (\*|[0-9,]{1,3}) [1-9,*]{1,3} [0-7a-z]{1,3}`)
			return new(nearer.Draw(t, "nearer miss"))
		default:
			fields := strings.Fields(testkit.Arbitrary(generate.Cron).Draw(t, "cron"))
			i := rapid.IntRange(0, len(fields)-1).Draw(t, "field")
			fields[i] = rapid.StringMatching(`[0-9]{1,2}(-[0-9]{1,2})?(/[0-9]{1,2})?|,|\*[-/][0-9]`).Draw(t, "replaced")
			return new(strings.Join(fields, pick(t, "space", " ", "\t", "  ", "\n", "\u00a0", "\u2003")))
		}
	})
}

func soundDuration() *rapid.Generator[*metav1.Duration] {
	return rapid.Map(rapid.OneOf(
		rapid.IntRange(1, 60), rapid.IntRange(1, 60*24), rapid.IntRange(1, 60*24*40), rapid.IntRange(1, 60*24*366*9),
		rapid.Map(rapid.IntRange(1, 72), func(hours int) int { return hours * 60 }),
	), func(minutes int) *metav1.Duration {
		return &metav1.Duration{Duration: time.Duration(minutes) * time.Minute}
	})
}

func oddDuration() *rapid.Generator[*metav1.Duration] {
	return rapid.Custom(func(t *rapid.T) *metav1.Duration {
		if onceIn(t, 5, "none") {
			return nil
		}
		return &metav1.Duration{Duration: rapid.OneOf(
			rapid.SampledFrom([]time.Duration{0, 0, 1, time.Second, 90 * time.Second, time.Hour + 1,
				-time.Minute, -8 * time.Hour, 1<<63 - 1, 1 - 1<<63}), // Karpenter negates it, and -1<<63 has no negative
			rapid.Map(rapid.Int64Range(-1e6, 1e6), func(n int64) time.Duration { return time.Duration(n) * time.Second }),
			rapid.Map(rapid.Int64Range(-1e15, 1e15), func(n int64) time.Duration { return time.Duration(n) }),
		).Draw(t, "duration")}
	})
}

// moment generates times from 1890 to 2410, often right at the bounds of a window of one of the budgets.
func moment(list []v1.Budget) *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		at := anyMoment().Draw(t, "time")
		if len(list) == 0 || onceIn(t, 4, "anywhere") {
			return at
		}
		b := pick(t, "near", list...)
		if b.Schedule == nil {
			return at
		}
		parsed, err := cron.ParseStandard("TZ=UTC " + *b.Schedule)
		if spec, is := parsed.(*cron.SpecSchedule); err != nil || !is || namesNothing(spec) {
			return at
		}
		hit := parsed.Next(at)
		if hit.IsZero() {
			return at
		}
		if b.Duration != nil && rapid.Bool().Draw(t, "at the end") {
			hit = hit.Add(b.Duration.Duration)
		}
		beside := pick(t, "beside", 0, 0, -1, 1, -time.Second, time.Second-1, time.Second, -time.Minute, time.Minute)
		return within(hit.Add(beside))
	})
}

func anyMoment() *rapid.Generator[time.Time] {
	second := func(from, to time.Time) *rapid.Generator[int64] { return rapid.Int64Range(from.Unix(), to.Unix()) }
	year := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	days := []time.Time{}
	for _, text := range []string{"1900-02-28", "1999-12-31", "2000-02-29", "2024-02-29", "2026-12-31", "2028-02-29",
		"2096-02-29", "2097-06-15", "2100-02-28", "2100-03-01", "2104-02-29"} {
		day, _ := time.Parse(time.DateOnly, text)
		days = append(days, day)
	}
	return rapid.Custom(func(t *rapid.T) time.Time {
		nanos := pick[int64](t, "nanos", 0, 0, 0, 1, 500_000_000, 999_999_999)
		if onceIn(t, 4, "a day of its own") {
			second := time.Duration(rapid.IntRange(0, 86400).Draw(t, "second"))
			return pick(t, "day", days...).Add(second*time.Second + time.Duration(nanos))
		}
		ours := second(year(2020), year(2040))
		others := []*rapid.Generator[int64]{ours, second(year(2095), year(2105)), second(year(1890), year(2410))}
		seconds := rapid.OneOf(append(others, ours)...).Draw(t, "seconds")
		return time.Unix(seconds-seconds%pick[int64](t, "unit", 1, 60, 3600, 86400), nanos).UTC()
	})
}

// within keeps a time that has left them in the years of moment.
func within(at time.Time) time.Time {
	if at.Year() < 1890 || at.Year() > 2410 {
		return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	}
	return at
}

// zoned is a time on some other clock: what is asked must not depend on it.
func zoned(t *rapid.T, at time.Time) time.Time {
	return at.In(time.FixedZone("", pick(t, "offset", 0, 0, 3600, -5*3600, 20700)))
}
