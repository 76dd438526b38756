package budget_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

func day(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC)
}

// calendars are those that the caller hands in.
var calendars = map[string]schedule.Window{
	"holidays": schedule.Dates(schedule.Span{Start: day(12, 25), End: day(12, 27)}, schedule.Span{Start: day(12, 31), End: day(13, 2)}),
	"last":     schedule.Dates(schedule.Span{Start: day(1, 1), End: day(1, 2)}),
}

// A budget of 0 is active on some dates between 20 December and 5 January.
func TestBudgetsOfDates(t *testing.T) {
	for _, c := range []struct {
		name, budget, text string
		closed             []string
	}{
		{"both days are included", `{"from": "2026-12-23", "to": "2027-01-02"}`, "0 (2026-12-23 to 2027-01-02, UTC)", []string{"12-23T00:00 01-03T00:00"}},
		{"in the budget's zone", `{"from": "2026-12-23", "to": "2026-12-23", "timeZone": "Europe/Berlin"}`, "0 (2026-12-23 to 2026-12-23, Europe/Berlin)", []string{"12-22T23:00 12-23T23:00"}},
		{"a time of the day is not", `{"from": "2026-12-23T18:00:00+01:00", "to": "2026-12-24T06:00:00Z"}`, "0 (2026-12-23T18:00:00+01:00 to 2026-12-24T06:00:00Z)", []string{"12-23T17:00 12-24T06:00"}},
		{"without an end", `{"from": "2026-12-23"}`, "0 (from 2026-12-23 on, UTC)", []string{"12-23T00:00 01-05T00:00"}},
		{"without a beginning", `{"to": "2026-12-23"}`, "0 (up to 2026-12-23, UTC)", []string{"12-20T00:00 12-24T00:00"}},
		{"outside of the dates", `{"from": "2026-12-23", "to": "2027-01-02", "outside": true}`, "0 (outside 2026-12-23 to 2027-01-02, UTC)", []string{"12-20T00:00 12-23T00:00", "01-03T00:00 01-05T00:00"}},
		{"a calendar", `{"calendar": "holidays"}`, "0 (calendar holidays)", []string{"12-25T00:00 12-27T00:00", "12-31T00:00 01-02T00:00"}},
		{"outside of a calendar", `{"calendar": "holidays", "outside": true}`, "0 (outside calendar holidays)", []string{"12-20T00:00 12-25T00:00", "12-27T00:00 12-31T00:00", "01-02T00:00 01-05T00:00"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := decoded(t, `{"budgets": [`+c.budget[:1]+`"nodes": "0", `+c.budget[1:]+`]}`)
			spec.Calendars = calendars
			set, err := spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			if text := spec.Budgets[0].String(); text != c.text {
				t.Errorf("it describes itself as %s", text)
			}
			segments, err := set.Forecast(day(12, 20), day(13, 5), 100, "Drifted")
			if err != nil {
				t.Fatal(err)
			}
			var closed []string
			for _, s := range segments {
				if s.Nodes == 0 {
					closed = append(closed, s.Start.Format("01-02T15:04")+" "+s.End.Format("01-02T15:04"))
				}
			}
			if diff := cmp.Diff(c.closed, closed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// onDates reports whether a budget has dates, and whether the clocks of its zone show one of them.
func onDates(b budget.Budget, now time.Time) (dated, on bool) {
	zone, err := time.LoadLocation(b.TimeZone)
	if err != nil {
		panic(err)
	}
	shown := now.In(zone).Format(time.DateOnly)
	return b.From != "" || b.To != "", (b.From == "" || b.From <= shown) && (b.To == "" || shown <= b.To)
}

func TestABudgetWhoseDatesAreBrokenAllowsNothing(t *testing.T) {
	const form = `: write a day such as 2026-12-23, or a time such as 2026-12-23T18:00:00+01:00`
	for _, c := range []struct{ name, budget, want string }{
		{"30 February", `{"from": "2026-02-30"}`, `budgets[0].from: date "2026-02-30" does not exist` + form},
		{"both dates, and the zone", `{"from": "tomorrow", "to": "never", "timeZone": "Mars"}`, `budgets[0].from: date "tomorrow" is not valid` + form + "\n" +
			`budgets[0].to: date "never" is not valid` + form + "\n" + `budgets[0].timeZone: time zone "Mars" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`},
		{"to before from", `{"from": "2026-12-23", "to": "2026-12-22"}`, `budgets[0].to: dates from "2026-12-23" to "2026-12-22" cover no time: write a later end`},
		{"dates and a schedule", `{"from": "2026-12-23", "schedule": "@daily", "duration": "1h"}`,
			`budgets[0].from: schedule and from both say when the budget is active: write one of them, and the other in a second budget`},
		{"dates and a duration", `{"to": "2026-12-23", "duration": "1h"}`,
			`budgets[0].schedule: duration "1h" has no schedule: write when it starts, such as "0 9 * * mon-fri", or leave both out for always` + "\n" +
				`budgets[0].to: schedule and to both say when the budget is active: write one of them, and the other in a second budget`},
		{"a calendar and dates", `{"from": "2026-12-23", "calendar": "holidays"}`,
			`budgets[0].calendar: from and calendar both say when the budget is active: write one of them, and the other in a second budget`},
		{"a calendar that nobody handed in", `{"calendar": "holiday"}`, `budgets[0].calendar: calendar "holiday" is unknown: write one of "holidays", "last"`},
		{"a calendar with a zone", `{"calendar": "holidays", "timeZone": "Europe/Berlin"}`,
			`budgets[0].timeZone: timeZone "Europe/Berlin" has nothing to apply to, since a calendar has its own: leave it out`},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := decoded(t, `{"budgets": [`+c.budget+`]}`)
			spec.Calendars = calendars
			set, err := spec.Compile()
			if fmt.Sprint(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if allowance, _ := budget.AllowedByReason(set, day(6, 1), 100, "Drifted"); allowance.Nodes != 0 {
				t.Errorf("%v", allowance)
			}
		})
	}
	_, err := budget.Compile([]budget.Budget{{Calendar: "holidays"}})
	if want := `budgets[0].calendar: calendar "holidays" is unknown: no calendars were given`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
