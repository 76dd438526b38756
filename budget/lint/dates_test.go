package lint_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestLintOfDates(t *testing.T) {
	const eventsToCome = " → provide a calendar with events to come, or read further ahead if they recur only after years"
	weekends, err := schedule.Parse("0 0 * * sat", 48*time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}
	day := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	calendars := map[string]schedule.Window{
		"last":  schedule.Dates(schedule.Span{Start: day(1, 1), End: day(1, 2)}),
		"empty": schedule.Dates(), "endless": schedule.Dates(schedule.Span{Start: day(-11, 1)}), "weekends": weekends,
	}
	for _, c := range []struct {
		name, budgets string
		want          []string // the findings on dates
	}{
		{"a freeze to come is as it should be", `{"nodes": "10%"}, {"nodes": "0", "from": "2026-12-23", "to": "2027-01-02"}`, nil},
		{"a freeze that is over", `{"nodes": "10%"}, {"nodes": "0", "from": "2025-12-23", "to": "2026-01-02"}`,
			[]string{"warning over: budgets[1] is 0 (2025-12-23 to 2026-01-02, UTC), and its last day has passed: it never restricts again → delete budgets[1], or write later dates"}},
		{"an opening that is over", `{"nodes": "10%"}, {"nodes": "0", "from": "2025-12-23", "to": "2026-01-02", "outside": true}`,
			[]string{"warning over: budgets[1] is 0 (outside 2025-12-23 to 2026-01-02, UTC), and its last day has passed: it is active for ever from now on → delete budgets[1], which raises Drifted, Empty, Underutilized, Expired and Unhealthy from 0 to 10 nodes at all times, or write later dates"}},
		{"a calendar that is over", `{"nodes": "10%"}, {"nodes": "0", "calendar": "last"}`,
			[]string{"warning over: budgets[1] is 0 (calendar last), and the last event known of its calendar has passed: it does not restrict until more are known" + eventsToCome}},
		{"outside of a calendar that is over", `{"nodes": "10%"}, {"nodes": "0", "calendar": "last", "outside": true}`,
			[]string{"warning over: budgets[1] is 0 (outside calendar last), and the last event known of its calendar has passed: it is active until more are known" + eventsToCome}},
		{"a calendar without events", `{"nodes": "10%"}, {"nodes": "0", "calendar": "empty"}`,
			[]string{"warning over: budgets[1] is 0 (calendar empty), and its calendar has no known events: it does not restrict until more are known" + eventsToCome}},
		{"outside of a calendar without events", `{"nodes": "10%"}, {"nodes": "0", "calendar": "empty", "outside": true}`,
			[]string{"warning over: budgets[1] is 0 (outside calendar empty), and its calendar has no known events: it is active until more are known" + eventsToCome}},
		{"outside of a calendar whose event never ends", `{"nodes": "10%"}, {"nodes": "0", "calendar": "endless", "outside": true}`,
			[]string{"warning over: budgets[1] is 0 (outside calendar endless), and its last day has passed: it never restricts again → delete budgets[1], or write later dates"}},
		{"a calendar of weekends has events to come", `{"nodes": "10%"}, {"nodes": "0", "calendar": "weekends"}`, nil},
		{"a freeze without an end", `{"nodes": "10%"}, {"nodes": "0", "from": "2026-12-23"}`,
			[]string{`info no-last-day: budgets[1] is 0 (from 2026-12-23 on, UTC), and has no last day: from its first day on it is always active → write "to", the last day, if that is not intended`}},
		{"a freeze in two years", `{"nodes": "10%"}, {"nodes": "0", "from": "2028-12-23", "to": "2028-12-24"}`,
			[]string{"info never-fires: budgets[1] is 0 (2028-12-23 to 2028-12-24, UTC), and not active before Sat 2028-12-23 00:00 UTC → until then it limits nothing: write an earlier date, if that is not intended"}},
		{"a freeze that ends while another goes on", `{"nodes": "10%"}, {"nodes": "0", "from": "2026-12-23", "to": "2026-12-27"}, {"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "24h", "reasons": ["Drifted"]}`,
			[]string{"info ends-closed: Drifted is still blocked when budgets[1] ends at Mon 2026-12-28 00:00 UTC, and up to Sat 2027-01-02 00:00 UTC: budgets[2] is 0 (Drifted; 0 0 * * mon-fri for 24h, UTC) → if nodes should be disrupted as soon as it ends, write an end at which other budgets allow them"}},
		{"a freeze that ends in an opening", `{"nodes": "10%"}, {"nodes": "0", "from": "2026-12-23", "to": "2026-12-25"}, {"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "24h"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`)
			spec.Calendars = calendars
			set, err := spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
				switch f.Code {
				case "over", "no-last-day", "ends-closed", "never-fires", lint.CodeNeverCloses:
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
