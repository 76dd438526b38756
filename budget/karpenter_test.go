package budget_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// Each quirk of Karpenter has a row; the module karpenter asks the real one.
func TestKarpentersDialect(t *testing.T) {
	const unlimited = budget.Unlimited
	drifted := []candidate.Reason{candidate.Drifted}
	tests := []struct {
		name    string
		budgets []budget.Budget
		drift   int    // how many of ten nodes are allowed for Drifted on a Monday at noon
		empty   int    // and for Empty
		finding string // the code that lint has for it; "" is none of Karpenter's
	}{
		{"no list is 10 %", nil, 1, 1, ""},
		{"an empty list is no limit", []budget.Budget{}, unlimited, unlimited, ""},
		{"a budget means what it means here", []budget.Budget{{Nodes: "3", Reasons: drifted}}, 3, unlimited, ""},
		{"a schedule that never hits is always active", []budget.Budget{{Nodes: "2", Schedule: "0 0 30 2 *", Duration: "8h"}}, 2, 2, lint.CodeNeverCloses},
		{"a schedule that cannot be read allows nothing for any reason",
			[]budget.Budget{{Nodes: "5"}, {Nodes: "0", Schedule: "0 0 * * sat-sun", Duration: "8h", Reasons: drifted}}, 0, 0, lint.CodeInvalid},
		{"a number that cannot be read allows nothing for any reason", []budget.Budget{{Nodes: "ten", Reasons: drifted}}, 0, 0, lint.CodeRejected},
		{"but only while the budget is active", []budget.Budget{{Nodes: "ten", Schedule: "0 1 * * *", Duration: "1h"}}, unlimited, unlimited, lint.CodeRejected},
		{"a count that the schema takes, and Karpenter cannot read, is one", []budget.Budget{{Nodes: "99999999999999999999", Reasons: drifted}}, 0, 0, lint.CodeInvalid},
		{"a duration without a schedule allows nothing", []budget.Budget{{Nodes: "5", Duration: "1h"}}, 0, 0, lint.CodeRejected},
		{"a schedule without a duration is never active", []budget.Budget{{Nodes: "0", Schedule: "0 12 * * *"}}, unlimited, unlimited, lint.CodeRejected},
		{"a duration of no time at all is never active", []budget.Budget{{Nodes: "0", Schedule: "0 12 * * *", Duration: "0m"}}, unlimited, unlimited, "never-fires"},
		{"an empty list of reasons is for nothing", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{}}}, unlimited, unlimited, lint.CodeForNothing},
		{"a reason that does not exist is for nothing", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"drifted"}}}, unlimited, unlimited, lint.CodeForNothing},
		{"so are the words of the RFCs", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Drift"}}}, unlimited, unlimited, lint.CodeForNothing},
		{"and children", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}}, unlimited, unlimited, lint.CodeForNothing},
		{"and Expired, about which Karpenter asks nobody", []budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{"Expired"}}}, unlimited, unlimited, lint.CodeForNothing},
		{"a reason that appears twice is there", []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Drifted", "Drifted"}}}, 1, unlimited, lint.CodeRejected},
		{"a count keeps its lowest 32 bits", []budget.Budget{{Nodes: "4294967301"}}, 5, 5, lint.CodeCountWraps},
		{"a negative count allows nothing", []budget.Budget{{Nodes: "-5"}}, 0, 0, lint.CodeRejected},
		{"the largest count is no limit", []budget.Budget{{Nodes: "2147483647"}}, unlimited, unlimited, ""},
		{"more than 100 percent is more than all", []budget.Budget{{Nodes: "150%"}}, 15, 15, lint.CodeRejected},
		{"more than 50 budgets are read past the API server", slices.Repeat([]budget.Budget{{Nodes: "4"}}, 51), 4, 4, lint.CodeRejected},
		{"more budgets than Karpenter's schema has allow nothing", slices.Repeat([]budget.Budget{{Nodes: "4"}}, 65), 0, 0, lint.CodeInvalid},
		{"a zone's budget is one for the pool",
			[]budget.Budget{{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: drifted}}, 1, unlimited, lint.CodeDroppedField},
		{"a time zone is dropped: noon is UTC", []budget.Budget{{Nodes: "0", Schedule: "0 12 * * *", Duration: "1h", TimeZone: "Asia/Tokyo"}}, 0, 0, lint.CodeDroppedField},
		{"outside is dropped", []budget.Budget{{Nodes: "0", Schedule: "0 12 * * *", Duration: "1h", Outside: true}}, 0, 0, lint.CodeDroppedField},
	}
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := budget.Spec{Budgets: test.budgets, Dialect: dialect.Karpenter}.Compile()
			for reason, want := range map[candidate.Reason]int{
				candidate.Drifted: test.drift, "Drifted/AMIDrift": test.drift, candidate.Empty: test.empty, candidate.Expired: unlimited,
			} {
				if got, _ := budget.AllowedByReason(set, noon, 10, reason); got.Nodes != want && (reason != candidate.Expired || len(test.budgets) <= 64) {
					t.Errorf("%s: %d, want %d", reason, got.Nodes, want)
				}
				segments, refused := set.Forecast(noon, noon.Add(time.Minute), 10, reason)
				if got, _ := budget.AllowedByReason(set, noon, 10, reason); refused != nil || segments[0].Nodes != got.Nodes {
					t.Errorf("%s: the forecast says %v (%v)", reason, segments, refused)
				}
			}
			karpenters := []string{lint.CodeInvalid, lint.CodeRejected, lint.CodeDroppedField, lint.CodeNeverCloses,
				lint.CodeForNothing, lint.CodeCountWraps}
			found := false
			for _, f := range lint.Run(set, noon, lint.Facts{Nodes: 10}) {
				found = found || f.Code == test.finding
				if test.finding == "" && slices.Contains(karpenters, f.Code) {
					t.Errorf("lint finds %v (%v)", f, err)
				}
			}
			if test.finding != "" && !found {
				t.Errorf("lint does not find %s: %v", test.finding, lint.Run(set, noon, lint.Facts{Nodes: 10}))
			}
		})
	}
}

