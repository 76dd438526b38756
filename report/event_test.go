package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

func eventLines(r report.Report) (lines []string) {
	for _, e := range r.Events {
		lines = append(lines, fmt.Sprintf("%s %s %q: %s", e.Name, e.Pool, e.Reason, e.Message))
	}
	return lines
}

// "EnteringDisruptionWindow: Triggered when a NodePool enters a disruption window as defined by the active budgets.
// ExitingDisruptionWindow: Occurs when a NodePool exits a disruption window. BudgetExceeded: Fired when the disruption
// actions exceed the specified budget for a NodePool." (RFC, "Events"). Each step has its time, its nodes and what is
// asked; all but the first of them have the events that they are to have. Times are written in UTC, wherever the budgets
// have theirs.
func TestEventsAreOfWhatChangesBetweenTwoReports(t *testing.T) {
	type step struct {
		at, nodes string
		asked     []candidate.Reason
		want      []string
	}
	drifted := []candidate.Reason{"Drifted"}
	office := budget.Budget{Nodes: "2", Schedule: "0 10 * * *", Duration: "8h", TimeZone: "Europe/Berlin"} // from 9 to 17 in UTC
	closed := office
	closed.Nodes, closed.Outside = "0", true
	day := []budget.Budget{office, closed}
	const entering = `EnteringDisruptionWindow default "Drifted": 2 of 3 nodes may be disrupted at once for Drifted, until 2026-11-20T17:00:00Z`
	const exceeded = `BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[0] is 1`
	const exiting = `ExitingDisruptionWindow default "Drifted": no node may be disrupted for Drifted, until 2026-11-21T09:00:00Z`
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		steps   []step
	}{
		{"the first report has none, open or not", day, []step{{"10:00", "a b c", drifted, nil}}},
		{"a window opens, and that is reported once", day, []step{
			{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, []string{entering}}, {"10:00", "a b c", drifted, nil}}},
		{"a window closes, and that is reported once", day, []step{
			{"16:59", "a b c", drifted, nil}, {"17:00", "a b c", drifted, []string{exiting}}, {"18:00", "a b c", drifted, nil}}},
		{"the next day it opens again", day, []step{{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, []string{entering}},
			{"20:00", "a b c", drifted, []string{exiting}}}},
		{"what opened and closed between two reports was never seen", day, []step{{"08:00", "a b c", drifted, nil}, {"18:00", "a b c", drifted, nil}}},
		{"a reason that was not asked for at the time is compared with when it was", day, []step{
			{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", []candidate.Reason{"Empty"}, nil}, {"09:30", "a b c", nil, nil}, {"10:00", "a b c", drifted, []string{entering}}}},
		{"one that was never asked for is not known to open", day, []step{{"08:00", "a b c", []candidate.Reason{"Empty"}, nil}, {"09:00", "a b c", drifted, nil}}},
		{"each reason has its own event, in order, and what was asked for all of them has none", day, []step{{"16:00", "a b c", []candidate.Reason{"Empty", "Drifted", ""}, nil},
			{"17:00", "a b c", []candidate.Reason{"Empty", "Drifted", ""}, []string{
				exiting,
				`ExitingDisruptionWindow default "Empty": no node may be disrupted for Empty, until 2026-11-21T09:00:00Z`}}}},
		{"where nothing limits, any number may be disrupted", []budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}}, []step{
			{"16:00", "a b c", drifted, nil},
			{"17:00", "a b c", drifted, []string{`EnteringDisruptionWindow default "Drifted": any number of 3 nodes may be disrupted at once for Drifted, until 2026-11-21T09:00:00Z`}}}},
		{"a pool that gets its first node and loses its last has no window", []budget.Budget{{Nodes: "10%"}}, []step{
			{"10:00", "", drifted, nil}, {"11:00", "a", drifted, nil}, {"12:00", "", drifted, nil}}},
		{"a window that opens while the pool is empty does open", day, []step{{"08:00", "", drifted, nil}, {"09:00", "", drifted, []string{
			`EnteringDisruptionWindow default "Drifted": 2 of 0 nodes may be disrupted at once for Drifted, until 2026-11-20T17:00:00Z`}},
			{"10:00", "a b c", drifted, nil}}},
		{"one node is no nodes", day, []step{{"08:00", "a", drifted, nil}, {"09:00", "a", drifted, []string{
			`EnteringDisruptionWindow default "Drifted": 2 of 1 node may be disrupted at once for Drifted, until 2026-11-20T17:00:00Z`}}}},
		{"from some to more is none", []budget.Budget{{Nodes: "4"}, {Nodes: "2", Schedule: "0 9 * * *", Duration: "8h"}}, []step{
			{"16:00", "a b c", drifted, nil}, {"17:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, nil}}},
		{"more in flight than may be, which is reported once", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a b=Drifted c", drifted, nil},
			{"11:00", "a=Drifted b=Drifted c", drifted, []string{exceeded}},
			{"12:00", "a=Drifted b=Drifted c=Drifted", drifted, nil}}},
		{"as many in flight as may be is no excess", []budget.Budget{{Nodes: "2"}}, []step{{"10:00", "a b c", drifted, nil}, {"11:00", "a=Drifted b=Drifted c", drifted, nil}}},
		{"where it was exceeded before, it is reported again", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a=Drifted b=Drifted c", drifted,
			[]string{exceeded}},
			{"11:00", "a=Drifted c", drifted, nil},
			{"12:00", "a=Drifted c=Drifted", drifted, []string{exceeded}}}},
		{"what goes for several reasons exceeds a budget for all of them, which is reported once", []budget.Budget{{Nodes: "1"}}, []step{
			{"10:00", "a b c d", []candidate.Reason{"Drifted", "Empty", "Underutilized"}, nil},
			{"11:00", "a=Drifted b=Empty c=Underutilized d", []candidate.Reason{"Drifted", "Empty", "Underutilized"},
				[]string{`BudgetExceeded default "": 3 in flight or not Ready, and 1 may be at once: budgets[0] is 1`}}}},
		{"whatever is asked, and if nothing is", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a=Drifted b=Empty", nil, []string{exceeded}},
			{"11:00", "a=Drifted b=Empty", []candidate.Reason{""}, nil}}},
		{"a child's budget is exceeded by what goes for the child", []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Drifted/AMIDrift", "Empty"}}}, []step{
			{"10:00", "a=Drifted/AMIDrift b=Drifted c=Drifted/SubnetDrift", drifted, nil},
			{"11:00", "a=Drifted/AMIDrift b=Drifted/AMIDrift c=Empty", drifted,
				[]string{`BudgetExceeded default "": 3 in flight for Drifted/AMIDrift, Empty or not Ready, and 1 may be at once: budgets[0] is 1 (Drifted/AMIDrift, Empty)`}}}},
		{"a freeze of one reason is not exceeded by what goes for another", []budget.Budget{{Nodes: "0", Reasons: drifted}, {Nodes: "5"}}, []step{
			{"10:00", "a b", drifted, nil}, {"11:00", "a=Empty b", drifted, nil},
			{"12:00", "a=? b", drifted, []string{`BudgetExceeded default "": 1 in flight for Drifted or not Ready, and 0 may be at once: budgets[0] is 0 (Drifted)`}}}},
		{"nodes that are not Ready do not exceed the budget of repair; reboots do", []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Unhealthy"}}, {Nodes: "5"}}, []step{
			{"10:00", "a=NotReady b=NotReady c=Unhealthy", []candidate.Reason{"Unhealthy"}, nil},
			{"11:00", "a=NotReady b=Unhealthy c=Rebooting", []candidate.Reason{"Unhealthy"},
				[]string{`BudgetExceeded default "": 2 in flight for Unhealthy, and 1 may be at once: budgets[0] is 1 (Unhealthy)`}}}},
		{"each budget that is exceeded is reported", []budget.Budget{{Nodes: "1"}, {Nodes: "20%"}, {Nodes: "9"}}, []step{{"10:00", "a=Drifted b=Empty c", drifted, []string{
			exceeded, `BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[1] is 20%`}}}},
		{"a budget that is not active is not exceeded", []budget.Budget{{Nodes: "0", Schedule: "0 20 * * *", Duration: "2h"}}, []step{
			{"10:00", "a=Drifted", drifted, nil}, {"19:00", "a=Drifted", drifted, nil}}},
		{"an invalid budget is exceeded by whatever goes for its reasons", []budget.Budget{{Nodes: "many", Reasons: drifted}}, []step{
			{"10:00", "a=Empty b=Drifted", drifted, []string{
				`BudgetExceeded default "": 1 in flight for Drifted or not Ready, and 0 may be at once: budgets[0] is broken`}}}},
		{"a list that is too long is exceeded by whatever goes", make([]budget.Budget, 51), []step{{"10:00", "a=Drifted b", drifted, []string{
			`BudgetExceeded default "": 1 in flight or not Ready, and 0 may be at once: 51 budgets are too many`}}}},
		{"a window that closes on nodes in flight is exceeded", day, []step{{"16:00", "a=Drifted b=Drifted c", drifted, nil},
			{"17:00", "a=Drifted b=Drifted c", drifted, []string{exiting,
				`BudgetExceeded default "": 2 in flight or not Ready, and 0 may be at once: budgets[1] is 0 (outside 0 10 * * * for 8h, Europe/Berlin)`}}}},
		{"where nothing limits nothing is exceeded", []budget.Budget{}, []step{{"10:00", "a b c", drifted, nil}, {"11:00", "a=Drifted b=Drifted c=Drifted", drifted, nil}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(c.budgets)
			if err != nil {
				t.Log(err) // some are broken
			}
			var r report.Report
			for _, step := range c.steps {
				at, err := time.Parse("2006-01-02T15:04", "2026-11-20T"+step.at)
				if err != nil {
					t.Fatal(err)
				}
				in := disruptkit.Input{Now: at, Nodes: frame(step.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
				r = summarized(r, in, step.asked...)
				wantLines(t, "events at "+step.at, eventLines(r), step.want...)
			}
		})
	}
}

