package budget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestScopesAreTheBudgetsForSingleDomainsThatCoverAReason(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: "zone", Sequential: true, Reasons: []candidate.Reason{"Drifted"}},
		{Nodes: "2"},
		{Nodes: "25%", TopologyKey: "rack", Reasons: []candidate.Reason{"Empty", "Drifted/AMIDrift"}},
		{Nodes: "3", TopologyKey: "zone"},
		{Nodes: "x", TopologyKey: "zone"}, // broken: it allows nothing, for the whole pool
	})
	if err == nil {
		t.Fatal("it compiles")
	}
	for reason, want := range map[candidate.Reason]string{
		"Drifted": "0 3", "Drifted/AMIDrift": "0 2 3", "Empty": "2 3", "Underutilized": "3", "": "0 2 3", "typo": "3",
	} {
		var got []string
		for _, s := range set.Scopes(reason) {
			got = append(got, fmt.Sprint(s.Index))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", reason, got, want)
		}
	}
	if got := set.Broken(); got.String() != "4" {
		t.Errorf("broken: %s", got)
	}
	first := set.Scopes("Drifted")[0]
	if first.Key != "zone" || !first.Sequential || first.Covers("Empty") || !first.Covers("Drifted/AMIDrift") {
		t.Errorf("%+v", first)
	}
	if got, want := first.Describe(time.Time{}), "budgets[0] is 1 per zone, one at a time (Drifted)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for reason, want := range map[candidate.Reason]bool{"Drifted": true, "Drifted/AMIDrift": true, "": true, "drifted": false, "Moved": false} {
		if got := first.Knows(reason); got != want {
			t.Errorf("%q is known: %t", reason, got)
		}
	}
}

func TestAPercentageIsOfTheDomainsOwnNodes(t *testing.T) {
	// "The budget's Nodes allowance is evaluated per zone (using the zone's node count as the base for percentage
	// calculations)" (AZ-sequential RFC, Zone Selection)
	set, err := budget.Compile([]budget.Budget{{Nodes: "25%", TopologyKey: "zone"}, {Nodes: "2", TopologyKey: "zone"}})
	if err != nil {
		t.Fatal(err)
	}
	scopes := set.Scopes("")
	for nodes, want := range map[int][2]int{-1: {0, 2}, 0: {0, 2}, 1: {1, 2}, 4: {1, 2}, 5: {2, 2}, 100: {25, 2}} {
		if got := [2]int{scopes[0].Of(nodes), scopes[1].Of(nodes)}; got != want {
			t.Errorf("of %d nodes %v, want %v", nodes, got, want)
		}
	}
}

func TestAScopeKnowsWhenItIsActive(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: "zone", Schedule: "0 9 * * *", Duration: "8h"},
		{Nodes: "1", TopologyKey: "zone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	scopes := set.Scopes("Drifted")
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for hour, want := range map[int]string{8: "false 9", 9: "true 17", 16: "true 17", 17: "false 33"} {
		active, until := scopes[0].Window.Until(day.Add(time.Duration(hour) * time.Hour))
		if got := fmt.Sprint(active, until.Sub(day).Hours()); got != strings.Replace(want, " ", " ", 1) {
			t.Errorf("at %d: %s, want %s", hour, got, want)
		}
	}
	if active, until := scopes[1].Window.Until(day); !active || !until.IsZero() {
		t.Error(active, until)
	}
}

func TestTheZeroScopeAllowsNothing(t *testing.T) {
	var s budget.Limit
	if s.Of(100) != 0 || s.Knows("Drifted") || s.Describe(time.Time{}) != "no budget" {
		t.Errorf("%+v", s)
	}
}

func TestAScopeIsDescribedWithWhatTakesPlace(t *testing.T) {
	day := time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)
	spec := budget.Spec{
		Calendars: map[string]schedule.Window{"x": schedule.Events(schedule.Event{Name: "Eve", Span: schedule.Span{Start: day, End: day.Add(24 * time.Hour)}})},
		Budgets:   []budget.Budget{{Nodes: "1", TopologyKey: "zone", Calendar: "x"}, {Nodes: "2", TopologyKey: "zone"}},
	}
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	scopes, none := set.Scopes(""), budget.Limit{}
	for got, want := range map[string]string{
		scopes[0].Describe(day):                     "budgets[0] is 1 per zone (calendar x: Eve, until Fri 25 Dec 00:00 UTC)",
		scopes[0].Describe(day.Add(24 * time.Hour)): "budgets[0] is 1 per zone (calendar x)",
		scopes[0].Describe(time.Time{}):             "budgets[0] is 1 per zone (calendar x)",
		scopes[1].Describe(day):                     "budgets[1] is 2 per zone",
		none.Describe(day):                          "no budget",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
