package budget_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestEveryFaultIsNamedAndSaysWhatToWrite(t *testing.T) {
	drifted := []candidate.Reason{candidate.Drifted}
	for _, c := range []struct {
		name   string
		budget budget.Budget
		want   string // of all faults, a line each
	}{
		{"'schedule' must be set with 'duration' (Karpenter's NodePool schema)", budget.Budget{Schedule: "@daily"},
			`budgets[0].duration: schedule "@daily" has no duration: write how long the budget stays active after each hit, such as 8h`},
		{"'duration' must be set with 'schedule'", budget.Budget{Duration: "8h"},
			`budgets[0].schedule: duration "8h" has no schedule: write when it starts, such as "0 9 * * mon-fri", or leave both out for always`},
		{"a duration of nothing", budget.Budget{Schedule: "@daily", Duration: "0m"},
			`budgets[0].duration: duration "0m" is zero: write a longer one, or delete the budget`},
		{"a negative duration", budget.Budget{Schedule: "@daily", Duration: "-8h"},
			`budgets[0].duration: duration "-8h" is negative: write how long the budget stays active after each hit, such as 8h`},
		{"a count that wraps around in 32 bits in Karpenter", budget.Budget{Nodes: "4294967301"},
			`budgets[0].nodes: nodes "4294967301" is more than Kubernetes counts: write at most 2147483647, or delete the budget for no limit`},
		{"a duration that overflows", budget.Budget{Schedule: "@daily", Duration: "99999999h"},
			`budgets[0].duration: duration "99999999h" is longer than 292 years: leave schedule and duration out for always`},
		{"a range of weekdays that runs backwards", budget.Budget{Schedule: "0 0 * * sat-sun", Duration: "24h"},
			"budgets[0].schedule: " + cronFault("0 0 * * sat-sun")},
		{"a zone that is unknown", budget.Budget{Schedule: "@daily", Duration: "1h", TimeZone: "Mars"},
			`budgets[0].timeZone: time zone "Mars" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`},
		{"a zone without a schedule", budget.Budget{TimeZone: "Europe/Berlin"},
			`budgets[0].timeZone: timeZone "Europe/Berlin" has no schedule to apply to: also set schedule and duration, or leave it out`},
		{"outside without a schedule", budget.Budget{Outside: true},
			`budgets[0].outside: outside has no schedule to be outside of: also set schedule and duration, or leave it out`},
		{"TopologyKey must be a valid qualified Kubernetes label name (AZ-sequential RFC, Validation)", budget.Budget{TopologyKey: "Zone Name", Sequential: true},
			`budgets[0].topologyKey: "topologyKey" "Zone Name" is not a label name: write one such as topology.kubernetes.io/zone`},
		{"a reason in lower case", budget.Budget{Reasons: []candidate.Reason{"drifted"}},
			`budgets[0].reasons[0]: reason "drifted" is unknown: write Drifted`},
		{"a malformed child", budget.Budget{Reasons: []candidate.Reason{"Drifted/"}},
			`budgets[0].reasons[0]: reason "Drifted/" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift`},
		{"a reason twice", budget.Budget{Reasons: []candidate.Reason{"Drifted", "Empty", "Drift"}},
			`budgets[0].reasons[2]: reason "Drift" appears twice: write it once`},
		{"guaranteed nodes for no reason", budget.Budget{Nodes: "4", Guaranteed: true},
			`budgets[0].reasons: guaranteed nodes need reasons: write for which they are, such as Drifted`},
		{"guaranteed starts", budget.Budget{Nodes: "4", Guaranteed: true, Reasons: drifted, Per: "1h"},
			`budgets[0].guaranteed: guaranteed nodes are a share of what may be disrupted at once in the whole pool: write topologyKey, per and soak into a budget without guaranteed`},
		{"guaranteed nodes of zones", budget.Budget{Nodes: "4", Guaranteed: true, Reasons: drifted, TopologyKey: "zone", Sequential: true},
			`budgets[0].guaranteed: guaranteed nodes are a share of what may be disrupted at once in the whole pool: write topologyKey, per and soak into a budget without guaranteed`},
		{"no guaranteed node", budget.Budget{Nodes: "0%", Guaranteed: true, Reasons: drifted},
			`budgets[0].nodes: nodes "0%" guarantees nothing: write how many, or delete the budget`},
		{"a spread of no time", budget.Budget{Spread: "0s"},
			`budgets[0].spread: spread "0s" is zero: write the open time over which a roll is spread, such as 168h, or leave it out`},
		{"a spread in days", budget.Budget{Spread: "7d"}, `budgets[0].spread: spread "7d" is not in whole hours and minutes: write 168h`},
		{"a spread of more than 90 days", budget.Budget{Spread: "2161h"}, `budgets[0].spread: spread "2161h" is longer than 90 days: write at most 2160h`},
		{"a spread of no nodes", budget.Budget{Nodes: "0", Spread: "24h"},
			`budgets[0].nodes: nodes "0" allows no node: leave spread out if nothing should be disrupted`},
		{"a spread of zones", budget.Budget{Spread: "24h", TopologyKey: "zone"},
			`budgets[0].spread: spread "24h" is for nodes at once in the whole pool: write topologyKey, per, soak and guaranteed into a budget without spread`},
		{"a spread of what does not roll", budget.Budget{Spread: "24h", Reasons: []candidate.Reason{"Drifted", "Empty"}},
			`budgets[0].reasons: reason Empty does not roll through a pool, so it cannot be spread: name Drifted or Expired, and write a second budget for the others`},
		{"everything at once", budget.Budget{Nodes: "ten", Reasons: drifted, Schedule: "0 25 * * 7", Duration: "1w", TimeZone: "Local", Sequential: true},
			`budgets[0].nodes: nodes "ten": write a count such as 5, or a percentage from 0% to 100%
budgets[0].duration: duration "1w" is not in whole hours and minutes: write 168h
budgets[0].schedule: ` + cronFault("0 25 * * 7") + `
budgets[0].timeZone: time zone "Local" depends on the host: write a tz database name such as "Europe/Berlin", or "UTC"
budgets[0].sequential: "sequential" requires "topologyKey": write the label whose values take turns, such as topology.kubernetes.io/zone`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile([]budget.Budget{c.budget})
			if err == nil {
				t.Fatal("it compiles")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			var warning candidate.Warning
			if !errors.As(err, &warning) || warning.Code != candidate.CodeInvalidBudget || len(set.Warnings()) != strings.Count(c.want, "\n")+1 {
				t.Errorf("%+v", set.Warnings())
			}
			if got, err := budget.AllowedByReason(set, friday, 100, candidate.Drifted); got.Nodes != 0 || err == nil {
				t.Errorf("%d allowed, %v", got.Nodes, err)
			}
		})
	}
}