// Nothing may be disrupted while nobody knows who was meant to be first. That says nothing of how many budgets there
// are.
func TestAPoolInNoKnownOrderExceedsItsBudgetsBecauseOfThat(t *testing.T) {
	for _, c := range []struct {
		order   string
		budgets int
		want    []string
	}{
		{"", 1, nil},
		{"biggest", 1, []string{`order "biggest" is unknown`}},
		{"a: write b", 1, []string{`order "a: write b" is unknown`}},
		{"biggest", 51, []string{`order "biggest" is unknown and 51 budgets are too many`, `order "biggest" is unknown and 51 budgets are too many`}},
	} {
		set, _ := budget.Spec{Order: c.order, Budgets: make([]budget.Budget, c.budgets)}.Compile()
		in := disruptkit.Input{Now: friday, Nodes: frame("a=Drifted b"), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
		wantLines(t, "exceeded", summarized(report.Report{}, in, "Drifted").Pools[0].Exceeded, c.want...)
	}
}

func TestNodesThatAreMissingAreReportedWhereTheyExceedABudget(t *testing.T) {
	for _, c := range []struct {
		name    string
		budget  budget.Budget
		nodes   string
		desired int
		want    []string
	}{
		{"for all reasons", budget.Budget{Nodes: "1"}, "a b=Drifted", 4, []string{
			`BudgetExceeded default "": 3 in flight, not Ready or missing, and 1 may be at once: budgets[0] is 1`}},
		{"for one reason", budget.Budget{Nodes: "1", Reasons: []candidate.Reason{"Drifted"}}, "a b", 4, []string{
			`BudgetExceeded default "": 2 in flight for Drifted, not Ready or missing, and 1 may be at once: budgets[0] is 1 (Drifted)`}},
		{"repair does not count them", budget.Budget{Nodes: "1", Reasons: []candidate.Reason{"Unhealthy"}}, "a=Unhealthy b=Rebooting", 4, []string{
			`BudgetExceeded default "": 2 in flight for Unhealthy, and 1 may be at once: budgets[0] is 1 (Unhealthy)`}},
		{"if none is", budget.Budget{Nodes: "1"}, "a=NotReady b=Drifted", 2, []string{
			`BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[0] is 1`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pool(t, c.budget)
			p.Desired = c.desired
			in := disruptkit.Input{Now: friday, Nodes: frame(c.nodes), Pools: []disruptkit.Pool{p}}
			wantLines(t, "events", eventLines(summarized(report.Report{}, in, "Drifted")), c.want...)
		})
	}
}