// An invalid number of nodes matters, and is reported, while the budget is active; an invalid schedule always.
func TestKarpenterReportsABrokenBudgetWhileItIsActive(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		broken budget.Budget
		at     time.Time
		active bool
	}{
		{"its number, in its window", budget.Budget{Nodes: "ten", Schedule: "0 12 * * *", Duration: "1h", Reasons: []candidate.Reason{candidate.Empty}}, noon, true},
		{"its number, outside of its window", budget.Budget{Nodes: "ten", Schedule: "0 12 * * *", Duration: "1h"}, noon.Add(-1), false},
		{"its schedule", budget.Budget{Nodes: "0", Schedule: "0 12 * * sat-sun", Duration: "1h", Reasons: []candidate.Reason{candidate.Empty}}, noon, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, _ := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, test.broken}, Dialect: dialect.Karpenter}.Compile()
			got, err := budget.AllowedByReason(set, test.at, 10, candidate.Drifted)
			if (err != nil) != test.active || (got.Nodes == 0) != test.active {
				t.Errorf("%v, %v", got, err)
			}
			if s := set.Limits()[1]; schedule.InWindow(s.Window, test.at) != test.active || s.Of(10) != 0 {
				t.Errorf("%+v", s)
			}
			if _, err := budget.AllowedByReason(set, test.at, 10, candidate.Expired); err != nil {
				t.Errorf("expiration asks no budget: %v", err)
			}
		})
	}
}

// What Karpenter makes of a budget that somebody got past its API server, next to one of 5 at all times.
func TestABudgetThatKarpenterCannotReadIsNamed(t *testing.T) {
	hourly := func(schedule, duration string) budget.Budget {
		return budget.Budget{Nodes: "0", Schedule: schedule, Duration: duration}
	}
	for _, c := range []struct {
		name    string
		budget  budget.Budget
		allowed int    // at noon, at which none of the schedules hits
		want    string // the last fault; "" is none
	}{
		{"a duration in words", hourly("0 1 * * *", "eight"), 0,
			`budgets[1].duration: duration "eight": Karpenter can read neither it nor the NodePool: write whole hours and minutes, such as 8h`},
		{"a duration that is too long for Go", hourly("0 1 * * *", "9999999h"), 0,
			`budgets[1].duration: duration "9999999h": Karpenter can read neither it nor the NodePool: write whole hours and minutes, such as 8h`},
		{"a schedule with a time zone", hourly("TZ=Europe/Berlin 0 1 * * *", "8h"), 0, `budgets[1].schedule: cron expression ` +
			`"TZ=Europe/Berlin 0 1 * * *" sets a time zone, and Karpenter has none: write "0 1 * * *" with its hours in UTC`},
		{"a schedule with nothing but a time zone", hourly("TZ=Europe/Berlin", "8h"), 0, `budgets[1].schedule: cron expression ` +
			`"TZ=Europe/Berlin" sets a time zone: write it without "TZ=Europe/Berlin", and give the zone on its own`},
		{"a schedule that is not valid", hourly("0 1 * * sat-sun", "8h"), 0,
			`budgets[1].schedule: cron expression "0 1 * * sat-sun": day of week "sat-sun" is not valid: write "sat,sun"`},
		{"a percentage in words", budget.Budget{Nodes: "x%"}, 0, `budgets[1].nodes: nodes "x%": write a count such as 5, or a percentage from 0% to 100%`},
		{"a count that is too large to read", budget.Budget{Nodes: "99999999999999999999"}, 0,
			`budgets[1].nodes: nodes "99999999999999999999" is more than Kubernetes counts: write at most 2147483647, or delete the budget for no limit`},
		{"a percentage that is too long for Go", budget.Budget{Nodes: "99999999999999999999%"}, 0,
			`budgets[1].nodes: nodes "99999999999999999999%": write a count such as 5, or a percentage from 0% to 100%`},
		{"a percentage of more than all nodes there are is read", budget.Budget{Nodes: "99999999999%"}, 5,
			`budgets[1].nodes: nodes "99999999999%" is rejected: write a count such as 5, or a percentage from 0% to 100%`},
		{"a percentage below 0 is 0", budget.Budget{Nodes: "-5%"}, 0,
			`budgets[1].nodes: nodes "-5%" is rejected: write a count such as 5, or a percentage from 0% to 100%`},
		{"a count that wraps to less than 0 is 0", budget.Budget{Nodes: "2147483648"}, 0, ""},
		{"a count that wraps to 3 is 3", budget.Budget{Nodes: "4294967299"}, 3, ""},
		{"another schedule is read", hourly("0 1 * * *", "8h"), 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, c.budget}, Dialect: dialect.Karpenter}.Compile()
			got := ""
			if all := admission.Warnings(set); len(all) > 0 {
				got = all[len(all)-1].Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
			if got, _ := budget.AllowedByReason(set, noon, 10, candidate.Drifted); got.Nodes != c.allowed {
				t.Errorf("%d allowed, want %d", got.Nodes, c.allowed)
			}
			if got, err := budget.AllowedByReason(set, noon, 10, candidate.Expired); got.Nodes != budget.Unlimited || err != nil {
				t.Errorf("expiration asks no budget: %v, %v", got, err)
			}
		})
	}
}