// cronFault is what package schedule says of an expression; its own tests say what that has to be.
func cronFault(expr string) string {
	_, err := schedule.Parse(expr, time.Hour, "")
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

func TestWhatIsValid(t *testing.T) {
	for name, b := range map[string]budget.Budget{
		"all that karpenter.sh/v1 has":          {Nodes: "10%", Schedule: "0 9 * * mon-fri", Duration: "8h", Reasons: []candidate.Reason{"Drifted", "Empty", "Underutilized"}},
		"the seconds that a Go duration prints": {Schedule: "@daily", Duration: "16h0m0s"},
		"minutes":                               {Schedule: "@daily", Duration: "90m"},
		"a label name without prefix":           {TopologyKey: "rack"},
		"a label name with prefix":              {TopologyKey: "topology.kubernetes.io/zone", Sequential: true},
		"a month":                               {Schedule: "0 0 1 * *", Duration: "744h"},
		"the whole list, and then nothing":      {Nodes: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := budget.Compile([]budget.Budget{b}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLabelNames(t *testing.T) {
	for key, valid := range map[string]bool{
		"a": true, "A.b_c-d": true, "example.com/a": true, "a/b/c": false, "/a": false, "a/": false, "-a": false, "a-": false,
		"Example.com/a": false, "example..com/a": false, strings.Repeat("a", 63): true, strings.Repeat("a", 64): false,
		strings.Repeat("a", 253) + "/a": true, strings.Repeat("a", 254) + "/a": false, "ä": false, "a b": false,
	} {
		if _, err := budget.Compile([]budget.Budget{{TopologyKey: key}}); (err == nil) != valid {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestTooManyReasons(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Reasons: slices.Repeat([]candidate.Reason{"Drifted"}, 51)}})
	if got, _ := budget.AllowedByReason(set, friday, 100, candidate.Empty); got.Nodes != 0 {
		t.Errorf("%d allowed for a reason that is not among them: nobody knows what was meant", got.Nodes)
	}
	if err == nil || !strings.Contains(err.Error(), "budgets[0].reasons: 51 reasons are too many: write at most 50, or none for all") {
		t.Error(err)
	}
}

func TestFiftyReasonsAreNotTooMany(t *testing.T) {
	var reasons []candidate.Reason
	for i := range 50 {
		reasons = append(reasons, candidate.Reason(fmt.Sprintf("Drifted/Child%d", i)))
	}
	if _, err := budget.Compile([]budget.Budget{{Reasons: reasons}}); err != nil {
		t.Error(err)
	}
}

func TestCompileKeepsItsOwnCopy(t *testing.T) {
	written := []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Drift"}}}
	set, err := budget.Compile(written)
	if err != nil {
		t.Fatal(err)
	}
	written[0].Nodes, written[0].Reasons[0] = "9", "Empty"
	set.Budgets()[0].Reasons[0] = "Empty"
	if diff := cmp.Diff([]budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Drift"}}}, set.Budgets()); diff != "" {
		t.Error(diff)
	}
	broken, _ := budget.Compile([]budget.Budget{{Nodes: "x"}})
	broken.Warnings()[0].Code = ""
	if broken.Warnings()[0].Code == "" {
		t.Error("the warnings can be changed")
	}
}

func TestTheErrorOfACalendarThatCannotBeReadIsReported(t *testing.T) {
	broken, gone := errors.New("x.ics: line 3: no end"), errors.New("open calendars: no such directory")
	for name, c := range map[string]struct {
		known  map[string]schedule.Window
		unread map[string]error
		want   string
	}{
		"its file is broken":                 {nil, map[string]error{"x": broken}, `calendar "x" cannot be read: x.ics: line 3: no end`},
		"the file of another is broken":      {nil, map[string]error{"y": broken}, `calendar "x" is unknown: no calendars were given`},
		"none can be read":                   {nil, map[string]error{"": gone}, `calendar "x" cannot be read: open calendars: no such directory`},
		"none can be read, and it is broken": {nil, map[string]error{"": gone, "x": broken}, `calendar "x" cannot be read: x.ics: line 3: no end`},
		"it is known all the same":           {map[string]schedule.Window{"x": {}}, map[string]error{"": gone, "x": broken}, "<nil>"},
	} {
		spec := budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Calendar: "x"}}, Calendars: c.known, Unread: c.unread}
		set, err := spec.Compile()
		if got := strings.TrimPrefix(fmt.Sprint(err), "budgets[0].calendar: "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		allowed, _ := budget.AllowedByReason(set, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 9, candidate.Drifted)
		if (allowed.Nodes > 0) != (err == nil) {
			t.Errorf("%s: %d allowed", name, allowed.Nodes)
		}
	}
}

func TestTheErrorOfAnUnknownCalendarNamesTheFirstTen(t *testing.T) {
	for n, want := range map[int]string{
		0: `no calendars were given`, 1: `write one of "a"`, 2: `write one of "a", "b"`,
		10: `write one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"`,
		11: `write one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", …`,
		12: `write one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", …`,
	} {
		spec := budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Calendar: "x"}}, Calendars: map[string]schedule.Window{}}
		for i := range n {
			spec.Calendars[string(rune('a'+i))] = schedule.Window{}
		}
		if _, err := spec.Compile(); err == nil || err.Error() != `budgets[0].calendar: calendar "x" is unknown: `+want {
			t.Errorf("of %d: %v", n, err)
		}
	}
}
