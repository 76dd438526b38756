package forecast

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// timelineOf returns segments of the given amounts that begin at the given times, up to the last of them.
func timelineOf(t *testing.T, times []string, amounts ...int) (timeline []budget.Segment) {
	t.Helper()
	var at []time.Time
	for _, text := range times {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, parsed)
	}
	for i, n := range amounts {
		timeline = append(timeline, budget.Segment{Span: schedule.Span{Start: at[i], End: at[i+1]}, Allowance: budget.Allowance{Nodes: n}})
	}
	return timeline
}

// glanceOf returns what is printed, without the header.
func glanceOf(t *testing.T, zone string, timeline []budget.Segment) []string {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	text{Writer: &out, zone: location}.glance(daysOf(timeline, location))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]
}

func TestEachHourIsACell(t *testing.T) {
	const u = budget.Unlimited
	for _, test := range []struct {
		rule, zone string
		timeline   []budget.Segment
		want       []string
	}{
		{"closed, open and unlimited hours", "UTC",
			timelineOf(t, []string{"2026-11-23T20:00:00Z", "2026-11-23T21:00:00Z", "2026-11-23T22:00:00Z", "2026-11-24T01:00:00Z"}, 0, 5, u),
			[]string{"Mon 23  " + strings.Repeat(" ", 60) + "▒▒▒  5  ∞  ∞", "Tue 24    ∞"}},
		{"an hour that is closed for a minute", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T00:59:00Z", "2026-11-23T01:00:00Z", "2026-11-23T02:00:00Z"}, 12, 0, 12),
			[]string{"Mon 23  ~12 12"}},
		{"an hour that is open for a minute", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T00:59:00Z", "2026-11-23T01:00:00Z", "2026-11-23T02:00:00Z"}, 0, 12, 0),
			[]string{"Mon 23  ~12▒▒▒"}},
		{"an hour that is closed, and unlimited", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T00:30:00Z", "2026-11-23T01:00:00Z"}, 0, u), []string{"Mon 23   ~∞"}},
		{"an hour in which the number changes", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T00:30:00Z", "2026-11-23T01:00:00Z"}, 7, 12), []string{"Mon 23  ~12"}},
		{"an hour that is limited for a part", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T00:30:00Z", "2026-11-23T01:00:00Z"}, 7, u), []string{"Mon 23   ~∞"}},
		{"numbers with more digits", "UTC",
			timelineOf(t, []string{"2026-11-23T00:00:00Z", "2026-11-23T01:00:00Z", "2026-11-23T02:00:00Z", "2026-11-23T03:00:00Z"}, 0, 1234, 99_999),
			[]string{"Mon 23  ▒▒▒▒▒ 1234  99k"}},
		{"hours of the zone", "Asia/Kathmandu", // +05:45
			timelineOf(t, []string{"2026-11-22T18:15:00Z", "2026-11-22T18:45:00Z", "2026-11-22T20:15:00Z"}, 0, 7), []string{"Mon 23   ~7  7"}},
		{"an hour that the clocks leave out", "Europe/Berlin",
			timelineOf(t, []string{"2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"}, 7, 8), []string{"Sun 29       7     8"}},
		{"an hour that appears twice, and closed the second time", "Europe/Berlin",
			timelineOf(t, []string{"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"}, 7, 0, 8),
			[]string{"Sun 25  " + strings.Repeat(" ", 6) + " ~7  8"}},
		{"clocks that are put back by half an hour", "Australia/Lord_Howe", // from 02:00 to 01:30, at 15:00 UTC
			timelineOf(t, []string{"2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"}, 7, 0, 8),
			[]string{"Sun 05      ~7  8"}},
		{"clocks that are put back at 45 minutes past", "Pacific/Chatham", // from 03:45 to 02:45, at 14:00 UTC
			timelineOf(t, []string{"2026-04-04T13:15:00Z", "2026-04-04T14:00:00Z", "2026-04-04T14:15:00Z", "2026-04-04T16:15:00Z"}, 7, 0, 8),
			[]string{"Sun 05  " + strings.Repeat(" ", 6) + "▒▒▒ ~8  8"}},
		{"clocks that are put forward at 45 minutes past", "Pacific/Chatham", // from 02:45 to 03:45, at 14:00 UTC
			timelineOf(t, []string{"2026-09-26T13:15:00Z", "2026-09-26T14:00:00Z", "2026-09-26T14:15:00Z", "2026-09-26T15:15:00Z"}, 7, 0, 8),
			[]string{"Sun 27  " + strings.Repeat(" ", 6) + "  7▒▒▒  8"}},
		{"one week, and no more", "UTC",
			timelineOf(t, []string{"2026-11-23T23:30:00Z", "2026-11-30T23:30:00Z", "2026-12-23T00:00:00Z"}, 1, 0),
			append([]string{"Mon 23  " + strings.Repeat("   ", 23) + "  1"},
				allDay("Tue 24 ", "Wed 25 ", "Thu 26 ", "Fri 27 ", "Sat 28 ", "Sun 29 ", "Mon 30 ")...)},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if diff := cmp.Diff(test.want, glanceOf(t, test.zone, test.timeline)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func allDay(dates ...string) (lines []string) {
	for _, d := range dates {
		lines = append(lines, d+" "+strings.Repeat("  1", 24))
	}
	return lines
}

// In Berlin the clock shows 02:00 to 03:00 twice on 25 October; in Lord Howe 01:30 to 02:00 on 5 April; in Chatham 02:45 to 03:45.
func TestTimesThatTheClockShowsTwiceHaveTheirOffset(t *testing.T) {
	for _, test := range []struct {
		rule, zone, from, to, cron, duration string
		want                                 []string
	}{
		{"an hour, the second time", "Europe/Berlin", "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", "0 1 25 10 *", "1h", []string{
			"Sun 25 Oct 00:00 | Sun 25 Oct 02:00 +01:00 | 3h | 10",
			"Sun 25 Oct 02:00 +01:00 | Sun 25 Oct 03:00 | 1h | 0",
			"Sun 25 Oct 03:00 | Sun 25 Oct 12:00 | 9h | 10"}},
		{"the same, the first time", "Europe/Berlin", "2026-10-25T00:00:00+02:00", "2026-10-25T12:00:00+01:00", "0 0 25 10 *", "1h", []string{
			"Sun 25 Oct 00:00 | Sun 25 Oct 02:00 +02:00 | 2h | 10",
			"Sun 25 Oct 02:00 +02:00 | Sun 25 Oct 02:00 +01:00 | 1h | 0",
			"Sun 25 Oct 02:00 +01:00 | Sun 25 Oct 12:00 | 10h | 10"}},
		{"half an hour", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", "2026-04-04T18:00:00Z", "30 14 4 4 *", "1h", []string{
			"Sat 04 Apr 23:00 | Sun 05 Apr 01:30 +11:00 | 2h30m | 10",
			"Sun 05 Apr 01:30 +11:00 | Sun 05 Apr 02:00 | 1h | 0",
			"Sun 05 Apr 02:00 | Sun 05 Apr 04:30 | 2h30m | 10"}},
		{"a clock that goes forward", "Europe/Berlin", "2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00", "0 1 29 3 *", "1h", []string{
			"Sun 29 Mar 00:00 | Sun 29 Mar 03:00 | 2h | 10",
			"Sun 29 Mar 03:00 | Sun 29 Mar 04:00 | 1h | 0",
			"Sun 29 Mar 04:00 | Sun 29 Mar 12:00 | 8h | 10"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			budgets := fmt.Sprintf("budgets: [{nodes: 10%%}, {nodes: '0', schedule: '%s', duration: %s}]", test.cron, test.duration)
			got := forecasted(budgets, "--reason", "Drifted", "--zone", test.zone, "--from", test.from, "--to", test.to, "-")
			_, table, _ := strings.Cut(got.stdout, "SET BY\n")
			table, _, _ = strings.Cut(table, "\n\n")
			var rows []string
			for line := range strings.SplitSeq(table, "\n") {
				cells := regexp.MustCompile(" {2,}").Split(line, -1)
				rows = append(rows, strings.Join(cells[:min(4, len(cells))], " | "))
			}
			if diff := cmp.Diff(test.want, rows); diff != "" {
				t.Errorf("(-want +got)\n%s%s", diff, got.stderr)
			}
		})
	}
}

func TestTheTitleHasOffsetsWhereTheClockShowsItsTimesTwice(t *testing.T) {
	got := forecasted("", "--zone", "Europe/Berlin", "--from", "2026-10-25T00:30:00Z", "--to", "2026-10-25T01:30:00Z")
	if want := "Sun 2026-10-25 02:30 +02:00 to Sun 2026-10-25 02:30 +01:00; all times"; !strings.Contains(got.stdout, "\n"+want) {
		t.Errorf("it begins with %.80s, want %s", got.stdout, want)
	}
}

func TestDurationsAreExact(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "10m": 10 * time.Minute, "16h": 16 * time.Hour, "23h50m": 23*time.Hour + 50*time.Minute, "7d": 168 * time.Hour,
		"1d15h": 39 * time.Hour, "2d1s": 48*time.Hour + time.Second, "1d15m": 24*time.Hour + 15*time.Minute,
	} {
		if got := short(d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