func TestWhatTheAPIServerDropsIsNoPartOfTheBudget(t *testing.T) {
	reasons := []candidate.Reason{candidate.Drifted}
	set, err := budget.Spec{Dialect: dialect.Karpenter, Calendars: map[string]schedule.Window{"x": {}}, Budgets: []budget.Budget{{
		Nodes: "3", Reasons: reasons, Schedule: "@daily", Duration: "8h", TimeZone: "Asia/Tokyo", Per: "1h", Outside: true,
		From: "2026-12-23", To: "2027-01-02", Calendar: "x", TopologyKey: "zone", Sequential: true,
	}}}.Compile()
	var dropped []string
	for _, w := range admission.Warnings(set) {
		dropped = append(dropped, strings.TrimPrefix(w.Field, "budgets[0]."))
	}
	if got := strings.Join(dropped, " "); err == nil || len(set.Warnings()) != 1 || got != "per from to calendar timeZone outside topologyKey sequential" {
		t.Errorf("%s is dropped: %v", got, err)
	}
	if diff := cmp.Diff([]budget.Budget{{Nodes: "3", Reasons: reasons, Schedule: "@daily", Duration: "8h"}}, set.Budgets()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatNeverConsolidatesInKarpenter(t *testing.T) {
	for spec, want := range map[string][2]time.Duration{ // how long Empty and Underutilized must hold
		`{}`:                                   {0, 0},
		`{"consolidationPolicy": "WhenEmpty"}`: {0, candidate.Forever},
		`{"consolidationPolicy": "Balanced"}`:  {0, 0},
		`{"consolidateAfter": "Never"}`:        {candidate.Forever, candidate.Forever},
		`{"consolidateAfter": "1h"}`:           {0, 0},
	} {
		own := budget.Spec{Dialect: dialect.Karpenter}
		if err := json.Unmarshal([]byte(spec), &own); err != nil || own.Dialect != dialect.Karpenter {
			t.Fatal(spec, err)
		}
		set, _ := own.Compile()
		if got := [2]time.Duration{set.Minimum(candidate.Empty).Held, set.Minimum(candidate.Underutilized).Held}; got != want {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
	broken, _ := budget.Spec{Dialect: dialect.Karpenter, ConsolidateAfter: "soon"}.Compile()
	if broken.Minimum(candidate.Empty).Held != candidate.Forever {
		t.Error("what cannot be read is a time")
	}
	spec := budget.Spec{Dialect: dialect.Karpenter, ConsolidateAfter: "5s"}
	if err := json.Unmarshal([]byte(`{"budgets": 1}`), &spec); err == nil || spec.ConsolidateAfter != "5s" {
		t.Errorf("what the API server rejects changes the Spec to %v: %v", spec, err)
	}
}

func TestControlsHaveNoEffectInKarpenter(t *testing.T) {
	set, err := budget.Spec{
		Dialect: dialect.Karpenter, ConsolidationPolicy: "WhenEmpty", MostSpecific: true,
		Drift: budget.Control{DisruptAfter: "Never", Budgets: []budget.Budget{{Nodes: "0"}}},
	}.Compile()
	if set.MostSpecific() || set.Minimum(candidate.Drifted).Held != 0 || set.Minimum(candidate.Underutilized).Held != candidate.Forever {
		t.Errorf("%v", set)
	}
	if len(set.Budgets()) != 1 || err == nil || len(set.Warnings()) != 1 || len(admission.Warnings(set)) != 2 {
		t.Errorf("%v: %v", set, err)
	}
}
