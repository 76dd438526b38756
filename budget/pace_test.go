package budget_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestAPaceThatIsBrokenAllowsNothing(t *testing.T) {
	for _, c := range []struct{ name, budget, want string }{
		{"no time", `{"nodes": "2", "per": "0h"}`, `budgets[0].per: per "0h" is zero: write the time within which so many nodes may start, such as 1h`},
		{"no time in seconds", `{"nodes": "2", "per": "0s"}`, `budgets[0].per: per "0s" is zero: write the time within which so many nodes may start, such as 1h`},
		{"no time without a unit", `{"nodes": "2", "per": "0"}`, `budgets[0].per: per "0" is zero: write the time within which so many nodes may start, such as 1h`},
		{"seconds", `{"nodes": "2", "per": "90s"}`, `budgets[0].per: per "90s" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"a number without a unit", `{"nodes": "2", "per": "1"}`, `budgets[0].per: per "1" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"a negative time", `{"nodes": "2", "per": "-1h"}`, `budgets[0].per: per "-1h" is negative: write the time within which so many nodes may start, such as 1h`},
		{"a negative time in seconds", `{"nodes": "2", "per": "-1s"}`, `budgets[0].per: per "-1s" is negative: write the time within which so many nodes may start, such as 1h`},
		{"more than a year", `{"nodes": "2", "per": "8785h"}`, `budgets[0].per: per "8785h" is longer than a year: write at most 8784h`},
		{"more than fits", `{"nodes": "2", "per": "99999999999h"}`, `budgets[0].per: per "99999999999h" is longer than a year: write at most 8784h`},
		{"a day in words", `{"nodes": "2", "per": "day"}`, `budgets[0].per: per "day" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"none per hour", `{"nodes": "0%", "per": "1h"}`, `budgets[0].nodes: nodes "0%" per 1h allows no start: leave per out if nothing should be disrupted`},
		{"of zones", `{"nodes": "2", "per": "1h", "topologyKey": "zone"}`, `budgets[0].per: per "1h" applies to the whole pool, and topologyKey to single zones: ` +
			`starts are not counted by zone, since nodes that are gone are in none; write the pace in a separate budget`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, `{"budgets": [`+c.budget+`]}`).Compile()
			if fmt.Sprint(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if allowance, _ := budget.AllowedByReason(set, aMonday, 100, "Drifted"); allowance.Nodes != 0 {
				t.Errorf("%v", allowance)
			}
		})
	}
}

func TestTheForecastShowsPacesBesideTheNumber(t *testing.T) {
	set, err := decoded(t, `{"budgets": [{"nodes": "5"}, {"nodes": "2", "per": "1h", "schedule": "0 9 * * *", "duration": "8h", "reasons": ["Drifted"]}, {"nodes": "0", "schedule": "0 16 * * *", "duration": "2h"}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[candidate.Reason][]string{
		"Drifted": {"00:00 5 by [0] paces []", "09:00 5 by [0] paces [1]", "16:00 0 by [2] paces []", "18:00 5 by [0] paces []"},
		"Empty":   {"00:00 5 by [0] paces []", "16:00 0 by [2] paces []", "18:00 5 by [0] paces []"},
	} {
		segments, err := set.Forecast(aMonday, aMonday.AddDate(0, 0, 1), 100, reason)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range segments {
			got = append(got, fmt.Sprintf("%s %d by [%s] paces [%s]", s.Start.Format("15:04"), s.Nodes, s.Binding, s.Paces))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
