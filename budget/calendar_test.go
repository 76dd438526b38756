package budget_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// TestABudgetIsDescribedWithWhatTakesPlace is at noon on 24 December.
func TestABudgetIsDescribedWithWhatTakesPlace(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 12, 24, 12, 0, 0, 0, berlin)
	days := func(name string, from, to int) schedule.Event {
		return schedule.Event{Name: name, Span: schedule.Span{Start: time.Date(2026, 12, from, 0, 0, 0, 0, berlin), End: time.Date(2026, 12, to, 0, 0, 0, 0, berlin)}}
	}
	endless := days("Freeze", 24, 25)
	endless.End = time.Time{}
	var many []schedule.Event
	for _, name := range strings.Split("a b c d e f a g", " ") {
		many = append(many, days(name, 24, 25))
	}
	const calendar = `{"nodes": "0", "calendar": "x"}`
	for _, c := range []struct {
		name, budget string
		events       []schedule.Event
		want         string
	}{
		{"a freeze", calendar, []schedule.Event{days("Christmas freeze", 23, 34)}, "0 (calendar x: Christmas freeze, until Sun 3 Jan 00:00 CET)"},
		{"after the reasons", `{"nodes": "0", "calendar": "x", "reasons": ["Drifted"]}`, []schedule.Event{days("Christmas freeze", 23, 34)},
			"0 (Drifted; calendar x: Christmas freeze, until Sun 3 Jan 00:00 CET)"},
		{"days that follow each other", calendar, []schedule.Event{days("Eve", 24, 25), days("Christmas Day", 25, 26), days("Monday", 28, 29), days("Sunday", 20, 21)},
			"0 (calendar x: Eve, Christmas Day, until Sat 26 Dec 00:00 CET)"},
		{"one within another", calendar, []schedule.Event{days("Freeze", 20, 30), days("Eve", 24, 25)}, "0 (calendar x: Freeze, Eve, until Wed 30 Dec 00:00 CET)"},
		{"in the zone of the one that ends then", calendar, []schedule.Event{days("Eve", 24, 25), {Name: "Launch", Span: schedule.Span{Start: noon.UTC(), End: noon.UTC().Add(24 * time.Hour)}}},
			"0 (calendar x: Eve, Launch, until Fri 25 Dec 11:00 UTC)"},
		{"far away", calendar, []schedule.Event{days("Freeze", 20, 731)}, "0 (calendar x: Freeze, until Thu 30 Nov 2028 00:00 CET)"},
		{"in three hundred days", calendar, []schedule.Event{{Name: "Freeze", Span: schedule.Span{Start: noon, End: noon.Add(300 * 24 * time.Hour)}}},
			"0 (calendar x: Freeze, until Wed 20 Oct 13:00 CEST)"},
		{"and a minute", calendar, []schedule.Event{{Name: "Freeze", Span: schedule.Span{Start: noon, End: noon.Add(300*24*time.Hour + time.Minute)}}},
			"0 (calendar x: Freeze, until Wed 20 Oct 2027 13:01 CEST)"},
		{"five", calendar, many[:5], "0 (calendar x: a, b, c, d, e, until Fri 25 Dec 00:00 CET)"},
		{"without an end", calendar, []schedule.Event{endless}, "0 (calendar x: Freeze)"},
		{"many", calendar, many, "0 (calendar x: a, b, c, d, e, and 2 more, until Fri 25 Dec 00:00 CET)"},
		{"a long name", calendar, []schedule.Event{days(strings.Repeat("x", 10_000), 24, 25)}, "0 (calendar x: " + strings.Repeat("x", 100) + "…, until Fri 25 Dec 00:00 CET)"},
		{"a name that writes on terminals", calendar, []schedule.Event{days("\x1b[31m\n", 24, 25)}, `0 (calendar x: "\x1b[31m\n", until Fri 25 Dec 00:00 CET)`},
		{"without a name", calendar, []schedule.Event{days("", 24, 25)}, "0 (calendar x)"},
		{"another day", calendar, []schedule.Event{days("Christmas Day", 25, 26)}, "0 (calendar x)"},
		{"outside", `{"nodes": "0", "calendar": "x", "outside": true}`, []schedule.Event{days("Eve", 24, 25)}, "0 (outside calendar x)"},
		{"an unknown calendar", `{"nodes": "0", "calendar": "y"}`, []schedule.Event{days("Eve", 24, 25)}, "0 (calendar y)"},
		{"no calendar", `{"nodes": "0"}`, []schedule.Event{days("Eve", 24, 25)}, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := decoded(t, `{"budgets": [`+c.budget+`]}`)
			spec.Calendars = map[string]schedule.Window{"x": schedule.Events(c.events...)}
			set, _ := spec.Compile()
			if got := set.Describe(0, noon); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if set, _ := budget.Compile(nil); set.Describe(1, noon) != "" || set.Describe(-1, noon) != "" || set.Events(1, schedule.Span{}) != nil || set.Events(-1, schedule.Span{}) != nil {
		t.Error("a budget that is not there is described")
	}
}
